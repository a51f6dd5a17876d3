import COpenSSL

/// AES-128-CBC over whole blocks with a context that is reused.
///
/// The context keeps the last key's schedule until the next one, and is wiped at the end. Owned by
/// one thread at a time.
final class ContentCipher {
    static let blockCount = 16
    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    init() throws(CryptoError) {
        guard let algorithm = EVP_CIPHER_fetch(nil, "AES-128-CBC", nil) else {
            throw Self.failure()
        }
        guard let context = EVP_CIPHER_CTX_new() else {
            EVP_CIPHER_free(algorithm)
            throw Self.failure()
        }
        self.algorithm = algorithm
        self.context = context
        guard EVP_EncryptInit_ex2(context, algorithm, nil, nil, nil) == 1 else {
            throw Self.failure()
        }
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
        EVP_CIPHER_free(algorithm)
    }

    /// Encrypts whole blocks where they are.
    ///
    /// `secret` is the key, 16 bytes, and the IV, 16 bytes.
    func encrypt(
        _ bytes: UnsafeMutablePointer<UInt8>,
        count: Int,
        secret: UnsafePointer<UInt8>
    ) throws(CryptoError) {
        var written: CInt = 0
        // The caller has padded, so there is nothing to finish. OpenSSL's padding is left switched
        // on all the same: switched off, it is set again with every new key, which costs more.
        guard EVP_EncryptInit_ex2(context, nil, secret, secret + Self.blockCount, nil) == 1,
            EVP_EncryptUpdate(context, bytes, &written, bytes, CInt(count)) == 1,
            Int(written) == count
        else { throw Self.failure() }
    }

    private static func failure() -> CryptoError {
        .openSSL(purpose: "encrypt with AES-128-CBC", detail: takeOpenSSLErrors())
    }
}
