import Foundation
import NetIO
import Synchronization
import Testing

@testable import Metrics

@Suite(.timeLimit(.minutes(5)))
struct MetricsServerTests {
    private static let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func server(host: String = "127.0.0.1") throws -> MetricsServer {
        try MetricsServer(host: host, port: 0) {
            var text = MetricsText()
            text.add("x_total", .counter, "X.", 7)
            return text
        }
    }

    @Test func answersWithTheTextAndClosesTheConnection() throws {
        let server = try server()
        defer { server.stop() }
        for _ in 0..<3 {
            let answer = try Client(server).ask(Self.request)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\r\nContent-Type: \(MetricsText.contentType)\r\n"))
            let body = "# HELP x_total X.\n# TYPE x_total counter\nx_total 7\n"
            #expect(answer.contains("\r\nContent-Length: \(body.utf8.count)\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n\(body)"))
        }
    }

    @Test func aRequestMayComeByteByByte() throws {
        let server = try server()
        defer { server.stop() }
        let client = try Client(server)
        for byte in Self.request.utf8 { client.send([byte]) }
        #expect(client.readAll().hasSuffix("x_total 7\n"))
    }

    @Test func aPeerThatHasSentAllMayCloseItsSide() throws {
        let server = try server()
        defer { server.stop() }
        let client = try Client(server)
        client.send(Array(Self.request.utf8))
        client.closeSending()
        #expect(client.readAll().hasSuffix("x_total 7\n"))
    }

    @Test(arguments: [
        ("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK"),
        ("GET /other HTTP/1.1\r\nHost: a\r\n\r\n", "404 Not Found"),
        ("POST /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed"),
        ("rubbish\r\n\r\n", "400 Bad Request"),
    ])
    func otherRequestsGetTheirStatus(request: String, status: String) throws {
        let server = try server()
        defer { server.stop() }
        let answer = try Client(server).ask(request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
        #expect(answer.contains("\r\nAllow: GET, HEAD\r\n") == status.hasPrefix("405"))
        #expect(answer.hasPrefix("HTTP/1.1 200") == answer.hasSuffix("\r\n\r\n"))
    }

    @Test func aHeadWithoutEndIsCutOff() throws {
        let server = try server()
        defer { server.stop() }
        let client = try Client(server)
        client.send([UInt8](repeating: 0x61, count: 1 << 20))
        #expect(client.readAll().hasPrefix("HTTP/1.1 431 "))
    }

    /// Peers that say nothing hold all places: whoever asks next gets the oldest one's.
    @Test func silentPeersKeepNobodyOut() throws {
        let server = try server()
        defer { server.stop() }
        let silent = try (0..<3 * MetricsLoop.mostConnections).map { _ in try Client(server) }
        #expect(try Client(server).ask(Self.request).hasSuffix("x_total 7\n"))
        withExtendedLifetime(silent) {}
    }

    @Test func stopEndsTheServiceWhateverPeersDo() throws {
        // A host where nobody else takes the port when it is free again.
        let server = try server(host: "127.0.0.29")
        let silent = try Client(server)
        let slow = try Client(server)
        slow.send(Array("GET /metr".utf8))
        server.stop()
        server.stop()
        #expect(silent.readAll() == "")
        #expect(slow.readAll() == "")
        #expect(throws: Client.Failure.self) { try Client(server) }
    }

    @Test func aPortInUseIsAnErrorThatNamesIt() throws {
        let server = try server()
        defer { server.stop() }
        let port = server.address.port
        #expect(throws: NetIOError.portInUse(address: "127.0.0.1:\(port)")) {
            try MetricsServer(host: "127.0.0.1", port: port) { MetricsText() }
        }
    }

    @Test func theTextIsMadeAnewForEachRequest() throws {
        let calls = CallCount()
        let server = try MetricsServer(host: "localhost", port: 0) {
            var text = MetricsText()
            text.add("calls", .gauge, "Calls.", Double(calls.next()))
            return text
        }
        defer { server.stop() }
        #expect(try Client(server).ask(Self.request).hasSuffix("calls 1\n"))
        #expect(try Client(server).ask(Self.request).hasSuffix("calls 2\n"))
    }

    @Test func aBrokenPollerIsTold() async {
        await #expect(processExitsWith: .success) {
            let reports = Mutex<[String]>([])
            let server = try MetricsServer(
                host: "127.0.0.1",
                port: 0,
                report: { text in reports.withLock { $0.append(text) } },
                render: { MetricsText() }
            )
            // The one poller of this process that watches this server's listener.
            let folder = "/proc/self/fd"
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(folder)/\(name)"
                )
                guard target == "anon_inode:[eventpoll]", let poller = Int32(name) else { continue }
                let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
                guard dup2(nothing, poller) == poller else { exit(3) }
            }
            // The wait that is under way ends with this; the next one finds no poller.
            let client = try Client(server)
            while reports.withLock({ $0.isEmpty }) { sched_yield() }
            guard reports.withLock({ $0.count }) == 1,
                reports.withLock({ $0[0].contains("No more metrics") })
            else { exit(4) }
            server.stop()
            withExtendedLifetime(client) {}
            exit(EXIT_SUCCESS)
        }
    }

    private final class CallCount: Sendable {
        private let count = Atomic(0)
        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
}

/// A blocking socket, connected to a server.
private final class Client {
    struct Failure: Error {}

    private let descriptor: Int32

    init(_ server: MetricsServer) throws {
        let isIPv6 = server.address.isIPv6
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var status: Int32
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = server.address.port.bigEndian
            address.sin6_addr = in6addr_loopback
            status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = server.address.port.bigEndian
            address.sin_addr.s_addr = inet_addr(server.address.host)
            status = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        guard status == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Sends what the server takes.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What comes until the server closes.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
        }
    }

    func ask(_ request: String) -> String {
        send(Array(request.utf8))
        return readAll()
    }
}
