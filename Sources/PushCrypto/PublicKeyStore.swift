import COpenSSL

/// The distinct public keys of an audience, 264 bytes each.
///
/// Filled by one thread, then read by any number; nothing may be added once it is shared.
public final class PublicKeyStore: @unchecked Sendable {
    // Safe to share: after the fill (and `keepPrecomputed`) every stored property is only read.

    private static let keyBytes = PublicKey.modulusCount + MemoryLayout<UInt64>.size
    private static let chunkShift = 12
    private static let keysPerChunk = 1 << chunkShift
    private static let bytesPerPrecomputed = 760

    /// The number of distinct keys.
    public private(set) var count = 0

    private var chunks: [UnsafeMutableRawPointer] = []
    /// Open addressing over the keys' hashes: index + 1, or 0 for a free place.
    private var places = [UInt32](repeating: 0, count: 1 << 10)
    /// What OpenSSL precomputes for each key, where there are few enough of them.
    private var contexts: [OpaquePointer] = []

    /// Makes an empty store.
    public init() {}

    deinit {
        for chunk in chunks { chunk.deallocate() }
        for context in contexts { BN_MONT_CTX_free(context) }
    }

    /// The bytes that the store takes, for reports.
    public var byteCount: Int {
        chunks.count * Self.keysPerChunk * Self.keyBytes
            + places.count * MemoryLayout<UInt32>.stride + contexts.count * Self.bytesPerPrecomputed
    }

    /// The index of a key, added when it is new.
    ///
    /// - Parameter key: The key.
    /// - Returns: Its index, the same for equal keys.
    public func add(_ key: PublicKey) -> UInt32 {
        if (count + 1) * 4 > places.count * 3 { grow() }
        var place = Int(truncatingIfNeeded: key.fingerprint) & (places.count - 1)
        while places[place] != 0 {
            let index = Int(places[place] - 1)
            if isEqual(key, at: index) { return UInt32(index) }
            place = (place + 1) & (places.count - 1)
        }
        // Four billion keys would need a terabyte: the index cannot overflow before memory does.
        places[place] = UInt32(count + 1)
        if count & (Self.keysPerChunk - 1) == 0 {
            chunks.append(
                .allocate(byteCount: Self.keysPerChunk * Self.keyBytes, alignment: 8)
            )
        }
        let target = address(of: count)
        key.modulus.span.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: target, count: bytes.count).copyMemory(from: bytes)
        }
        target.storeBytes(
            of: key.exponent,
            toByteOffset: PublicKey.modulusCount,
            as: UInt64.self
        )
        count += 1
        return UInt32(count - 1)
    }

    /// The index of a key that was added.
    ///
    /// - Parameter key: The key.
    /// - Returns: Its index; nil where it is not in the store.
    public func index(of key: PublicKey) -> UInt32? {
        var place = Int(truncatingIfNeeded: key.fingerprint) & (places.count - 1)
        while places[place] != 0 {
            let index = Int(places[place] - 1)
            if isEqual(key, at: index) { return UInt32(index) }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// A key that was added.
    ///
    /// - Parameter index: Its index, as ``add(_:)`` gave it.
    /// - Returns: The key.
    public func key(at index: UInt32) -> PublicKey {
        let modulus = modulus(at: index)
        return PublicKey(
            modulus: InlineArray { modulus.load(fromByteOffset: $0, as: UInt8.self) },
            exponent: exponent(at: index)
        )
    }

    /// Keeps what OpenSSL computes from a modulus (about 760 bytes, 5 µs a key) where the store has
    /// at most `limit` keys; call it after the fill, before the store is shared.
    ///
    /// - Parameter limit: The most keys to do it for.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)`` without memory.
    public func keepPrecomputed(atMost limit: Int = 1 << 16) throws(CryptoError) {
        guard count <= limit, contexts.count < count else { return }
        let wrapper = try KeyWrapper()
        contexts.reserveCapacity(count)
        for index in contexts.count..<count {
            contexts.append(try wrapper.makeContext(modulus: modulus(at: UInt32(index))))
        }
    }

    /// The modulus of a key, most significant byte first, valid while the store lives.
    func modulus(at index: UInt32) -> UnsafeRawPointer {
        UnsafeRawPointer(address(of: Int(index)))
    }

    /// The exponent of a key.
    func exponent(at index: UInt32) -> UInt64 {
        address(of: Int(index)).load(fromByteOffset: PublicKey.modulusCount, as: UInt64.self)
    }

    /// What OpenSSL precomputed for a key, if it was kept.
    func context(at index: UInt32) -> OpaquePointer? {
        Int(index) < contexts.count ? contexts[Int(index)] : nil
    }

    private func address(of index: Int) -> UnsafeMutableRawPointer {
        precondition(index <= count, "no key \(index) in a store of \(count)")
        return chunks[index >> Self.chunkShift]
            + (index & (Self.keysPerChunk - 1)) * Self.keyBytes
    }

    private func isEqual(_ key: PublicKey, at index: Int) -> Bool {
        let stored = address(of: index)
        return key.exponent == exponent(at: UInt32(index))
            && key.modulus.span.withUnsafeBytes { bytes in
                UnsafeRawBufferPointer(start: stored, count: bytes.count).elementsEqual(bytes)
            }
    }

    private func grow() {
        places = [UInt32](repeating: 0, count: places.count * 2)
        for index in 0..<count {
            var place = Int(truncatingIfNeeded: hash(at: index)) & (places.count - 1)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(index + 1)
        }
    }

    private func hash(at index: Int) -> UInt64 {
        let stored = UnsafeRawBufferPointer(
            start: address(of: index),
            count: PublicKey.modulusCount
        )
        return PublicKey.hash(modulus: stored, exponent: exponent(at: UInt32(index)))
    }
}
