import HTTP2
public import NetIO
import Synchronization

/// A local APNs: listens, decides by ``APNsRules``, answers, counts.
///
/// Its loops run on threads of their own until ``stop()``; may be used by any thread.
public final class MockServer: Sendable {
    /// The address that is listened on.
    public let host: String
    /// The port that is listened on, also where 0 was asked for.
    public let port: UInt16
    /// The certificate that clients have to trust, in PEM; nil without TLS.
    public let certificatePEM: String?
    /// What was counted so far; goes on to be readable after the end.
    public let statistics: MockStatistics

    private let record: RequestRecord?
    private let mailboxes: [LoopMailbox]
    private let threads: Mutex<Threads>

    /// Unchecked: only ever touched under the lock that it lies in.
    private struct Threads: @unchecked Sendable {
        var running: [LoopThread]
    }

    /// Starts to listen and to serve.
    ///
    /// - Parameter configuration: How.
    /// - Throws: ``NetIOError`` where the port is taken, or the certificate or a file is unusable.
    public init(_ configuration: MockConfiguration) throws(NetIOError) {
        let identity = try Self.identity(for: configuration)
        var tls: TLSContext?
        if let identity {
            // A certificate that is not trusted is told as BadCertificate, which says more than an alert.
            tls = try .server(
                identity: identity,
                clientCAFile: configuration.clientCAFile,
                refusesUntrustedClients: false
            )
        }
        let count = max(1, configuration.loops)
        let statistics = MockStatistics(
            loops: count,
            reasons: configuration.rules.reasons,
            content: configuration.content,
            record: configuration.record
        )
        var mailboxes: [LoopMailbox] = []
        for _ in 0..<count { mailboxes.append(try LoopMailbox()) }
        let listener = try Listener(host: configuration.host, port: configuration.port)
        let acceptor = Acceptor(
            listener: listener,
            tls: tls,
            mailboxes: mailboxes,
            counters: statistics.blocks[0],
            report: configuration.report
        )
        let channels = ChannelRegistry()
        let personality = configuration.personality
        let plan = personality.isPassive ? nil : PersonalityPlan(personality)
        var loops: [any RunningLoop] = []
        for (index, mailbox) in mailboxes.enumerated() {
            loops.append(
                try Self.makeLoop(
                    index,
                    configuration,
                    statistics,
                    channels,
                    mailbox,
                    index == 0 ? acceptor : nil,
                    plan
                )
            )
        }
        host = listener.address.host
        port = listener.port
        certificatePEM = identity?.certificatePEM
        self.statistics = statistics
        record = configuration.record
        try record?.start()
        self.mailboxes = mailboxes
        threads = Mutex(Threads(running: try Self.start(loops, configuration, mailboxes)))
    }

    deinit { stop() }

    /// Says GOAWAY to every connection, waits until it is out, closes them and ends the loops.
    ///
    /// Returns when all threads have ended, at the latest after the configuration's drain timeout; a
    /// record is written to its end first, unless its file takes nothing for some seconds.
    /// Does nothing a second time.
    public func stop() {
        record?.letLoopsEnd()
        for mailbox in mailboxes { mailbox.stop() }
        threads.withLock { threads in
            for thread in threads.running { thread.join() }
            threads.running = []
        }
        record?.finish()
        // A loop may have ended before the last connection that was meant for it came.
        for (index, mailbox) in mailboxes.enumerated() {
            for accepted in mailbox.take().connections {
                accepted.connection.close()
                statistics.blocks[index].add(.connectionsClosed)
            }
        }
    }

    private static func identity(
        for configuration: MockConfiguration
    ) throws(NetIOError) -> TLSIdentity? {
        switch configuration.transport {
        case .plain: return nil
        case .tls(let identity?): return identity
        case .tls(nil):
            var names = configuration.certificateNames
            if !names.contains(configuration.host) { names.append(configuration.host) }
            return try .selfSigned(names: names)
        }
    }

    /// A loop whose connections run on the configuration's engine.
    private static func makeLoop(
        _ index: Int,
        _ configuration: MockConfiguration,
        _ statistics: MockStatistics,
        _ channels: ChannelRegistry,
        _ mailbox: LoopMailbox,
        _ acceptor: Acceptor?,
        _ plan: PersonalityPlan?
    ) throws(NetIOError) -> any RunningLoop {
        func make<Session: ServerSession>(
            _ makeSession: @escaping (SessionSettings) -> Session
        ) throws(NetIOError) -> any RunningLoop {
            try MockLoop(
                index: index,
                configuration: configuration,
                statistics: statistics,
                channels: channels,
                mailbox: mailbox,
                acceptor: acceptor,
                plan: plan,
                makeSession: makeSession
            )
        }
        switch configuration.engine {
        case .nghttp2: return try make { NGHTTP2ServerSession(settings: $0) }
        case .wire: return try make { WireServerSession(settings: $0) }
        }
    }

    /// Starts a thread for each loop; ends those that run already where one cannot be started.
    private static func start(
        _ loops: [any RunningLoop],
        _ configuration: MockConfiguration,
        _ mailboxes: [LoopMailbox]
    ) throws(NetIOError) -> [LoopThread] {
        var threads: [LoopThread] = []
        do throws(NetIOError) {
            for (index, loop) in loops.enumerated() {
                let cpus = configuration.cpus
                threads.append(
                    try LoopThread(
                        name: "mock-\(index)",
                        cpu: cpus.isEmpty ? nil : cpus[index % cpus.count]
                    ) { loop.run() }
                )
            }
            return threads
        } catch {
            for mailbox in mailboxes { mailbox.stop() }
            for thread in threads { thread.join() }
            throw error
        }
    }
}
