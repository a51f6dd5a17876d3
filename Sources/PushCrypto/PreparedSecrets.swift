import COpenSSL
import Glibc
import Synchronization

/// Secrets made before a send: for each push a fresh AES key and IV, and both wrapped under its
/// install's key (design 3.3).
///
/// Each is used once and wiped as it is. They stay in memory: locked against swapping where the
/// system allows it, and left out of core dumps. Any threads may fill and use different places
/// at once; a place must be filled before it is used, which the caller orders.
public final class PreparedSecrets: @unchecked Sendable {
    // Safe to share: `states` hands each place over from its maker to its one user.

    private enum State {
        static let empty: UInt8 = 0
        static let ready: UInt8 = 1
        static let used: UInt8 = 2
    }

    /// The bytes that one push's secret takes.
    public static let bytesPerPush =
        KeyWrapper.secretCount + SealedSizes.secretBase64Count + MemoryLayout<UInt8>.size

    /// The number of places.
    public let count: Int

    private let secrets: UnsafeMutableRawPointer
    private let wrapped: UnsafeMutableRawPointer
    private let states: UnsafeMutablePointer<Atomic<UInt8>>
    private let secretBytes: Int

    /// Makes empty places.
    ///
    /// - Parameter count: The number of pushes, each with its own.
    public init(count: Int) {
        let count = max(0, count)
        self.count = count
        let page = 4096
        secretBytes = max(1, count * KeyWrapper.secretCount)
        secrets = .allocate(byteCount: secretBytes, alignment: page)
        wrapped = .allocate(
            byteCount: max(1, count * SealedSizes.secretBase64Count),
            alignment: 8
        )
        states = .allocate(capacity: max(1, count))
        for place in 0..<count { (states + place).initialize(to: Atomic(State.empty)) }
        // Best effort: a small limit on locked memory is no reason not to run.
        _ = mlock(secrets, secretBytes)
        _ = madvise(secrets, secretBytes & ~(page - 1), MADV_DONTDUMP)
    }

    deinit {
        OPENSSL_cleanse(secrets, secretBytes)
        _ = munlock(secrets, secretBytes)
        _ = madvise(secrets, secretBytes & ~4095, MADV_DODUMP)
        secrets.deallocate()
        wrapped.deallocate()
        (states).deinitialize(count: count)
        states.deallocate()
    }

    /// Fills a place; once.
    func fill(
        _ place: Int,
        _ make: (
            _ secret: UnsafeMutablePointer<UInt8>, _ wrapped: UnsafeMutableRawPointer
        ) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        precondition(place >= 0 && place < count, "no place \(place) for a prepared secret")
        guard states[place].load(ordering: .relaxed) == State.empty else { return }
        try make(secret(at: place), wrapped + place * SealedSizes.secretBase64Count)
        states[place].store(State.ready, ordering: .releasing)
    }

    /// Uses a place up, and wipes its secret.
    ///
    /// - Returns: Whether there was an unused secret; else `use` is not called.
    func use(
        _ place: Int,
        _ use: (
            _ secret: UnsafePointer<UInt8>, _ wrapped: UnsafeRawPointer
        ) throws(CryptoError) -> Void
    ) throws(CryptoError) -> Bool {
        guard place >= 0, place < count,
            states[place].compareExchange(
                expected: State.ready,
                desired: State.used,
                ordering: .acquiring
            ).exchanged
        else { return false }
        let secret = secret(at: place)
        defer { OPENSSL_cleanse(secret, KeyWrapper.secretCount) }
        try use(secret, wrapped + place * SealedSizes.secretBase64Count)
        return true
    }

    private func secret(at place: Int) -> UnsafeMutablePointer<UInt8> {
        (secrets + place * KeyWrapper.secretCount).assumingMemoryBound(to: UInt8.self)
    }
}
