import Foundation
import Glibc
import Synchronization

/// A server on loopback that is the test itself: mute, or with one answer for everybody.
final class ListeningSocket: Sendable {
    let port: Int
    private let descriptor: Int32
    private let received = Counter()

    private final class Counter: Sendable {
        let bytes = Atomic<Int>(0)
    }

    /// Bytes that have come so far, all connections together.
    var receivedBytes: Int { received.bytes.load(ordering: .relaxed) }

    /// An empty SETTINGS frame: how an HTTP/2 server begins.
    static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// Listens; each connection gets `greeting` and is read from, or gets `answer` and is half
    /// closed.
    init(answer: String? = nil, greeting: [UInt8] = []) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int32 in
                guard bind(descriptor, generic, length) == 0, listen(descriptor, 64) == 0 else {
                    return -1
                }
                return getsockname(descriptor, generic, &length)
            }
        }
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = Int(UInt16(bigEndian: address.sin_port))
        let received = received
        Thread.detachNewThread {
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { return }
                Thread.detachNewThread { Self.serve(peer, greeting, answer, received) }
            }
        }
    }

    private static func serve(
        _ peer: Int32,
        _ greeting: [UInt8],
        _ answer: String?,
        _ received: Counter
    ) {
        _ = send(peer, greeting, greeting.count, Int32(MSG_NOSIGNAL))
        if let answer {
            let bytes = Array(answer.utf8)
            _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(peer, Int32(SHUT_WR))
        }
        // Until the other side closes too: no reset meanwhile.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(peer, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received.bytes.add(count, ordering: .relaxed)
        }
        close(peer)
    }

    deinit {
        // Wakes the thread in accept, too.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}

/// Whether this machine has IPv6: containers often have none.
let hasIPv6: Bool = {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
        }
    }
}()

/// A port of 127.0.0.1 that was free a moment ago, for servers that cannot choose one themselves.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int32 in
            guard bind(descriptor, generic, length) == 0 else { return -1 }
            return getsockname(descriptor, generic, &length)
        }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return Int(UInt16(bigEndian: address.sin_port))
}
