import Foundation
import HTTP2
import NetIO
import Synchronization
import Testing

@testable import MockAPNs

/// File descriptors, output that nobody reads, and shortage.
///
/// Tests that count what a whole process has run in one of their own.
@Suite(.timeLimit(.minutes(5))) struct MockResourceTests {
    static func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test func leaksNoDescriptorWhateverBecomesOfConnections() async {
        await #expect(processExitsWith: .success) {
            // What opens once for the process, opens before the count.
            func round() throws {
                for transport in [MockConfiguration.Transport.plain, .tls(nil)] {
                    var configuration = MockConfiguration()
                    configuration.transport = transport
                    configuration.rules.authentication = .off
                    configuration.loops = 2
                    let server = try MockServer(configuration)
                    for number in 0..<100 {
                        let socket = try RawSocket(port: server.port)
                        if number % 3 == 0 { socket.send(Array("noise".utf8)) }
                        if number % 10 == 0 {
                            let client = try PushClient(server)
                            guard try client.push() == "200" else { exit(3) }
                            client.connection.closeWithReset()
                        }
                    }
                    server.stop()
                    let counts = server.statistics.counts()
                    guard counts.connectionsOpened == counts.connectionsClosed else { exit(4) }
                    guard counts.accepted == 10 else { exit(5) }
                }
            }
            try round()
            let before = try Self.openDescriptors()
            try round()
            // Dispatch may open some of its own meanwhile; a round has some 450.
            guard try Self.openDescriptors() <= before + 10 else { exit(6) }
            exit(EXIT_SUCCESS)
        }
    }

    @Test func waitsForDescriptorsInsteadOfSpinning() async {
        await #expect(processExitsWith: .success) {
            let reports = Mutex<[String]>([])
            var configuration = MockConfiguration()
            configuration.transport = .plain
            configuration.rules.authentication = .off
            configuration.report = { text in reports.withLock { $0.append(text) } }
            let server = try MockServer(configuration)
            let used = try Self.openDescriptors()
            var limit = rlimit(rlim_cur: rlim_t(used + 20), rlim_max: rlim_t(used + 20))
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                exit(3)
            }
            var sockets: [RawSocket] = []
            // Each connection takes two descriptors here; the last ones find none at the mock.
            while let socket = try? RawSocket(port: server.port) { sockets.append(socket) }
            while server.statistics.counts()[.acceptPauses] < 3 { usleep(1000) }
            // Pauses last a tenth of a second; a spinning loop would use its whole processor.
            let messages = reports.withLock { $0 }
            guard messages.count == 1, messages[0].contains("ulimit -n") else { exit(4) }
            let count = sockets.count
            sockets.removeAll()
            while server.statistics.counts().connectionsClosed < count { usleep(1000) }
            guard try PushClient(server).push() == "200" else { exit(5) }
            server.stop()
            exit(EXIT_SUCCESS)
        }
    }

    @Test func whereAcceptingCannotGoOnItRestsAgain() throws {
        let reports = Mutex<[String]>([])
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let poller = try Poller()
        let acceptor = Acceptor(
            listener: listener,
            tls: nil,
            mailboxes: [try LoopMailbox()],
            counters: MockStatistics(loops: 1, reasons: ReasonTable()).blocks[0],
            report: { text in reports.withLock { $0.append(text) } }
        )
        try acceptor.watch(with: poller, id: 1)
        var now = MonotonicInstant.now()
        acceptor.pause(
            poller: poller,
            now: now,
            cause: .portInUse(address: "127.0.0.1")
        )
        // Somebody else's registration is in the way.
        try poller.add(descriptor: listener.descriptor, id: 2, interest: .read)
        for _ in 0..<3 {
            now = try #require(acceptor.resumesAt)
            acceptor.resume(poller: poller, id: 1, now: now)
            #expect(try #require(acceptor.resumesAt) > now)
        }
        #expect(reports.withLock { $0.count } == 2)
        try poller.remove(descriptor: listener.descriptor)
        acceptor.resume(poller: poller, id: 1, now: now)
        #expect(acceptor.resumesAt != nil)
        acceptor.resume(poller: poller, id: 1, now: try #require(acceptor.resumesAt))
        #expect(acceptor.resumesAt == nil)
    }

    @Test func readsNoFurtherWhileItsOutputIsNotTaken() throws {
        let log = FloodLog()
        let statistics = MockStatistics(loops: 1, reasons: ReasonTable())
        let mailbox = try LoopMailbox()
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let port = listener.port
        var configuration = MockConfiguration()
        configuration.drainTimeoutNanoseconds = 10_000_000
        let loop = try MockLoop(
            index: 0,
            configuration: configuration,
            statistics: statistics,
            channels: ChannelRegistry(),
            mailbox: mailbox,
            acceptor: Acceptor(
                listener: listener,
                tls: nil,
                mailboxes: [mailbox],
                counters: statistics.blocks[0],
                report: { _ in }
            ),
            makeSession: { _ in FloodSession(log: log) }
        )
        let thread = try LoopThread(name: "flood") { loop.run() }
        let socket = try RawSocket(port: port)
        socket.send([1])
        // Some output has come, so the mock is writing; it cannot get rid of all of it.
        #expect(socket.read(1, count: 1) == 1)
        socket.send([2])
        #expect(socket.read(1, count: FloodSession.answerBytes - 1) == FloodSession.answerBytes - 1)
        #expect(socket.read(2, count: FloodSession.answerBytes) == FloodSession.answerBytes)
        #expect(log.pendingAtReceive.withLock { $0 } == [0, 0])
        // A peer that takes nothing does not keep the loop from ending.
        socket.send([3])
        #expect(socket.read(3, count: 1) == 1)
        mailbox.stop()
        thread.join()
        #expect(statistics.counts().connectionsClosed == 1)
        #expect(statistics.counts()[.bytesSent] < 3 * UInt64(FloodSession.answerBytes))
    }
}

