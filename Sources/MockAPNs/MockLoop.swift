import Glibc
import HTTP2
import NetIO
import PushBuffers
import PushModel

/// A loop that runs on a thread of its own, whatever its engine.
protocol RunningLoop: Sendable {
    /// Serves until its mailbox is told to stop, and drains then.
    func run()
}

/// One event loop of the mock: its connections, their sessions, their answers.
///
/// Generic over the session, so that the calls of the hot path are direct ones.
final class MockLoop<Session: ServerSession>: RunningLoop, @unchecked Sendable {
    // Unchecked: made by the starter, then touched by the thread that calls run() alone. What others
    // may touch, mailbox and counters, is Sendable of itself.

    let index: Int
    let configuration: MockConfiguration
    let rules: APNsRules
    let statistics: MockStatistics
    /// The channels for broadcasts, which all loops share.
    let channels: ChannelRegistry
    let counters: CounterBlock
    let mailbox: LoopMailbox
    let poller: Poller
    let makeSession: (SessionSettings) -> Session
    /// Looks into bodies; nil where that was not asked for.
    let inspector: ContentInspector?
    /// The personality; nil where it has no part in the course of connections.
    let plan: PersonalityPlan?
    /// Writes requests down; nil where that was not asked for.
    let recorder: RequestRecorder?
    private let acceptor: Acceptor?

    var connections = ConnectionTable<Session>()
    /// Connections to be served without waiting: they had more to read than one turn takes.
    private var ready: [UInt64] = []
    var identifiers = UUIDGenerator()
    /// The turn's time on the monotonic clock.
    var now = MonotonicInstant.now()
    /// When the bytes were read that are being served, where answers take time.
    var arrivedAt = MonotonicInstant.now()
    /// The turn's time in seconds since the epoch.
    var unixSeconds: Int64 = 0
    let readBuffer = IOBuffer(capacity: MockLoopLimits.readBufferBytes)
    /// Output buffers that no blocked connection holds.
    var spareOutputs: [IOBuffer] = []
    /// What waits for its time.
    var timers = TimerHeap()
    /// Answers among them whose connection is gone.
    var droppedTimers = 0
    /// Connections to be written to at the end of the turn.
    var touched: [MockConnection<Session>] = []
    /// When the mock's first push came, in nanoseconds; 0 while this loop does not know.
    var firstPush: UInt64 = 0
    /// The first of the plan's timed steps that has not happened.
    var nextTimedStep = 0
    /// Bytes of unfinished bodies that the connections hold.
    var unfinishedBytes = 0
    private(set) var isStopping = false
    private var nextSweep: MonotonicInstant
    /// The slot that the sweep goes on with.
    private var sweepSlot = 0
    private var drainEnds = MonotonicInstant(nanoseconds: .max)

    init(
        index: Int,
        configuration: MockConfiguration,
        statistics: MockStatistics,
        channels: ChannelRegistry,
        mailbox: LoopMailbox,
        acceptor: Acceptor?,
        plan: PersonalityPlan? = nil,
        makeSession: @escaping (SessionSettings) -> Session
    ) throws(NetIOError) {
        self.index = index
        self.configuration = configuration
        rules = configuration.rules
        self.statistics = statistics
        self.channels = channels
        let counters = statistics.blocks[index]
        self.counters = counters
        inspector = configuration.content.map { ContentInspector($0, counters: counters) }
        recorder = configuration.record.map {
            RequestRecorder($0, rules: configuration.rules)
        }
        self.mailbox = mailbox
        self.acceptor = acceptor
        self.plan = plan
        self.makeSession = makeSession
        nextSweep = now
        poller = try Poller()
        try poller.add(
            descriptor: mailbox.wakeUp.descriptor,
            id: MockLoopLimits.wakeUpID,
            interest: .read
        )
        try acceptor?.watch(with: poller, id: MockLoopLimits.listenerID)
    }

