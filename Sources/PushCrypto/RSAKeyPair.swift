import COpenSSL
import CShims

/// An RSA-2048 key pair, as a device makes one to register.
///
/// Unchecked: OpenSSL counts the references to a key atomically, and it is only read after `init`.
public final class RSAKeyPair: @unchecked Sendable {
    let key: OpaquePointer
    /// The public half.
    public let publicKey: PublicKey

    /// Takes over `key`, which is freed where it is not RSA-2048.
    init(owning key: OpaquePointer, source: String) throws(CryptoError) {
        do throws(CryptoError) {
            publicKey = try Self.publicKey(of: key, source: source)
        } catch {
            // No deinit runs for what was never whole.
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Makes a new pair; it takes about a tenth of a second.
    ///
    /// - Returns: The pair.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)``.
    public static func generate() throws(CryptoError) -> RSAKeyPair {
        ERR_clear_error()
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw .openSSL(purpose: "make an RSA key", detail: takeOpenSSLErrors())
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, CInt(PublicKey.modulusCount * 8)) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .openSSL(purpose: "make an RSA key", detail: takeOpenSSLErrors()) }
        return try RSAKeyPair(owning: key, source: "the new key")
    }

    /// The public key as a device registers it: a SubjectPublicKeyInfo in base64, 392 characters
    /// without line breaks as a rule.
    public var publicKeyBase64: String {
        let der = Self.publicDER(of: key) ?? []
        let count = SealedSizes.base64Count(der.count)
        return String(unsafeUninitializedCapacity: count) { text in
            guard let target = text.baseAddress else { return 0 }
            der.withUnsafeBytes { bytes in
                guard let source = bytes.baseAddress else { return }
                Base64.encode(source, count: bytes.count, to: UnsafeMutableRawPointer(target))
            }
            return der.isEmpty ? 0 : count
        }
    }

    /// The private key in PEM (PKCS#8): a secret.
    public var privateKeyPEM: [UInt8] {
        guard let bio = BIO_new(BIO_s_secmem()) else { return [] }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else { return [] }
        var start: UnsafePointer<CChar>?
        let count = cps_bio_memory(bio, &start)
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func publicKey(
        of key: OpaquePointer,
        source: String
    ) throws(CryptoError) -> PublicKey {
        guard let der = publicDER(of: key) else {
            throw .openSSL(purpose: "read an RSA key", detail: takeOpenSSLErrors())
        }
        do throws(PublicKeyFault) {
            return try der.span.bytes.withUnsafeBytes { (bytes) throws(PublicKeyFault) in
                try PublicKey(der: bytes)
            }
        } catch { throw .notRSA2048(source: source, reason: error.description) }
    }

    private static func publicDER(of key: OpaquePointer) -> [UInt8]? {
        let count = i2d_PUBKEY(key, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { bytes in
            var next = bytes.baseAddress
            return i2d_PUBKEY(key, &next)
        }
        return written == count ? der : nil
    }
}
