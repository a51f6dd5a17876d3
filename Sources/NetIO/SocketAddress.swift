import CShims
import Glibc

/// An IPv4 or IPv6 address with a port.
public struct SocketAddress: Hashable, Sendable {
    enum Storage: Sendable {
        case v4(sockaddr_in)
        case v6(sockaddr_in6)
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// Copies the address at `pointer`; nil for other families than IPv4 and IPv6.
    init?(copying pointer: UnsafePointer<sockaddr>) {
        switch CInt(pointer.pointee.sa_family) {
        case AF_INET:
            storage = .v4(UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in.self))
        case AF_INET6:
            storage = .v6(UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self))
        default:
            return nil
        }
    }

    /// The port.
    public var port: UInt16 {
        switch storage {
        case .v4(let address): UInt16(bigEndian: address.sin_port)
        case .v6(let address): UInt16(bigEndian: address.sin6_port)
        }
    }

    /// The address without the port, in digits.
    public var host: String { numericText() ?? "?" }

    /// Whether this is an IPv6 address.
    public var isIPv6: Bool { family == AF_INET6 }

    var family: CInt {
        switch storage {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    /// Finds the addresses of `host`, in the order in which they should be tried.
    ///
    /// Blocks while the name service answers.
    ///
    /// - Parameters:
    ///   - host: A host name, an IPv4 address or an IPv6 address (in brackets or not).
    ///   - port: The port that the addresses get.
    /// - Returns: At least one address.
    /// - Throws: ``NetIOError/cannotResolve(host:reason:)``.
    public static func resolve(host: String, port: UInt16) throws(NetIOError) -> [SocketAddress] {
        try resolve(host: host, port: port, isPassive: false)
    }

    static func resolve(
        host: String,
        port: UInt16,
        isPassive: Bool
    ) throws(NetIOError) -> [SocketAddress] {
        let name = bareHost(host)
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw .cannotResolve(host: host, reason: "it is not a host name or address")
        }
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = isPassive ? AI_PASSIVE : 0
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, String(port), &hints, &list)
        guard status == 0 else {
            let reason =
                status == EAI_SYSTEM ? errnoText(errno) : String(cString: gai_strerror(status))
            throw .cannotResolve(host: host, reason: reason)
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next {
            next = info.pointee.ai_next
            guard let raw = info.pointee.ai_addr, let address = SocketAddress(copying: raw) else {
                continue
            }
            if !addresses.contains(address) { addresses.append(address) }
        }
        guard !addresses.isEmpty else {
            throw .cannotResolve(host: host, reason: "it has no IPv4 or IPv6 address")
        }
        return addresses
    }

    /// Calls `body` with the address as the system calls take it.
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        switch storage {
        case .v4(let address):
            withUnsafeBytes(of: address) { bytes in
                Self.withSockaddr(at: bytes, body)
            }
        case .v6(let address):
            withUnsafeBytes(of: address) { bytes in
                Self.withSockaddr(at: bytes, body)
            }
        }
    }

    private static func withSockaddr<R>(
        at bytes: UnsafeRawBufferPointer,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        guard let start = bytes.baseAddress else { preconditionFailure("an address has bytes") }
        return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }

    private func numericText() -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            withSockaddr { address, length in
                let status = getnameinfo(
                    address,
                    length,
                    text.baseAddress,
                    socklen_t(text.count),
                    nil,
                    0,
                    NI_NUMERICHOST
                )
                guard status == 0, let start = text.baseAddress else { return nil }
                return String(cString: start)
            }
        }
    }

    /// Whether family, address, port and scope are the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.withSockaddr { first, firstLength in
            right.withSockaddr { second, secondLength in
                firstLength == secondLength && memcmp(first, second, Int(firstLength)) == 0
            }
        }
    }

    /// Feeds the address's bytes to `hasher`.
    public func hash(into hasher: inout Hasher) {
        withSockaddr { address, length in
            hasher.combine(bytes: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:443` or `[::1]:443`.
    public var description: String {
        isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// `host` as a certificate would hold it: no brackets, no zone of an IPv6 address, no final dot.
func certificateName(_ host: String) -> String {
    let name = bareHost(host)
    if name.contains(":") { return String(name.prefix { $0 != "%" }) }
    return name.hasSuffix(".") ? String(name.dropLast()) : name
}

/// `host` without the brackets that an IPv6 address has in a URL.
func bareHost(_ host: String) -> String {
    guard host.hasPrefix("["), host.hasSuffix("]") else { return host }
    return String(host.dropFirst().dropLast())
}