    func run() {
        counters.threadTime.threadDidStart()
        defer { counters.threadTime.threadWillEnd() }
        while !isStopping || connections.count > 0 {
            guard let count = wait() else { break }
            now = .now()
            unixSeconds = Int64(time(nil))
            let readyNow = ready
            ready.removeAll(keepingCapacity: true)
            for index in 0..<count { handle(poller.event(at: index)) }
            for id in readyNow { continueReading(id) }
            reachTimedSteps()
            runTimers()
            endRecordedTurn()
            sweep()
            // The sweep may have told some to go.
            runTimers()
        }
        for connection in connections.all { close(connection) }
        endRecordedTurn()
    }

    /// Waits for events; nil where the poller is broken or draining took too long.
    private func wait() -> Int? {
        if isStopping, now >= drainEnds { return nil }
        do throws(NetIOError) {
            return try poller.wait(timeoutNanoseconds: waitNanoseconds())
        } catch {
            configuration.report("The mock's loop \(index) ends: \(error)")
            return nil
        }
    }

    private func waitNanoseconds() -> UInt64? {
        guard ready.isEmpty else { return 0 }
        var wakesAt: MonotonicInstant?
        if connections.count > 0 { wakesAt = nextSweep }
        if let resumesAt = acceptor?.resumesAt { wakesAt = min(wakesAt ?? resumesAt, resumesAt) }
        if isStopping { wakesAt = min(wakesAt ?? drainEnds, drainEnds) }
        if let due = timers.nextDue {
            let dueAt = MonotonicInstant(nanoseconds: due)
            wakesAt = min(wakesAt ?? dueAt, dueAt)
        }
        if let dueAt = nextTimedStepDue { wakesAt = min(wakesAt ?? dueAt, dueAt) }
        return wakesAt?.nanoseconds(since: .now())
    }

    private func handle(_ event: PollEvent) {
        switch event.id {
        case MockLoopLimits.wakeUpID: readMailbox()
        case MockLoopLimits.listenerID: acceptor?.accept(poller: poller, now: now)
        default:
            guard let connection = connections.connection(event.id) else { return }
            // All that a silent one is waited for is that the peer gives up.
            if connection.phase == .silent { close(connection) } else { serve(connection) }
        }
    }

    private func continueReading(_ id: UInt64) {
        guard let connection = connections.connection(id) else { return }
        connection.isReady = false
        serve(connection)
    }

    /// Has `connection` served again in the next turn, whether its socket is readable or not.
    func serveAgain(_ connection: MockConnection<Session>) {
        guard !connection.isReady else { return }
        connection.isReady = true
        ready.append(connection.id)
    }

    private func readMailbox() {
        let mail = mailbox.take()
        for accepted in mail.connections { add(accepted.connection) }
        guard mail.isStopping, !isStopping else { return }
        isStopping = true
        drainEnds = now.advanced(by: configuration.drainTimeoutNanoseconds)
        acceptor?.stop(poller: poller)
        for connection in connections.all {
            if connection.phase == .silent {
                close(connection)
                continue
            }
            // What has come already is answered before the goodbye.
            serve(connection)
            farewell(connection, reason: ReasonCode(.shutdown))
        }
    }

    private func add(_ transport: Connection) {
        let connection = connections.insert {
            MockConnection(id: $0, transport: transport, interest: .read, now: now)
        }
        connection.number = configuration.record?.nextConnectionNumber() ?? 0
        do throws(NetIOError) {
            try poller.add(
                descriptor: transport.descriptor,
                id: connection.id,
                interest: connection.interest
            )
        } catch {
            configuration.report("A connection cannot be served: \(error)")
            close(connection)
            return
        }
        serve(connection)
        if isStopping { farewell(connection, reason: ReasonCode(.shutdown)) }
    }

    /// Looks at all connections now and then for those that take too long; coarse on purpose.
    ///
    /// A few at a time, so that ten thousand of them do not hold up a turn.
    private func sweep() {
        if let resumesAt = acceptor?.resumesAt, now >= resumesAt {
            do throws(NetIOError) {
                try acceptor?.watch(with: poller, id: MockLoopLimits.listenerID)
            } catch {
                configuration.report("The mock accepts no more connections: \(error)")
            }
        }
        guard now >= nextSweep else { return }
        let end = min(sweepSlot + MockLoopLimits.slotsPerSweep, connections.slotCount)
        for slot in sweepSlot..<max(sweepSlot, end) {
            if let connection = connections.connection(inSlot: slot) { check(connection) }
        }
        let isRound = end >= connections.slotCount
        sweepSlot = isRound ? 0 : end
        nextSweep = now.advanced(
            by: isRound ? sweepNanoseconds : MockLoopLimits.sweepPauseNanoseconds
        )
    }

