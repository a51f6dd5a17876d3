import COpenSSL
import CShims

extension TLSIdentity {
    /// Reads a certificate (with its chain after it) and its key from PEM files.
    ///
    /// - Parameters:
    ///   - certificateFile: PEM; the identity's own certificate comes first.
    ///   - keyFile: PEM, not encrypted; may be the same file.
    /// - Returns: The identity.
    /// - Throws: ``NetIOError/unusableFile(path:reason:)``.
    public static func load(
        certificateFile: String,
        keyFile: String
    ) throws(NetIOError) -> TLSIdentity {
        let bio = try open(certificateFile)
        defer { BIO_free(bio) }
        var certificates = try readCertificates(bio, certificateFile)
        let key: OpaquePointer
        do throws(NetIOError) {
            // Not opened a second time: it may be a pipe.
            key =
                keyFile == certificateFile ? try readKeyAnew(bio, keyFile) : try readKey(keyFile)
        } catch {
            for certificate in certificates { X509_free(certificate) }
            throw error
        }
        let own = certificates.removeFirst()
        let identity = TLSIdentity(
            IdentityHandles(certificate: own, key: key, chain: certificates)
        )
        ERR_clear_error()
        guard X509_check_private_key(own, key) == 1 else {
            ERR_clear_error()
            throw .unusableFile(
                path: keyFile,
                reason: "it is not the key of the certificate in \(certificateFile)"
            )
        }
        return identity
    }

    /// Reads a PKCS#12 file (`.p12`, `.pfx`), as a keychain exports it.
    ///
    /// - Parameters:
    ///   - pkcs12File: The file.
    ///   - password: Its password; may be empty.
    /// - Returns: The identity.
    /// - Throws: ``NetIOError/unusableFile(path:reason:)``.
    public static func load(
        pkcs12File: String,
        password: String
    ) throws(NetIOError) -> TLSIdentity {
        let bio = try open(pkcs12File)
        defer { BIO_free(bio) }
        ERR_clear_error()
        guard let container = d2i_PKCS12_bio(bio, nil) else {
            ERR_clear_error()
            throw .unusableFile(path: pkcs12File, reason: "it is not a PKCS#12 file")
        }
        defer { PKCS12_free(container) }
        if PKCS12_mac_present(container) == 1, !isPassword(password, of: container) {
            ERR_clear_error()
            throw .unusableFile(path: pkcs12File, reason: "the password is wrong")
        }
        return try unpack(container, password: password, path: pkcs12File)
    }

    private static func isPassword(_ password: String, of container: OpaquePointer) -> Bool {
        // An empty password is written in one of two ways.
        PKCS12_verify_mac(container, password, -1) == 1
            || password.isEmpty && PKCS12_verify_mac(container, nil, 0) == 1
    }

    private static func unpack(
        _ container: OpaquePointer,
        password: String,
        path: String
    ) throws(NetIOError) -> TLSIdentity {
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var stack: OpaquePointer?
        ERR_clear_error()
        var status = PKCS12_parse(container, password, &key, &certificate, &stack)
        if status != 1 {
            // Keychains still encrypt with RC2, which OpenSSL 3 keeps in a provider of its own.
            let legacy = OSSL_PROVIDER_try_load(nil, "legacy", 1)
            ERR_clear_error()
            status = PKCS12_parse(container, password, &key, &certificate, &stack)
            if let legacy { OSSL_PROVIDER_unload(legacy) }
        }
        guard status == 1 else {
            throw .unusableFile(path: path, reason: takeOpenSSLErrors())
        }
        var chain: [OpaquePointer] = []
        for index in 0..<max(0, cps_x509_stack_count(stack)) {
            guard let member = cps_x509_stack_value(stack, index) else { continue }
            X509_up_ref(member)
            chain.append(member)
        }
        cps_x509_stack_free(stack)
        guard let key, let certificate else {
            EVP_PKEY_free(key)
            X509_free(certificate)
            for member in chain { X509_free(member) }
            throw .unusableFile(
                path: path,
                reason: "it holds no certificate with a private key; export both together"
            )
        }
        return TLSIdentity(IdentityHandles(certificate: certificate, key: key, chain: chain))
    }

    /// No certificate or key is as long; it ends a device without an end.
    private static let mostBytes = 16 << 20

    private static func open(_ path: String) throws(NetIOError) -> OpaquePointer {
        ERR_clear_error()
        var error: CInt = 0
        guard let bio = cps_bio_open_file(path, mostBytes, &error) else {
            throw .unusableFile(path: path, reason: errnoText(error))
        }
        return bio
    }

    /// The file's certificates, at least one; the caller owns them.
    static func readCertificates(_ path: String) throws(NetIOError) -> [OpaquePointer] {
        let bio = try open(path)
        defer { BIO_free(bio) }
        return try readCertificates(bio, path)
    }

    private static func readCertificates(
        _ bio: OpaquePointer,
        _ path: String
    ) throws(NetIOError) -> [OpaquePointer] {
        var certificates: [OpaquePointer] = []
        while let certificate = PEM_read_bio_X509(bio, nil, refusePassword, nil) {
            certificates.append(certificate)
        }
        // Other blocks are passed over; what ends it before the end of the file is damage.
        let isAtEnd = cps_openssl_reason(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        ERR_clear_error()
        guard isAtEnd else {
            for certificate in certificates { X509_free(certificate) }
            throw .unusableFile(
                path: path,
                reason:
                    "its certificate \(certificates.count + 1), or a block before it, is damaged"
            )
        }
        guard !certificates.isEmpty else {
            throw .unusableFile(path: path, reason: "it holds no certificate in PEM form")
        }
        return certificates
    }

    private static func readKey(_ path: String) throws(NetIOError) -> OpaquePointer {
        let bio = try open(path)
        defer { BIO_free(bio) }
        return try readKey(bio, path)
    }

    /// Reads the key of a file that has been read before.
    private static func readKeyAnew(
        _ bio: OpaquePointer,
        _ path: String
    ) throws(NetIOError) -> OpaquePointer {
        BIO_ctrl(bio, BIO_CTRL_RESET, 0, nil)
        return try readKey(bio, path)
    }

    private static func readKey(
        _ bio: OpaquePointer,
        _ path: String
    ) throws(NetIOError) -> OpaquePointer {
        var wasAsked = false
        guard let key = PEM_read_bio_PrivateKey(bio, nil, refusePassword, &wasAsked) else {
            ERR_clear_error()
            throw .unusableFile(
                path: path,
                reason: wasAsked
                    ? "its private key is encrypted with a password; decrypt it with "
                        + "`openssl pkey -in KEY -out NEW`"
                    : "it holds no private key in PEM form"
            )
        }
        return key
    }
}

/// Answers OpenSSL's question for a password with none, where it would else ask the terminal.
///
/// `context` is nil, or a `Bool` that becomes true.
func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: CInt,
    _ isForWriting: CInt,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    context?.assumingMemoryBound(to: Bool.self).pointee = true
    return -1
}
