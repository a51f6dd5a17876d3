import COpenSSL

/// A P-256 private key that signs with ES256 (RFC 7518 section 3.4), as provider tokens need it.
///
/// May be shared by threads: after init OpenSSL only reads the key.
public final class ES256PrivateKey: @unchecked Sendable {
    // Safe to share: the key is never changed, and each signature makes a context of its own.

    private let key: OpaquePointer

    /// Reads a private key, for example Apple's `.p8` file.
    ///
    /// - Parameter pem: A PEM text with a `PRIVATE KEY` or `EC PRIVATE KEY` block, not encrypted.
    /// - Throws: ``ES256KeyError``.
    public init(pem: String) throws(ES256KeyError) {
        key = try ES256PEM.read(pem) {
            // A password callback that gives none, so that an encrypted key is refused rather than
            // asked for on the terminal.
            PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    /// Makes a new key.
    ///
    /// - Throws: ``ES256KeyError/generationFailed``.
    public init() throws(ES256KeyError) {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw .generationFailed }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &made) == 1,
            let made
        else { throw .generationFailed }
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    /// The public half as PEM, for ``ES256PublicKey/init(pem:)``; empty where memory ran out.
    public var publicKeyPEM: String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PUBKEY(bio, key) == 1 else { return "" }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = BIO_read(bio, &bytes, CInt(bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }

    /// The public half.
    public var publicKey: ES256PublicKey {
        EVP_PKEY_up_ref(key)
        return ES256PublicKey(owning: key)
    }

    /// Signs `message`.
    ///
    /// - Parameter message: The bytes to sign.
    /// - Returns: r and s, 32 bytes each, big endian.
    /// - Throws: ``ES256KeyError/signingFailed``.
    public func signature(of message: RawSpan) throws(ES256KeyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .signingFailed }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else {
            throw .signingFailed
        }
        var der = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        var count = der.count
        let isSigned = message.withUnsafeBytes {
            EVP_DigestSign(
                context,
                &der,
                &count,
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self),
                $0.count
            ) == 1
        }
        guard isSigned, let raw = Self.raw(der, count: count) else { throw .signingFailed }
        return raw
    }

    private static func raw(_ der: [UInt8], count: Int) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            guard let numbers = d2i_ECDSA_SIG(nil, &cursor, count) else { return nil }
            defer { ECDSA_SIG_free(numbers) }
            var raw = [UInt8](repeating: 0, count: ES256PublicKey.signatureBytes)
            let half = ES256PublicKey.signatureBytes / 2
            let isWhole = raw.withUnsafeMutableBufferPointer { target -> Bool in
                guard let base = target.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(numbers), base, CInt(half)) == half
                    && BN_bn2binpad(ECDSA_SIG_get0_s(numbers), base + half, CInt(half)) == half
            }
            return isWhole ? raw : nil
        }
    }
}
