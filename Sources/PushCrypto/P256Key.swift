import COpenSSL
import CShims

/// The one owner of an EC key on P-256: a pair, or a public key alone.
///
/// Unchecked: OpenSSL counts the references to a key atomically, and it is only read after `init`.
final class P256Key: @unchecked Sendable {
    /// The length of a raw r‖s signature, in bytes (RFC 7518 section 3.4).
    static let signatureCount = 64
    private let key: OpaquePointer

    /// Takes over `key`, which is freed where it is not on P-256.
    private init(owning key: OpaquePointer, source: String) throws(CryptoError) {
        self.key = key
        let found = Self.kind(of: key)
        guard found == "P-256" else { throw .notP256(source: source, found: found) }
    }

    deinit { EVP_PKEY_free(key) }

    /// Makes a new pair.
    static func generate() throws(CryptoError) -> P256Key {
        ERR_clear_error()
        guard let key = cps_make_p256_key() else {
            throw .openSSL(purpose: "make a P-256 key", detail: takeOpenSSLErrors())
        }
        return try P256Key(owning: key, source: "the new key")
    }

    /// Reads a private key that is not encrypted: PKCS#8 or SEC 1 in PEM.
    static func privateKey(pem: [UInt8], source: String) throws(CryptoError) -> P256Key {
        try withBIO(pem) { (bio) throws(CryptoError) in
            var wasAsked = false
            ERR_clear_error()
            let key = PEM_read_bio_PrivateKey(bio, nil, refusePassword, &wasAsked)
            ERR_clear_error()
            guard let key else {
                throw wasAsked
                    ? .encryptedPrivateKey(source: source) : .noPrivateKey(source: source)
            }
            return try P256Key(owning: key, source: source)
        }
    }

    /// Reads a public key in PEM.
    static func publicKey(pem: [UInt8], source: String) throws(CryptoError) -> P256Key {
        try withBIO(pem) { (bio) throws(CryptoError) in
            ERR_clear_error()
            let key = PEM_read_bio_PUBKEY(bio, nil, refusePassword, nil)
            ERR_clear_error()
            guard let key else { throw .noPublicKey(source: source) }
            return try P256Key(owning: key, source: source)
        }
    }

    /// The public key in PEM.
    var publicKeyPEM: String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PUBKEY(bio, key) == 1 else { return "" }
        return Self.text(in: bio)
    }

    /// The private key in PEM (PKCS#8), as a .p8 file holds it.
    var privateKeyPEM: String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else { return "" }
        return Self.text(in: bio)
    }

    /// Signs the SHA-256 of `message`: raw r‖s, 64 bytes.
    func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        ERR_clear_error()
        guard let signature = derSignature(of: message), let raw = Self.raw(fromDER: signature)
        else { throw .openSSL(purpose: "sign a provider token", detail: takeOpenSSLErrors()) }
        return raw
    }

    /// Whether `signature`, raw r‖s, is this key's over the SHA-256 of `message`.
    func isValid(signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let der = Self.der(fromRaw: signature), let context = EVP_MD_CTX_new() else {
            return false
        }
        defer { EVP_MD_CTX_free(context) }
        defer { ERR_clear_error() }
        ERR_clear_error()
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    private func derSignature(of message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var count = Int(EVP_PKEY_get_size(key))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            return nil
        }
        signature.removeLast(signature.count - count)
        return signature
    }

    private static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &next, bytes.count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: signatureCount)
            let half = CInt(signatureCount / 2)
            let isWhole = raw.withUnsafeMutableBufferPointer { raw in
                guard let start = raw.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, half) == half
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + Int(half), half) == half
            }
            return isWhole ? raw : nil
        }
    }

    private static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == signatureCount, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let half = CInt(signatureCount / 2)
        let isSet = raw.withUnsafeBufferPointer { raw in
            guard let start = raw.baseAddress, let r = BN_bin2bn(start, half, nil) else {
                return false
            }
            guard let s = BN_bin2bn(start + Int(half), half, nil) else {
                BN_free(r)
                return false
            }
            guard ECDSA_SIG_set0(signature, r, s) == 1 else {
                BN_free(r)
                BN_free(s)
                return false
            }
            return true
        }
        guard isSet else { return nil }
        let count = i2d_ECDSA_SIG(signature, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { bytes in
            var next = bytes.baseAddress
            return i2d_ECDSA_SIG(signature, &next)
        }
        return written == count ? der : nil
    }

    /// `P-256`, or another word for what the key is.
    private static func kind(of key: OpaquePointer) -> String {
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else {
            guard let name = EVP_PKEY_get0_type_name(key) else { return "unknown" }
            return String(cString: name)
        }
        var name = [CChar](repeating: 0, count: 80)
        guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return "EC" }
        let group = name.withUnsafeBufferPointer { characters in
            characters.baseAddress.map { String(cString: $0) } ?? ""
        }
        return group == "prime256v1" || group == "P-256" ? "P-256" : "EC on \(group)"
    }

    private static func withBIO<R>(
        _ bytes: [UInt8],
        _ body: (OpaquePointer) throws(CryptoError) -> R
    ) throws(CryptoError) -> R {
        guard let bio = BIO_new(BIO_s_mem()) else {
            throw .openSSL(purpose: "read a key", detail: takeOpenSSLErrors())
        }
        defer { BIO_free(bio) }
        guard bytes.isEmpty || BIO_write(bio, bytes, CInt(clamping: bytes.count)) == bytes.count
        else { throw .openSSL(purpose: "read a key", detail: takeOpenSSLErrors()) }
        return try body(bio)
    }

    private static func text(in bio: OpaquePointer) -> String {
        var start: UnsafePointer<CChar>?
        let count = cps_bio_memory(bio, &start)
        guard let start else { return "" }
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
        }
    }
}

/// Answers OpenSSL's question for a password with none, and notes in the Bool at `context` that it
/// was asked.
func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: CInt,
    _ isForWriting: CInt,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    context?.assumingMemoryBound(to: Bool.self).pointee = true
    return -1
}
