import COpenSSL
import CShims
import Glibc

/// How far a connection's establishment is.
public enum HandshakeProgress: Equatable, Sendable {
    /// Bytes can be read and written.
    ///
    /// Read at once: the peer's first bytes may have come with the end of its handshake and be here
    /// already, and then no event announces them.
    case established
    /// Go on when the socket is readable.
    case wantsRead
    /// Go on when the socket is writable.
    case wantsWrite
}

extension Connection {
    /// Takes the TCP connect and the TLS handshake as far as the socket lets it.
    ///
    /// Under TLS both sides insist on the protocol `h2` (ALPN); a server also takes a client that offers
    /// no protocols at all.
    ///
    /// - Returns: What to wait for, or that the connection is established.
    /// - Throws: ``NetIOError``; the connection is then of no more use.
    public func advanceHandshake() throws(NetIOError) -> HandshakeProgress {
        if phase == .connecting {
            guard try finishConnect() else { return .wantsWrite }
            phase = ssl == nil ? .established : .tlsHandshake
        }
        switch phase {
        case .established: return .established
        case .tlsHandshake: return try advanceTLS()
        case .connecting, .closed: throw .closed
        }
    }

    /// The negotiated protocol, `TLSv1.3` for instance; nil for a plain or unfinished connection.
    public var tlsVersion: String? {
        guard phase == .established, let ssl, let text = SSL_get_version(ssl) else { return nil }
        return String(cString: text)
    }

    /// The negotiated cipher suite; nil for a plain or unfinished connection.
    public var tlsCipher: String? {
        guard phase == .established, let ssl, let cipher = SSL_get_current_cipher(ssl),
            let text = SSL_CIPHER_get_name(cipher)
        else { return nil }
        return String(cString: text)
    }

    /// The peer's own certificate; nil where it gave none.
    public var peerCertificate: PeerCertificate? {
        guard phase == .established, let ssl, let certificate = SSL_get0_peer_certificate(ssl)
        else { return nil }
        return PeerCertificate(certificate, verifyResult: SSL_get_verify_result(ssl))
    }

    /// The error for a connect that failed with `number`.
    func connectFailure(_ number: CInt) -> NetIOError {
        number == ECONNREFUSED
            ? .connectionRefused(address: "\(peerAddress)")
            : .cannotConnect(address: "\(peerAddress)", errno: number)
    }

    /// The error for a broken socket.
    @inline(never)
    func brokenSocket() -> NetIOError {
        .connectionBroken(address: "\(peerAddress)", errno: socket.pointee.error)
    }

    /// Whether the TCP connection stands; false while it is under way.
    private func finishConnect() throws(NetIOError) -> Bool {
        var number: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else {
            throw .system(call: "getsockopt", errno: errno, purpose: "connect to \(peerAddress)")
        }
        guard number == 0 else { throw connectFailure(number) }
        // SO_ERROR is 0 as well while the connect is under way; only a peer's name tells.
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
        return status == 0
    }

    private func advanceTLS() throws(NetIOError) -> HandshakeProgress {
        guard let ssl else { throw .closed }
        socket.pointee.is_drained = false
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        if status == 1 {
            try checkProtocol(ssl)
            phase = .established
            return .established
        }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: throw .closedDuringHandshake(address: "\(peerAddress)")
        case SSL_ERROR_SYSCALL:
            throw socket.pointee.is_at_end
                ? .closedDuringHandshake(address: "\(peerAddress)") : brokenSocket()
        default: throw handshakeFailure(ssl)
        }
    }

    private func checkProtocol(_ ssl: OpaquePointer) throws(NetIOError) {
        var name: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        // Apple's servers take a client that offers nothing, and some of APNs' clients offer nothing;
        // one that offers other protocols alone was refused in the handshake.
        if isServer, length == 0 { return }
        guard length == 2, let name, name[0] == UInt8(ascii: "h"), name[1] == UInt8(ascii: "2")
        else { throw .noHTTP2(address: "\(peerAddress)") }
    }

    private func handshakeFailure(_ ssl: OpaquePointer) -> NetIOError {
        let code = ERR_peek_error()
        let detail = takeOpenSSLErrors()
        let address = "\(peerAddress)"
        switch cps_openssl_reason(code) {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            let result = SSL_get_verify_result(ssl)
            let reason = String(cString: X509_verify_cert_error_string(result))
            return .certificateRejected(
                address: address,
                name: expectedName ?? peerAddress.host,
                code: result,
                reason: reason
            )
        case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL:
            return .noHTTP2(address: address)
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST:
            return .noTLS(address: address)
        default:
            return .tls(address: address, detail: detail)
        }
    }
}
