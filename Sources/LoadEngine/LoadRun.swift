import HDRHistogram
import NetIO
public import PushCrypto
public import PushModel
public import PushPayload
import Synchronization

/// A run in progress: its threads, and the way to watch, stop and end it.
///
/// Made and joined by one thread; ``stop()`` and ``progress`` may be called by any.
public final class LoadRun: Sendable {
    /// A run's counters at a moment.
    public struct Progress: Sendable {
        /// Pushes sent so far.
        public var sent: Int
        /// Pushes answered so far.
        public var answered: Int
        /// Of those, pushes answered with another status than 200.
        public var rejected: Int
        /// Pushes that wait for their answer.
        public var inFlight: Int
        /// Connections that are there, ready or being made ready.
        public var connections: Int
        /// The pushes of the whole run; nil where the clock ends it.
        public var total: Int?
        /// Nanoseconds since the start.
        public var elapsedNanoseconds: UInt64
        /// 99th percentile of the service time in the last full second, in nanoseconds.
        public var p99: UInt64?
    }

    private let configuration: RunConfiguration
    private let fanOut: FanOut
    private let ledger: Ledger?
    private let keeper: JournalKeeper?
    private let stage: RenderStage
    private let series: SeriesCollector
    private let workers: [LoopWorker]
    private let start: MonotonicInstant
    private let cpuAtStart: UInt64
    private let preparation: RunReport.Preparation?
    private let wasStopped = Atomic<Bool>(false)

    /// Starts a run.
    ///
    /// - Parameters:
    ///   - payload: The compiled message, whose sizes have been checked for this audience.
    ///   - installs: The audience; not changed from now on.
    ///   - keys: The public keys that installs name; nil where none has one.
    ///   - preparation: The finished preparation of this run; nil to encrypt in the send.
    ///   - configuration: All else.
    /// - Throws: ``LoadError`` where nothing was started.
    public init(
        payload: CompiledPayload,
        installs: InstallTable,
        keys: PublicKeyStore? = nil,
        preparation: SecretPreparation? = nil,
        configuration: RunConfiguration
    ) throws(LoadError) {
        guard installs.count > configuration.shard.index else { throw .emptyAudience }
        self.configuration = configuration
        self.preparation = preparation?.finish()
        let fanOut = FanOut(
            installs: installs,
            payload: payload,
            keys: keys ?? PublicKeyStore(),
            prepared: preparation?.secrets,
            configuration: configuration
        )
        self.fanOut = fanOut
        let ledger = fanOut.total <= fanOut.audience ? Ledger(pushes: fanOut.total) : nil
        self.ledger = ledger
        if let journal = configuration.journal, let ledger {
            keeper = JournalKeeper(journal: journal, ledger: ledger, fanOut: fanOut)
        } else {
            keeper = nil
        }
        stage = try RenderStage(queues: configuration.renderQueues, fanOut: fanOut)
        series = SeriesCollector(loops: configuration.loops)
        cpuAtStart = ProcessUsage.current().cpuNanoseconds
        start = .now()
        var workers: [LoopWorker] = []
        for number in 0..<configuration.loops {
            do {
                workers.append(
                    try LoopWorker(
                        ClientLoop(
                            number: number,
                            configuration: configuration,
                            fanOut: fanOut,
                            ledger: ledger,
                            stage: stage,
                            series: series,
                            gauge: LoopGauge(),
                            start: start
                        ),
                        number: number
                    )
                )
            } catch {
                fanOut.stop()
                for worker in workers { worker.join() }
                throw error
            }
        }
        self.workers = workers
    }

    /// The counters now.
    public var progress: Progress {
        var progress = Progress(
            sent: 0,
            answered: 0,
            rejected: 0,
            inFlight: 0,
            connections: 0,
            total: fanOut.total == .max ? nil : fanOut.total,
            elapsedNanoseconds: MonotonicInstant.now().nanoseconds(since: start),
            p99: series.latest?.p99
        )
        for worker in workers {
            let reading = worker.gauge.reading
            progress.sent += reading.sent
            progress.answered += reading.answered
            progress.rejected += reading.rejected
            progress.inFlight += reading.inFlight
            progress.connections += reading.connections
        }
        return progress
    }

    /// The service times of all full seconds so far, warm-up included.
    ///
    /// - Parameter bounds: Upper bounds in nanoseconds, ascending.
    /// - Returns: How many times are not above each bound, to the two digits of the seconds'
    ///   histograms, with their sum and count.
    public func serviceTimes(upTo bounds: [UInt64]) -> ServiceTimes {
        series.serviceTimes(upTo: bounds)
    }

    /// Whether every loop has ended: ``finish()`` would not wait.
    public var isOver: Bool { workers.allSatisfy(\.isOver) }

