import COpenSSL

/// A P-256 public key that checks ES256 signatures (RFC 7518 section 3.4).
///
/// May be shared by threads: after init OpenSSL only reads the key.
public final class ES256PublicKey: @unchecked Sendable {
    // Safe to share: the key is never changed, and each check makes a context of its own.

    /// The bytes of a signature: r and s, 32 each, big endian.
    public static let signatureBytes = 64

    private let key: OpaquePointer

    /// Reads a public key.
    ///
    /// - Parameter pem: A PEM text with a `PUBLIC KEY` block.
    /// - Throws: ``ES256KeyError``.
    public init(pem: String) throws(ES256KeyError) {
        key = try ES256PEM.read(pem) { PEM_read_bio_PUBKEY($0, nil, nil, nil) }
    }

    /// Takes over one reference to `key`.
    init(owning key: OpaquePointer) { self.key = key }

    deinit { EVP_PKEY_free(key) }

    /// Tells whether `signature` is this key's over `message`.
    ///
    /// - Parameters:
    ///   - signature: r and s as JSON web signatures carry them, not DER.
    ///   - message: The signed bytes.
    /// - Returns: False also where the signature has another length than ``signatureBytes``.
    public func verifies(signature: RawSpan, of message: RawSpan) -> Bool {
        guard signature.byteCount == Self.signatureBytes, let der = Self.der(signature) else {
            return false
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        ERR_clear_error()
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return message.withUnsafeBytes { bytes in
            EVP_DigestVerify(
                context,
                der,
                der.count,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                bytes.count
            ) == 1
        }
    }

    /// OpenSSL wants the two numbers as a DER sequence.
    private static func der(_ signature: RawSpan) -> [UInt8]? {
        guard let numbers = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(numbers) }
        let half = CInt(signatureBytes / 2)
        let isSet = signature.withUnsafeBytes { bytes -> Bool in
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard let base, let r = BN_bin2bn(base, half, nil) else { return false }
            guard let s = BN_bin2bn(base + Int(half), half, nil) else {
                BN_free(r)
                return false
            }
            // On success the two belong to `numbers`.
            guard ECDSA_SIG_set0(numbers, r, s) == 1 else {
                BN_free(r)
                BN_free(s)
                return false
            }
            return true
        }
        guard isSet else { return nil }
        let count = i2d_ECDSA_SIG(numbers, nil)
        guard count > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
            var cursor = buffer.baseAddress
            initialized = Int(i2d_ECDSA_SIG(numbers, &cursor))
        }
    }
}
