import COpenSSL
import CShims

/// A certificate, its private key and the certificates between it and its authority.
public struct TLSIdentity: Sendable {
    let handles: IdentityHandles

    init(_ handles: IdentityHandles) { self.handles = handles }

    /// The certificate and those that go with it in PEM, to be written out as a CA file or sent on.
    public var certificatePEM: String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        for certificate in [handles.certificate] + handles.chain {
            PEM_write_bio_X509(bio, certificate)
        }
        return bioText(bio)
    }

    /// Finds out whether the certificate is valid now.
    ///
    /// - Parameter path: The file that it came from, for the error.
    /// - Throws: ``NetIOError/unusableFile(path:reason:)`` where its time is over or has not begun.
    public func checkValidity(path: String) throws(NetIOError) {
        let end = X509_get0_notAfter(handles.certificate)
        let start = X509_get0_notBefore(handles.certificate)
        if X509_cmp_current_time(end) < 0 {
            throw .unusableFile(
                path: path,
                reason: "its certificate expired on \(Self.text(of: end)); get a new one, or check "
                    + "this machine's clock"
            )
        }
        if X509_cmp_current_time(start) > 0 {
            throw .unusableFile(
                path: path,
                reason: "its certificate is valid from \(Self.text(of: start)) only; check this "
                    + "machine's clock"
            )
        }
    }

    private static func text(of time: UnsafePointer<ASN1_TIME>?) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "?" }
        defer { BIO_free(bio) }
        return ASN1_TIME_print(bio, time) == 1 ? bioText(bio) : "?"
    }

    /// Makes `context` show this identity.
    func install(in context: OpaquePointer) throws(NetIOError) {
        ERR_clear_error()
        guard SSL_CTX_use_certificate(context, handles.certificate) == 1,
            SSL_CTX_use_PrivateKey(context, handles.key) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw .openSSL(purpose: "use the certificate", detail: takeOpenSSLErrors()) }
        for certificate in handles.chain
        where !cps_ssl_ctx_add_chain_certificate(context, certificate) {
            throw .openSSL(purpose: "use the certificate chain", detail: takeOpenSSLErrors())
        }
    }
}

/// The one owner of an identity's OpenSSL objects.
///
/// Unchecked: OpenSSL counts the references to these objects atomically, and they are only read
/// after `init`.
final class IdentityHandles: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: OpaquePointer
    let chain: [OpaquePointer]

    init(certificate: OpaquePointer, key: OpaquePointer, chain: [OpaquePointer]) {
        self.certificate = certificate
        self.key = key
        self.chain = chain
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        for certificate in chain { X509_free(certificate) }
    }
}
