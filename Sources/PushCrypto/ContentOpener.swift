import COpenSSL
import CShims
public import PushModel

/// Content as a device reads it.
public struct OpenedContent: Sendable {
    /// The plaintext, valid UTF-8.
    public var plaintext: [UInt8]
    /// Which of the opener's keys it was for.
    public var keyIndex: Int
    /// How its secret was wrapped.
    public var padding: WrapPadding
    /// A number that equal secrets share, to notice one that comes twice.
    public var secretFingerprint: UInt64
}

/// Opens encrypted content with private keys, in the SDK's order (contract 3.2).
///
/// Immutable: may be used by several threads at once.
public final class ContentOpener: Sendable {
    private let keys: [RSAKeyPair]
    private let publicKeys: PublicKeyStore
    /// Which key has the public key of an index of `publicKeys`.
    private let keyOfPublicKey: [Int]

    /// Makes an opener with key pairs.
    ///
    /// - Parameter keys: The pairs; none is allowed, then nothing opens.
    public init(keys: [RSAKeyPair]) {
        self.keys = keys
        let store = PublicKeyStore()
        var owners: [Int] = []
        for (index, key) in keys.enumerated()
        where Int(store.add(key.publicKey)) == owners.count { owners.append(index) }
        publicKeys = store
        keyOfPublicKey = owners
    }

    /// Makes an opener with the private keys of a PEM text: PKCS#8 or PKCS#1, one or many.
    ///
    /// - Parameters:
    ///   - pem: The text's bytes.
    ///   - source: What errors call it.
    /// - Throws: ``CryptoError`` where there is none, or one is encrypted or not RSA-2048.
    public convenience init(pem: [UInt8], source: String) throws(CryptoError) {
        guard let bio = BIO_new(BIO_s_mem()) else {
            throw .openSSL(purpose: "read a key", detail: takeOpenSSLErrors())
        }
        defer { BIO_free(bio) }
        guard pem.isEmpty || BIO_write(bio, pem, CInt(clamping: pem.count)) == pem.count else {
            throw .openSSL(purpose: "read a key", detail: takeOpenSSLErrors())
        }
        self.init(keys: try Self.readKeys(bio, source: source))
    }

    /// Makes an opener with the private keys of a PEM file.
    ///
    /// - Parameter file: The file's path.
    /// - Throws: ``CryptoError`` where it cannot be read, has no private key, or one that is
    ///   encrypted or not RSA-2048.
    public convenience init(file: String) throws(CryptoError) {
        var error: CInt = 0
        guard let bio = cps_bio_open_file(file, Self.mostBytes, &error) else {
            throw .unreadableFile(path: file, reason: systemErrorText(error))
        }
        defer { BIO_free(bio) }
        self.init(keys: try Self.readKeys(bio, source: file))
    }

    /// As much as a million keys take; it ends a device without an end.
    private static let mostBytes = 1 << 31

    /// The number of private keys.
    public var keyCount: Int { keys.count }

    /// The private key that belongs to a public key.
    ///
    /// - Parameter publicKey: The public key.
    /// - Returns: The private key's index; nil where there is none.
    public func keyIndex(for publicKey: PublicKey) -> Int? {
        publicKeys.index(of: publicKey).map { keyOfPublicKey[Int($0)] }
    }

    /// Opens content.
    ///
    /// - Parameters:
    ///   - secret: The payload's `secret`.
    ///   - content: The payload's `content`.
    ///   - keyIndex: Which private key to use; nil to try all.
    /// - Returns: The plaintext; whether it is a JSON object is the caller's to check.
    /// - Throws: ``OpenFailure``.
    public func open(
        secret: RawSpan,
        content: RawSpan,
        keyIndex: Int? = nil
    ) throws(OpenFailure) -> OpenedContent {
        guard let wrapped = Base64.decodeStrictly(secret) else { throw .secretNotBase64 }
        let candidates =
            keyIndex.map { keys.indices.contains($0) ? $0..<$0 + 1 : 0..<0 }
            ?? keys.indices
        guard !candidates.isEmpty else { throw .noPrivateKey }
        // OAEP knows whether a key fits.
        for index in candidates {
            guard var bytes = keys[index].unwrap(wrapped, .oaepSHA256) else { continue }
            defer { wipe(&bytes) }
            return try open(content, bytes, index, .oaepSHA256)
        }
        // PKCS#1 v1.5 may not: newer libraries answer a block that does not fit with random bytes
        // (implicit rejection), which now and then have 32 of them. Then the content decides.
        var failure = OpenFailure.secretNotOpened
        for index in candidates {
            guard var bytes = keys[index].unwrap(wrapped, .pkcs1) else { continue }
            defer { wipe(&bytes) }
            do throws(OpenFailure) {
                return try open(content, bytes, index, .pkcs1)
            } catch {
                if failure == .secretNotOpened || error.code < failure.code { failure = error }
            }
        }
        throw failure
    }

