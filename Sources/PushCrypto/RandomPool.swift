import COpenSSL

/// Secret random bytes of OpenSSL's generator, drawn by kilobytes: a call costs over half a
/// microsecond whatever its size.
///
/// Every byte is handed out once and wiped from the pool as it is. Owned by one thread at a time.
final class RandomPool {
    private static let capacity = 4096
    private let bytes: UnsafeMutablePointer<UInt8>
    private var next = RandomPool.capacity

    init() { bytes = .allocate(capacity: Self.capacity) }

    deinit {
        OPENSSL_cleanse(bytes, Self.capacity)
        bytes.deallocate()
    }

    /// Writes `count` bytes, at most 4,096, to `target`.
    func take(_ count: Int, to target: UnsafeMutablePointer<UInt8>) throws(CryptoError) {
        if next &+ count > Self.capacity { try refill() }
        target.update(from: bytes + next, count: count)
        OPENSSL_cleanse(bytes + next, count)
        next &+= count
    }

    /// Writes `count` bytes to `target`, none of them zero.
    func takeNonZero(_ count: Int, to target: UnsafeMutablePointer<UInt8>) throws(CryptoError) {
        try take(count, to: target)
        for index in 0..<count {
            while target[index] == 0 { try take(1, to: target + index) }
        }
    }

    private func refill() throws(CryptoError) {
        guard RAND_bytes(bytes, CInt(Self.capacity)) == 1 else {
            throw .openSSL(purpose: "draw random bytes", detail: takeOpenSSLErrors())
        }
        next = 0
    }
}
