import COpenSSL
import CShims
import Glibc

/// A non-blocking TCP connection, plain or under TLS; touched by its loop's thread alone.
///
/// First ``advanceHandshake()`` until it is established, whenever the poller reports what it waits
/// for; then read and write. Small writes go out at once (TCP_NODELAY).
public final class Connection {
    /// The most plaintext that one TLS record carries, in bytes; ``write(_:)`` takes no more at once
    /// under TLS.
    public static let recordCapacity = 16_384

    /// The peer's address.
    public let peerAddress: SocketAddress
    /// The shim's state; at a fixed address, since the TLS side points to it.
    let socket: UnsafeMutablePointer<cps_socket>
    /// The one owner of the TLS state; nil for a plain connection or once closed.
    var ssl: OpaquePointer?
    /// The name that the server's certificate must hold; nil on the server's side.
    let expectedName: String?
    let isServer: Bool
    var phase: Phase

    enum Phase {
        case connecting
        case tlsHandshake
        case established
        case closed
    }

    /// Takes over `descriptor`.
    init(
        descriptor: CInt,
        peerAddress: SocketAddress,
        isServer: Bool,
        tls: TLSContext?,
        serverName: String?
    ) throws(NetIOError) {
        socket = .allocate(capacity: 1)
        socket.initialize(to: cps_socket())
        socket.pointee.descriptor = descriptor
        self.peerAddress = peerAddress
        self.isServer = isServer
        expectedName = isServer ? nil : certificateName(serverName ?? peerAddress.host)
        phase = isServer ? (tls == nil ? .established : .tlsHandshake) : .connecting
        var on: CInt = 1
        _ = setsockopt(
            descriptor,
            CInt(IPPROTO_TCP),
            TCP_NODELAY,
            &on,
            socklen_t(MemoryLayout<CInt>.size)
        )
        guard let tls else { return }
        ssl = try tls.makeSession(over: socket, serverName: expectedName)
    }

    deinit {
        close()
        socket.deallocate()
    }

    /// The socket's descriptor, for the poller; -1 once closed.
    public var descriptor: CInt { socket.pointee.descriptor }

    /// Whether the handshake is done and the connection not closed.
    public var isEstablished: Bool { phase == .established }

    /// Bytes read from the socket so far, TLS and all.
    public var bytesReceived: UInt64 { socket.pointee.bytes_received }

    /// Bytes written to the socket so far, TLS and all.
    public var bytesSent: UInt64 { socket.pointee.bytes_sent }

    /// Starts a connection and does not wait for it: ``advanceHandshake()`` goes on.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - tls: The client context; nil for a plain connection.
    ///   - serverName: The host name or address that the certificate must hold; nil takes the
    ///     address. Names, not addresses, are also sent as SNI.
    /// - Returns: The connection, to be added to a poller with write interest.
    /// - Throws: ``NetIOError/connectionRefused(address:)`` and others, where the system knows at once.
    public static func connect(
        to address: SocketAddress,
        tls: TLSContext?,
        serverName: String?
    ) throws(NetIOError) -> Connection {
        let descriptor = cps_socket_open(address.family)
        guard descriptor >= 0 else {
            throw .opening(call: "socket", errno: errno, purpose: "open a connection to \(address)")
        }
        let connection = try Connection(
            descriptor: descriptor,
            peerAddress: address,
            isServer: false,
            tls: tls,
            serverName: serverName
        )
        let status = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        // An interrupted connect goes on in the background just as a pending one.
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw connection.connectFailure(errno)
        }
        return connection
    }

    /// Ends the connection at once; bytes that the socket has taken may still go out.
    ///
    /// Does nothing a second time.
    public func close() {
        guard phase != .closed else { return }
        phase = .closed
        if let ssl {
            SSL_free(ssl)
            self.ssl = nil
        }
        _ = Glibc.close(socket.pointee.descriptor)
        socket.pointee.descriptor = -1
    }

    /// Ends the connection with a TCP reset: the peer sees an error, and no bytes go out any more.
    public func closeWithReset() {
        guard phase != .closed else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &option,
            socklen_t(MemoryLayout<linger>.size)
        )
        close()
    }

    /// Ends this side's stream, under TLS after a goodbye, and leaves the peer's open.
    ///
    /// A connection that is closed while bytes of the peer are unread is reset, and what was sent last
    /// may never be read: to part well, flush, call this, read to the end of the stream, then close.
    public func shutdownWriting() {
        guard phase == .established else { return }
        shutdownTLS()
        _ = shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Says goodbye under TLS (close_notify), as far as the socket takes it; call before ``close()``.
    public func shutdownTLS() {
        guard phase == .established, let ssl else { return }
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }
}
