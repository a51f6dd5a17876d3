import CShims
import Glibc

/// A listening TCP socket; touched by one thread at a time.
public final class Listener {
    /// For the poller, with read interest.
    public let descriptor: CInt
    /// The address that is listened on, with the port that the system gave.
    public let address: SocketAddress

    /// The port, also where 0 was asked for.
    public var port: UInt16 { address.port }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - host: A host name or address of this machine; `0.0.0.0` or `::` for all.
    ///   - port: The port; 0 takes any free one.
    ///   - backlog: How many connections may wait to be accepted.
    /// - Throws: ``NetIOError/portInUse(address:)``, ``NetIOError/cannotListen(address:errno:)`` and
    ///   others.
    public init(host: String, port: UInt16, backlog: Int = 4096) throws(NetIOError) {
        let addresses = try SocketAddress.resolve(host: host, port: port, isPassive: true)
        let wanted = addresses[0]
        let descriptor = cps_socket_open(wanted.family)
        guard descriptor >= 0 else {
            throw .opening(call: "socket", errno: errno, purpose: "listen on \(wanted)")
        }
        do throws(NetIOError) {
            try Self.listen(descriptor, at: wanted, backlog: backlog)
            address = try Self.localAddress(of: descriptor)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child between fork and exec holds a copy, which would go on listening after the close.
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
        _ = Glibc.close(descriptor)
    }

    /// Takes the next waiting connection.
    ///
    /// - Parameter tls: The server context; nil for plain connections.
    /// - Returns: The connection, whose handshake is still to be done; nil when none waits.
    /// - Throws: ``NetIOError/tooManyOpenFiles(limit:)``: the connection keeps waiting, so the poller
    ///   reports it again and again until the listener is taken out; or another ``NetIOError``.
    public func accept(tls: TLSContext?) throws(NetIOError) -> Connection? {
        while true {
            let accepted = cps_socket_accept(descriptor)
            if accepted >= 0 {
                guard let peer = Self.peerAddress(of: accepted) else {
                    // It is gone already.
                    _ = Glibc.close(accepted)
                    continue
                }
                return try Connection(
                    descriptor: accepted,
                    peerAddress: peer,
                    isServer: true,
                    tls: tls,
                    serverName: nil
                )
            }
            switch errno {
            case EAGAIN: return nil
            // The first two concern this call alone; the others are errors of a connection that
            // died while it waited (accept(2)).
            case EINTR, ECONNABORTED, EPROTO, ENOPROTOOPT, ENETDOWN, EHOSTDOWN, ENONET,
                EHOSTUNREACH, ENETUNREACH, EOPNOTSUPP:
                continue
            default:
                throw .opening(
                    call: "accept4",
                    errno: errno,
                    purpose: "accept a connection on \(address)"
                )
            }
        }
    }

    private static func listen(
        _ descriptor: CInt,
        at address: SocketAddress,
        backlog: Int
    ) throws(NetIOError) {
        var on: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        // Connections of an earlier process that linger in TIME_WAIT must not hold the port.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        let bound = address.withSockaddr { bind(descriptor, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor, CInt(clamping: backlog)) == 0 else {
            throw errno == EADDRINUSE
                ? .portInUse(address: "\(address)")
                : .cannotListen(address: "\(address)", errno: errno)
        }
    }

    private static func localAddress(of descriptor: CInt) throws(NetIOError) -> SocketAddress {
        guard let address = address(of: descriptor, by: getsockname) else {
            throw .system(
                call: "getsockname",
                errno: errno,
                purpose: "read the address of a listener"
            )
        }
        return address
    }

    private static func peerAddress(of descriptor: CInt) -> SocketAddress? {
        address(of: descriptor, by: getpeername)
    }

    private static func address(
        of descriptor: CInt,
        by call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard call(descriptor, address, &length) == 0 else { return nil }
                return SocketAddress(copying: address)
            }
        }
    }
}