    /// Ends a connection that takes too long.
    private func check(_ connection: MockConnection<Session>) {
        guard connection.phase != .silent, connection.phase != .lingering else { return }
        let age = now.nanoseconds(since: connection.lastActivity)
        guard let session = connection.session else {
            guard age >= configuration.handshakeTimeoutNanoseconds else { return }
            counters.add(.handshakesTimedOut)
            close(connection)
            return
        }
        let isBlocked = connection.blockedOutput != nil || connection.phase == .parting
        let isWaiting = isBlocked || connection.phase == .leaving
        if !isWaiting, !session.isMidway { connection.lastProgress = now }
        // Answers that are due later are this side's doing.
        if connection.pendingAnswers > 0, !isBlocked { connection.lastProgress = now }
        let pause = now.nanoseconds(since: connection.lastProgress)
        if pause >= configuration.requestTimeoutNanoseconds {
            counters.add(.connectionsStalled)
            // A goodbye would only wait as well where the peer does not read, or was given one.
            if isWaiting { close(connection) } else { farewell(connection, isAbrupt: true) }
        } else if connection.pendingAnswers == 0, let limit = configuration.idleTimeoutNanoseconds,
            age >= limit
        {
            guard connection.phase == .serving else { return }
            counters.add(.connectionsIdledOut)
            farewell(connection, reason: ReasonCode(.idleTimeout))
        }
    }

    /// Counts the streams that were refused, and what a connection holds of unfinished bodies; over
    /// the limit, the one that holds most has to go.
    @inline(__always)
    func noteReceived(_ connection: MockConnection<Session>, _ session: Session) {
        let refused = session.refusedStreamCount
        if refused != connection.refusedStreams {
            counters.add(.streamsOverLimit, UInt64(refused - connection.refusedStreams))
            connection.refusedStreams = refused
        }
        let bytes = session.unfinishedByteCount
        guard bytes != connection.unfinishedBytes else { return }
        unfinishedBytes += bytes - connection.unfinishedBytes
        connection.unfinishedBytes = bytes
        if unfinishedBytes > configuration.unfinishedByteLimit { endLargestHoarder() }
    }

    @inline(never)
    private func endLargestHoarder() {
        let hoarder = connections.all.max { $0.unfinishedBytes < $1.unfinishedBytes }
        guard let hoarder, let session = hoarder.session else { return }
        counters.add(.connectionsHoarding)
        unfinishedBytes -= hoarder.unfinishedBytes
        hoarder.unfinishedBytes = 0
        session.goAway(errorCode: .enhanceYourCalm, lastStreamID: nil, debugData: [])
        hoarder.phase = .parting
        touch(hoarder)
    }

    /// Half of the shortest limit, at most a second.
    private var sweepNanoseconds: UInt64 {
        let shortest = min(
            configuration.handshakeTimeoutNanoseconds,
            configuration.requestTimeoutNanoseconds,
            configuration.idleTimeoutNanoseconds ?? .max
        )
        return min(1_000_000_000, max(1_000_000, shortest / 2))
    }
}

/// Constants of the loops.
enum MockLoopLimits {
    /// The poller's id of the wake-up.
    static let wakeUpID = UInt64.max
    /// The poller's id of the listener.
    static let listenerID = UInt64.max - 1
    static let readBufferBytes = 1 << 16
    /// Four full TLS records.
    static let outputBufferBytes = 1 << 16
    /// After so many bytes of one connection the others get their turn.
    static let readBytesPerTurn = 1 << 18
    /// Connections that one step of a sweep looks at, and the pause until the next step.
    static let slotsPerSweep = 128
    static let sweepPauseNanoseconds: UInt64 = 1_000_000
    /// How long a connection that was told to go may go on to send.
    static let lingerNanoseconds: UInt64 = 1_000_000_000
    static let lingerNanosecondsAtStop: UInt64 = 250_000_000
    /// Output buffers that are kept for the next blocked connection.
    static let spareOutputs = 4
}