    /// Asks for a polite end: nothing new is sent, the pushes in flight get a short while.
    public func stop() {
        wasStopped.store(true, ordering: .relaxed)
        fanOut.stop()
    }

    /// Waits for the end and merges what the loops measured.
    public func finish() -> RunReport {
        for worker in workers { worker.join() }
        keeper?.finish()
        let recorders = workers.map(\.loop.recorder)
        let first = recorders[0]
        for other in recorders.dropFirst() {
            first.response.add(other.response)
            first.service.add(other.service)
            first.lateness.add(other.lateness)
            first.makespan.add(other.makespan)
        }
        let account = makeAccount(recorders)
        let isOpenLoop = configuration.load != .closedLoop
        let lastAnswer = recorders.map(\.lastAnswer).max() ?? start
        let wall = max(1, lastAnswer.nanoseconds(since: start))
        let loopCPU = recorders.reduce(0) { $0 + $1.cpuNanoseconds }
        return RunReport(
            account: account,
            sendNanoseconds: wall,
            bodyBytes: recorders.reduce(0) { $0 + $1.bodyBytes },
            resent: recorders.reduce(0) { $0 + $1.resent },
            makespan: first.makespan,
            latency: RunReport.Latency(
                // In a closed loop a push is due when it is sent: one histogram serves for both.
                response: isOpenLoop ? first.response : first.service,
                service: first.service,
                lateness: first.lateness
            ),
            cost: RunReport.Cost(
                cpuNanoseconds: ProcessUsage.current().cpuNanoseconds &- cpuAtStart,
                renderNanoseconds: stage.cpuNanoseconds,
                loopNanoseconds: loopCPU,
                peakRSSBytes: ProcessUsage.current().peakRSSBytes
            ),
            connections: recorders.flatMap(\.connections),
            series: series.finish(),
            tlsVersion: recorders.lazy.compactMap(\.tlsVersion).first,
            wasBoundByClock: fanOut.total == .max,
            wasInterrupted: wasStopped.load(ordering: .relaxed),
            firstFailure: fanOut.failure ?? recorders.lazy.compactMap(\.firstFailure).first,
            renderWait: Double(recorders.map(\.starvedNanoseconds).max() ?? 0) / Double(wall),
            busiestLoop: Double(recorders.map(\.cpuNanoseconds).max() ?? 0) / Double(wall),
            preparation: preparation
        )
    }

    /// Adds up how the pushes ended, by the loops' counters and by the ledger.
    private func makeAccount(_ recorders: [LoopRecorder]) -> RunReport.Account {
        var account = RunReport.Account()
        var handedBack = 0
        var rejected = 0
        for recorder in recorders {
            account.accepted += recorder.accepted
            account.unknown += recorder.unknown
            account.duplicates += recorder.duplicates
            rejected += recorder.rejected
            handedBack += recorder.abandoned + recorder.refused + recorder.missedArrivals
            account.rejected.merge(recorder.reasons.counts, uniquingKeysWith: +)
        }
        if fanOut.total == .max {
            account.neverSent = handedBack
            account.audience =
                recorders.reduce(0) { $0 + $1.sent + $1.missedArrivals }
        } else {
            account.neverSent = handedBack + fanOut.notHandedOut
            account.audience = fanOut.total
        }
        if let ledger {
            // The second book: any difference is a push that was counted wrongly.
            account.duplicates +=
                abs(ledger.count(of: .accepted) - account.accepted)
                + abs(ledger.count(of: .rejected) - rejected)
                + abs(ledger.count(of: .unknown) - account.unknown)
        }
        return account
    }
}

/// A loop with its thread.
final class LoopWorker: @unchecked Sendable {
    // Safe to share: the loop is touched by its thread until `join` has returned, then by the joiner.

    let loop: ClientLoop
    let gauge: LoopGauge
    private let thread: LoopThread
    private let over: OverFlag

    private final class OverFlag: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    /// Carries the loop to its thread.
    private struct Handover: @unchecked Sendable {
        // Safe: the maker does not touch the loop until the thread has been joined.
        let loop: ClientLoop
    }

    init(_ loop: ClientLoop, number: Int) throws(LoadError) {
        self.loop = loop
        gauge = loop.gauge
        let over = OverFlag()
        self.over = over
        let handover = Handover(loop: loop)
        do {
            thread = try LoopThread(name: "push-loop-\(number)") {
                handover.loop.run()
                over.isOver.store(true, ordering: .releasing)
            }
        } catch { throw .setUp(error.description) }
    }

    /// Whether the loop has ended.
    var isOver: Bool { over.isOver.load(ordering: .acquiring) }

    /// Waits for the loop's end.
    func join() { thread.join() }
}