/// What a ``FloodSession`` saw.
final class FloodLog: Sendable {
    /// Bytes still to be written when input came.
    let pendingAtReceive = Mutex<[Int]>([])
}

/// A session that answers each byte with many of the same.
final class FloodSession: ServerSession {
    /// More than two sockets' buffers hold.
    static let answerBytes = 64 << 20

    private let log: FloodLog
    private var byte: UInt8 = 0
    private var pending = 0

    init(log: FloodLog) { self.log = log }

    var state: SessionState { .open }
    var streamsInFlight: Int { 0 }
    var hasOutput: Bool { pending > 0 }
    var isMidway: Bool { false }
    var unfinishedByteCount: Int { 0 }
    var refusedStreamCount: Int { 0 }
    var outputByteCount: Int { pending }
    func trim() -> Bool { false }

    func receive(_ bytes: RawSpan) {
        log.pendingAtReceive.withLock { $0.append(pending) }
        byte = bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        pending += Self.answerBytes
    }

    func drain(into output: inout OutputRawSpan) {
        let count = min(pending, output.freeCapacity)
        output.append(repeating: byte, count: count, as: UInt8.self)
        pending -= count
    }

    func nextRequest() -> RequestHandle? { nil }

    func withRequest<R>(_ handle: RequestHandle, _ body: (borrowing RequestView) -> R) -> R {
        PushRequest().withView(body)
    }

    func dropBody(of handle: RequestHandle) {}
    func respond(to handle: RequestHandle, with response: borrowing ServerResponse) {}
    func reset(_ handle: RequestHandle, errorCode: HTTP2ErrorCode) {}
    func update(settings: SessionSettings) {}
    func goAway(errorCode: HTTP2ErrorCode, lastStreamID: UInt32?, debugData: [UInt8]) {}
    func ping(payload: UInt64) {}
}
