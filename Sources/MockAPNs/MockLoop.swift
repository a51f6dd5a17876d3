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
    /// Connections that have come and are not served yet.
    var arrivals = TurnQueue<AcceptedConnection>()
    /// Connections whose next step of the TLS handshake has to wait for a later turn.
    var handshakes = TurnQueue<UInt64>()
    /// What this turn has done so far.
    var work = TurnWork()
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
    /// The slot that the announcement of a timed step goes on with; beyond the last where none is
    /// under way.
    var announcementSlot = Int.max
    /// The end of the last wait for a record's file: no peer is to blame for what was before.
    var waitedUntil = MonotonicInstant(nanoseconds: 0)
    /// Bytes of unfinished exchanges that the connections hold.
    var unfinishedBytes = 0
    let unfinishedByteLimit: Int
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
        unfinishedByteLimit = configuration.unfinishedBytesPerLoop
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
        while !isStopping || connections.count > 0 || !arrivals.isEmpty {
            guard turn() else { break }
        }
        while let accepted = arrivals.take() {
            accepted.connection.close()
            counters.add(.connectionsClosed)
        }
        for connection in connections.all { close(connection) }
        endRecordedTurn()
    }

    /// Waits for something to do and does it.
    ///
    /// Nothing here is proportional to the number of connections but what they ask for: what all of
    /// them need is done in slices, one a turn.
    ///
    /// - Returns: False where the poller is broken or draining took too long.
    func turn() -> Bool {
        guard let count = wait() else { return false }
        now = .now()
        unixSeconds = Int64(time(nil))
        work = TurnWork()
        let readyNow = ready.count
        for index in 0..<count { handle(poller.event(at: index)) }
        for index in 0..<readyNow { continueReading(ready[index]) }
        ready.removeFirst(readyNow)
        takeArrivals()
        takeHandshakeSteps()
        reachTimedSteps()
        runTimers()
        endRecordedTurn()
        sweep()
        // The sweep may have told some to go.
        runTimers()
        return true
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
        guard ready.isEmpty, arrivals.isEmpty, handshakes.isEmpty,
            announcementSlot >= connections.slotCount
        else { return 0 }
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
            if connection.phase == .silent {
                close(connection)
            } else if connection.transport.isEstablished {
                work.served += 1
                serve(connection)
            } else {
                shakeHands(connection)
            }
        }
    }

    private func continueReading(_ id: UInt64) {
        guard let connection = connections.connection(id) else { return }
        connection.isReady = false
        work.served += 1
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
        for accepted in mail.connections { arrivals.add(accepted) }
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

    /// Looks at all connections now and then for those that take too long; coarse on purpose.
    ///
    /// A few at a time, so that ten thousand of them do not hold up a turn.
    private func sweep() {
        acceptor?.resume(poller: poller, id: MockLoopLimits.listenerID, now: now)
        guard now >= nextSweep else { return }
        let end = min(sweepSlot + MockLoopLimits.slotsPerSweep, connections.slotCount)
        // Giving memory back takes longer than all the rest.
        while sweepSlot < end, work.trimmed == 0 {
            let connection = connections.connection(inSlot: sweepSlot)
            sweepSlot += 1
            guard let connection else { continue }
            work.checked += 1
            check(connection)
        }
        let isRound = sweepSlot >= connections.slotCount
        if isRound { sweepSlot = 0 }
        nextSweep = now.advanced(
            by: isRound ? sweepNanoseconds : MockLoopLimits.sweepPauseNanoseconds
        )
    }

    /// Ends a connection that takes too long.
    private func check(_ connection: MockConnection<Session>) {
        guard connection.phase != .silent, connection.phase != .lingering else { return }
        let age = now.nanoseconds(since: max(connection.lastActivity, waitedUntil))
        guard let session = connection.session else {
            guard connection.queuedAt == nil, age >= configuration.handshakeTimeoutNanoseconds
            else { return }
            counters.add(.handshakesTimedOut)
            close(connection)
            return
        }
        if session.trim() { work.trimmed += 1 }
        let isBlocked = connection.blockedOutput != nil || connection.phase == .parting
        let isWaiting = isBlocked || connection.phase == .leaving
        if !isWaiting, !session.isMidway { connection.lastProgress = now }
        // Answers that are due later are this side's doing.
        if connection.pendingAnswers > 0, !isBlocked { connection.lastProgress = now }
        let pause = now.nanoseconds(since: max(connection.lastProgress, waitedUntil))
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
    static let slotsPerSweep = 16
    static let sweepPauseNanoseconds: UInt64 = 1_000_000
    /// New connections that one turn takes on.
    static let arrivalsPerTurn = 16
    /// Connections that one turn looks at for settings to announce, where time brings others.
    static let slotsPerAnnouncement = 16
    /// Steps of TLS handshakes that one turn takes, besides one for so many connections that it served:
    /// one takes as long as hundreds of pushes.
    static let handshakeStepsPerTurn = 2
    static let servedPerHandshakeStep = 8
    /// How long a connection that was told to go may go on to send.
    static let lingerNanoseconds: UInt64 = 1_000_000_000
    static let lingerNanosecondsAtStop: UInt64 = 250_000_000
    /// Output buffers that are kept for the next blocked connection.
    static let spareOutputs = 4
}
