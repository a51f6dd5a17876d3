import COpenSSL
import NetIO
import PushBuffers
import Testing

/// A TLS end of OpenSSL alone, without this project's policy, to stand opposite a ``Connection``.
final class BarePeer {
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    /// Owns the socket.
    private let transport: Connection

    /// A client over `transport` that offers the ALPN `protocols`.
    init(clientOver transport: Connection, protocols: [String], maximumVersion: CInt = 0) throws {
        let context = try #require(SSL_CTX_new(TLS_client_method()))
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty {
            #expect(SSL_CTX_set_alpn_protos(context, list, CUnsignedInt(list.count)) == 0)
        }
        if maximumVersion != 0 {
            let status = SSL_CTX_ctrl(
                context,
                SSL_CTRL_SET_MAX_PROTO_VERSION,
                Int(maximumVersion),
                nil
            )
            #expect(status == 1)
        }
        self.context = context
        ssl = try #require(SSL_new(context))
        self.transport = transport
        SSL_set_fd(ssl, transport.descriptor)
        SSL_set_connect_state(ssl)
    }

    /// A server over `transport` that knows no ALPN, or refuses every protocol.
    init(
        serverOver transport: Connection,
        certificateFile: String,
        keyFile: String,
        refusesProtocols: Bool
    ) throws {
        let context = try #require(SSL_CTX_new(TLS_server_method()))
        #expect(SSL_CTX_use_certificate_file(context, certificateFile, SSL_FILETYPE_PEM) == 1)
        #expect(SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1)
        if refusesProtocols {
            SSL_CTX_set_alpn_select_cb(
                context,
                { _, _, _, _, _, _ in SSL_TLSEXT_ERR_ALERT_FATAL },
                nil
            )
        }
        self.context = context
        ssl = try #require(SSL_new(context))
        self.transport = transport
        SSL_set_fd(ssl, transport.descriptor)
        SSL_set_accept_state(ssl)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// Goes on with the handshake; true once it is done or has failed.
    func advance() -> Bool {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        if status == 1 { return true }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
        default: return true
        }
    }

    /// Takes both handshakes to their end.
    func shakeHands(with connection: Connection) throws {
        let poller = try Poller()
        try poller.add(descriptor: connection.descriptor, id: 0, interest: .read)
        try poller.add(descriptor: transport.descriptor, id: 1, interest: .read)
        while true {
            let isDone = advance()
            if try connection.advanceHandshake() == .established, isDone { return }
            try #require(
                try poller.wait(timeoutNanoseconds: Loopback.patience) > 0,
                "the handshake stands still"
            )
        }
    }
}
