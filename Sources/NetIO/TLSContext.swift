import COpenSSL
import CShims
import Glibc

/// The TLS settings that connections share: protocol versions, trust, identity, ALPN `h2`.
///
/// TLS 1.2 or later. Ready for use by several threads at once: it does not change after it was
/// made.
public final class TLSContext: Sendable {
    /// What a client trusts and shows.
    public struct ClientOptions: Sendable {
        /// A PEM file of authorities to trust instead of the system's; nil trusts the system's.
        public var caFile: String?
        /// Accepts every certificate: for tests only.
        public var insecure: Bool
        /// The client certificate to show (contract 1.4b); nil shows none.
        public var identity: TLSIdentity?

        /// Makes options; without arguments those of a client with the system's trust.
        public init(caFile: String? = nil, insecure: Bool = false, identity: TLSIdentity? = nil) {
            self.caFile = caFile
            self.insecure = insecure
            self.identity = identity
        }
    }

    /// OpenSSL counts references to a context atomically and locks what sessions change in it;
    /// nothing here changes it after `init`.
    nonisolated(unsafe) private let context: OpaquePointer
    private let verifiesName: Bool

    private init(_ context: OpaquePointer, verifiesName: Bool) {
        self.context = context
        self.verifiesName = verifiesName
    }

    deinit { SSL_CTX_free(context) }

    /// Makes a client's context.
    ///
    /// - Parameter options: What is trusted and shown.
    /// - Returns: The context.
    /// - Throws: ``NetIOError/unusableFile(path:reason:)`` or ``NetIOError/openSSL(purpose:detail:)``.
    public static func client(_ options: ClientOptions) throws(NetIOError) -> TLSContext {
        let context = try makeContext(isServer: false, releasesIdleBuffers: false)
        // From here the one owner is `made`, so that a throw frees the context.
        let made = TLSContext(context, verifiesName: !options.insecure)
        if !options.insecure {
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            try made.trust(options.caFile)
        }
        try options.identity?.install(in: context)
        return made
    }

    /// Makes a server's context.
    ///
    /// - Parameters:
    ///   - identity: The certificate and key to show.
    ///   - clientCAFile: A PEM file of authorities: clients are then asked for a certificate of
    ///     theirs, which they may leave out; nil asks for none.
    ///   - refusesUntrustedClients: Fails the handshake with a certificate that these authorities do not
    ///     vouch for; else it goes on, and ``PeerCertificate/rejection`` tells why they do not.
    ///   - releasesIdleBuffers: Gives an idle connection's two record buffers, 34 KiB, back: worth
    ///     its allocations only with thousands of connections.
    /// - Returns: The context.
    /// - Throws: ``NetIOError/unusableFile(path:reason:)`` or ``NetIOError/openSSL(purpose:detail:)``.
    public static func server(
        identity: TLSIdentity,
        clientCAFile: String? = nil,
        refusesUntrustedClients: Bool = true,
        releasesIdleBuffers: Bool = false
    ) throws(NetIOError) -> TLSContext {
        let context = try makeContext(isServer: true, releasesIdleBuffers: releasesIdleBuffers)
        let made = TLSContext(context, verifiesName: false)
        try identity.install(in: context)
        if let clientCAFile {
            if refusesUntrustedClients {
                SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            } else {
                // OpenSSL keeps what it found for SSL_get_verify_result.
                SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { _, _ in 1 }
            }
            try made.trust(clientCAFile, tellsClients: true)
        }
        return made
    }

    /// Makes the TLS state of one connection; the caller owns it.
    ///
    /// `serverName` is nil on the server's side.
    func makeSession(
        over socket: UnsafeMutablePointer<cps_socket>,
        serverName: String?
    ) throws(NetIOError) -> OpaquePointer {
        ERR_clear_error()
        guard let ssl = SSL_new(context) else {
            throw .openSSL(purpose: "start TLS", detail: takeOpenSSLErrors())
        }
        guard cps_ssl_attach(ssl, socket) else {
            SSL_free(ssl)
            throw .openSSL(purpose: "start TLS", detail: takeOpenSSLErrors())
        }
        guard let serverName else {
            SSL_set_accept_state(ssl)
            return ssl
        }
        SSL_set_connect_state(ssl)
        guard expect(serverName, on: ssl) else {
            SSL_free(ssl)
            throw .openSSL(
                purpose: "use \(serverName) as a server's name",
                detail: takeOpenSSLErrors()
            )
        }
        return ssl
    }

    private func expect(_ name: String, on ssl: OpaquePointer) -> Bool {
        let isAddress = isIPAddress(name)
        // SNI carries names only (RFC 6066 section 3).
        if !isAddress, !cps_ssl_set_server_name(ssl, name) { return false }
        guard verifiesName else { return true }
        guard isAddress else {
            SSL_set_hostflags(ssl, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            return SSL_set1_host(ssl, name) == 1
        }
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1
    }

    /// Trusts the authorities of a file, or the system's.
    ///
    /// `tellsClients` has a server name them when it asks for a certificate.
    private func trust(_ caFile: String?, tellsClients: Bool = false) throws(NetIOError) {
        ERR_clear_error()
        guard let caFile else {
            guard SSL_CTX_set_default_verify_paths(context) == 1 else {
                throw .openSSL(
                    purpose: "load the system's certificate authorities",
                    detail: takeOpenSSLErrors()
                )
            }
            return
        }
        // Not by OpenSSL's functions for files: they open a pipe a second time, and do not tell a
        // missing file from an empty one.
        let certificates = try TLSIdentity.readCertificates(caFile)
        defer { for certificate in certificates { X509_free(certificate) } }
        ERR_clear_error()
        for certificate in certificates {
            guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1,
                !tellsClients || SSL_CTX_add_client_CA(context, certificate) == 1
            else { throw .unusableFile(path: caFile, reason: takeOpenSSLErrors()) }
        }
    }

    private static func makeContext(
        isServer: Bool,
        releasesIdleBuffers: Bool
    ) throws(NetIOError) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method())
        else { throw .openSSL(purpose: "set up TLS", detail: takeOpenSSLErrors()) }
        guard cps_ssl_ctx_apply_policy(context, isServer, releasesIdleBuffers),
            cps_ssl_ctx_require_h2(context, isServer)
        else {
            SSL_CTX_free(context)
            throw .openSSL(purpose: "set up TLS", detail: takeOpenSSLErrors())
        }
        return context
    }
}

/// Whether `name` is an IPv4 or IPv6 address rather than a host name.
func isIPAddress(_ name: String) -> Bool {
    var v4 = in_addr()
    var v6 = in6_addr()
    return inet_pton(AF_INET, name, &v4) == 1 || inet_pton(AF_INET6, name, &v6) == 1
}
