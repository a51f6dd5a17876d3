import COpenSSL

/// Why an ES256 key cannot be used.
public enum ES256KeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text holds no PEM block of the wanted kind.
    case notPEM
    /// The key is not on the curve P-256.
    case wrongCurve
    /// OpenSSL could not make a key.
    case generationFailed
    /// OpenSSL could not sign.
    case signingFailed

    /// One sentence for people.
    public var description: String {
        switch self {
        case .notPEM:
            "the key is not a PEM block that can be read: give the file as Apple or openssl wrote it,"
                + " not encrypted"
        case .wrongCurve: "the key is not on the curve P-256 (prime256v1), which ES256 needs"
        case .generationFailed: "OpenSSL could not make a P-256 key"
        case .signingFailed: "OpenSSL could not sign with the P-256 key"
        }
    }
}

/// Reads PEM texts with OpenSSL.
enum ES256PEM {
    /// Reads one key with `parse`, which gets a memory BIO over the text.
    static func read(
        _ pem: String,
        _ parse: (OpaquePointer) -> OpaquePointer?
    ) throws(ES256KeyError) -> OpaquePointer {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let bytes = Array(pem.utf8)
        // The BIO reads from `bytes` without a copy, which outlives it here.
        let key = bytes.withUnsafeBytes { buffer -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, CInt(buffer.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            return parse(bio)
        }
        guard let key else { throw .notPEM }
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        let isP256 =
            EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
            && name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
        guard isP256 else {
            EVP_PKEY_free(key)
            throw .wrongCurve
        }
        return key
    }
}