    private func open(
        _ content: RawSpan,
        _ secret: [UInt8],
        _ index: Int,
        _ padding: WrapPadding
    ) throws(OpenFailure) -> OpenedContent {
        guard secret.count == KeyWrapper.secretCount else {
            throw .secretLength(secret.count)
        }
        guard let sealed = Base64.decodeStrictly(content) else { throw .contentNotBase64 }
        guard let plaintext = Self.decrypt(sealed, secret) else { throw .contentNotOpened }
        guard String(validating: plaintext, as: UTF8.self) != nil else { throw .contentNotUnicode }
        let fingerprint = secret.withUnsafeBytes { bytes in
            (0..<4).reduce(UInt64(0)) { hash, word in
                SplitMix64.mix(
                    hash &+ bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
                )
            }
        }
        return OpenedContent(
            plaintext: plaintext,
            keyIndex: index,
            padding: padding,
            secretFingerprint: fingerprint
        )
    }

    /// AES-128-CBC, PKCS#7 padding taken off; nil where that does not fit.
    private static func decrypt(_ sealed: [UInt8], _ secret: [UInt8]) -> [UInt8]? {
        let block = ContentCipher.blockCount
        guard !sealed.isEmpty, sealed.count.isMultiple(of: block),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        defer { ERR_clear_error() }
        var plaintext = [UInt8](repeating: 0, count: sealed.count + block)
        var count: CInt = 0
        var tail: CInt = 0
        let isOpen = plaintext.withUnsafeMutableBufferPointer { target in
            secret.withUnsafeBufferPointer { secret in
                guard let start = target.baseAddress, let key = secret.baseAddress else {
                    return false
                }
                return EVP_DecryptInit_ex2(context, EVP_aes_128_cbc(), key, key + block, nil) == 1
                    && EVP_DecryptUpdate(context, start, &count, sealed, CInt(sealed.count)) == 1
                    && EVP_DecryptFinal_ex(context, start + Int(count), &tail) == 1
            }
        }
        guard isOpen else { return nil }
        plaintext.removeLast(plaintext.count - Int(count) - Int(tail))
        return plaintext
    }

    /// Reads every private key of a PEM text and passes over its other blocks.
    private static func readKeys(
        _ bio: OpaquePointer,
        source: String
    ) throws(CryptoError) -> [RSAKeyPair] {
        var keys: [RSAKeyPair] = []
        ERR_clear_error()
        while let block = PEMBlock(reading: bio) {
            guard block.kind.hasSuffix("PRIVATE KEY") else { continue }
            if block.isEncrypted { throw .encryptedPrivateKey(source: source) }
            guard let key = block.privateKey else {
                ERR_clear_error()
                throw .damagedPrivateKey(source: source, number: keys.count + 1)
            }
            keys.append(try RSAKeyPair(owning: key, source: source))
        }
        let isAtEnd = cps_openssl_reason(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        ERR_clear_error()
        if !isAtEnd { throw .damagedPrivateKey(source: source, number: keys.count + 1) }
        if keys.isEmpty { throw .noRSAPrivateKey(source: source) }
        return keys
    }
}

extension RSAKeyPair {
    /// What is wrapped for this key; nil where the padding does not fit.
    fileprivate func unwrap(_ wrapped: [UInt8], _ padding: WrapPadding) -> [UInt8]? {
        guard wrapped.count == SealedSizes.wrappedCount,
            let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        defer { ERR_clear_error() }
        guard EVP_PKEY_decrypt_init(context) == 1 else { return nil }
        switch padding {
        case .oaepSHA256:
            guard EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1,
                EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1
            else { return nil }
        case .pkcs1:
            guard EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 else { return nil }
        }
        var count = SealedSizes.wrappedCount
        var bytes = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_decrypt(context, &bytes, &count, wrapped, wrapped.count) == 1 else {
            return nil
        }
        // Longer than a secret never gets used, shorter ones move nothing: no copy stays behind.
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

/// Overwrites bytes that were secret.
private func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}
