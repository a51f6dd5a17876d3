import COpenSSL

/// One block of a PEM text (RFC 7468), wiped when it goes.
struct PEMBlock: ~Copyable {
    /// The words behind `BEGIN`.
    let kind: String
    /// Whether its bytes are encrypted with a password.
    let isEncrypted: Bool
    private let bytes: UnsafeMutablePointer<UInt8>
    private let count: Int

    /// Reads the next block of `bio`; nil at the end and where it is damaged, which OpenSSL's error
    /// stack tells apart.
    init?(reading bio: OpaquePointer) {
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard PEM_read_bio(bio, &name, &header, &data, &length) == 1, let name, let header, let data
        else { return nil }
        kind = String(cString: name)
        isEncrypted =
            kind.hasPrefix("ENCRYPTED") || String(cString: header).contains("ENCRYPTED")
        bytes = data
        count = length
        CRYPTO_free(name, #file, #line)
        CRYPTO_free(header, #file, #line)
    }

    deinit { CRYPTO_clear_free(bytes, count, #file, #line) }

    /// The private key in the block, which the caller owns; nil where it is none.
    var privateKey: OpaquePointer? {
        var next: UnsafePointer<UInt8>? = UnsafePointer(bytes)
        return d2i_AutoPrivateKey(nil, &next, count)
    }
}
