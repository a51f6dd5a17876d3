import PushModel

/// The tokens seen so far, as 64-bit hashes; letters of either case are the same token.
struct TokenSet {
    // Open addressing; 0 is a free place. The size is a power of two, at most three quarters full.
    private var hashes = [UInt64](repeating: 0, count: 1 << 12)
    private var count = 0

    /// Adds a token of hex digits.
    ///
    /// - Returns: Whether it is new.
    mutating func insert(_ token: UnsafeRawBufferPointer) -> Bool {
        insert(Self.hash(token))
    }

    /// Adds a hash, which is not 0.
    ///
    /// - Returns: Whether it is new.
    mutating func insert(_ hash: UInt64) -> Bool {
        if (count + 1) * 4 > hashes.count * 3 { grow() }
        var place = Int(truncatingIfNeeded: hash) & (hashes.count - 1)
        while hashes[place] != 0 {
            if hashes[place] == hash { return false }
            place = (place + 1) & (hashes.count - 1)
        }
        hashes[place] = hash
        count += 1
        return true
    }

    private mutating func grow() {
        let old = hashes
        let mask = old.count * 2 - 1
        hashes = [UInt64](repeating: 0, count: old.count * 2)
        for hash in old where hash != 0 {
            var place = Int(truncatingIfNeeded: hash) & mask
            while hashes[place] != 0 { place = (place + 1) & mask }
            hashes[place] = hash
        }
    }

    private static func hash(_ token: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: token.count)
        var offset = 0
        // Bit 0x20 makes letters lowercase and leaves digits as they are.
        while offset &+ 8 <= token.count {
            let word = token.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = SplitMix64.mix(hash ^ (word | 0x2020_2020_2020_2020)) &+ 1
            offset &+= 8
        }
        while offset < token.count {
            hash = SplitMix64.mix(hash ^ UInt64(token[offset] | 0x20)) &+ 1
            offset &+= 1
        }
        return hash == 0 ? 1 : hash
    }
}
