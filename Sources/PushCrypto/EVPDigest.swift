import COpenSSL

/// SHA-256 with a context that is reused, and the mask made of it (RFC 8017 appendix B.2.1).
///
/// Owned by one thread at a time.
final class EVPDigest {
    private static let count = 32
    private let algorithm: OpaquePointer
    private let context: OpaquePointer
    /// A piece of the mask.
    private let block: UnsafeMutablePointer<UInt8>

    init() throws(CryptoError) {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else { throw Self.failure() }
        guard let context = EVP_MD_CTX_new() else {
            EVP_MD_free(algorithm)
            throw Self.failure()
        }
        self.algorithm = algorithm
        self.context = context
        block = .allocate(capacity: Self.count)
    }

    deinit {
        OPENSSL_cleanse(block, Self.count)
        block.deallocate()
        EVP_MD_CTX_free(context)
        EVP_MD_free(algorithm)
    }

    /// MGF1: adds the mask that a seed yields to `count` bytes.
    func mask(
        _ bytes: UnsafeMutablePointer<UInt8>,
        count: Int,
        seed: UnsafePointer<UInt8>,
        seedCount: Int
    ) throws(CryptoError) {
        var counter: UInt32 = 0
        var offset = 0
        while offset < count {
            var suffix = counter.bigEndian
            guard EVP_DigestInit_ex2(context, algorithm, nil) == 1,
                EVP_DigestUpdate(context, seed, seedCount) == 1,
                EVP_DigestUpdate(context, &suffix, MemoryLayout<UInt32>.size) == 1,
                EVP_DigestFinal_ex(context, block, nil) == 1
            else { throw Self.failure() }
            for index in 0..<min(Self.count, count - offset) {
                bytes[offset + index] ^= block[index]
            }
            offset += Self.count
            counter += 1
        }
        OPENSSL_cleanse(block, Self.count)
    }

    private static func failure() -> CryptoError {
        .openSSL(purpose: "hash with SHA-256", detail: takeOpenSSLErrors())
    }
}
