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
        /// 99th percentile of the response time in the last full second, in nanoseconds.
        public var p99: UInt64?
    }

    private let configuration: RunConfiguration
    /// One of each environment that has a target of its own.
    private let shares: [ClientLoop.Share]
    private let total: Int
    /// How each push ended; nil where installs get several.
    let ledger: Ledger?
    private let keeper: JournalKeeper?
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
        let fanOuts = Self.environments(configuration).map { environment in
            FanOut(
                installs: installs,
                payload: payload,
                keys: keys ?? PublicKeyStore(),
                prepared: preparation?.secrets,
                configuration: configuration,
                environment: environment
            )
        }
        // An environment without installs needs no connection.
        let needed = fanOuts.filter { $0.roundSize > 0 }
        let shares = try needed.map { fanOut throws(LoadError) in
            ClientLoop.Share(
                endpoint: configuration.endpoint(for: fanOut.environment),
                fanOut: fanOut,
                stage: try RenderStage(queues: configuration.renderQueues, fanOut: fanOut)
            )
        }
        self.shares = shares
        let audience = fanOuts[0].audience
        total = fanOuts[0].total
        let ledger = total <= audience ? Ledger(pushes: total) : nil
        self.ledger = ledger
        let refusals: RefusalLog?
        if let journal = configuration.journal, let ledger {
            let log = RefusalLog()
            refusals = log
            keeper = JournalKeeper(
                journal: journal,
                ledger: ledger,
                refusals: log,
                fanOuts: needed
            )
        } else {
            refusals = nil
            keeper = nil
        }
        configuration.tokens?.renewIfDue()
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
                            shares: shares,
                            ledger: ledger,
                            refusals: refusals,
                            series: series,
                            gauge: LoopGauge(),
                            start: start
                        ),
                        number: number
                    )
                )
            } catch {
                for share in shares { share.fanOut.stop() }
                for worker in workers { worker.join() }
                throw error
            }
        }
        self.workers = workers
    }

    /// The environments that have a target of their own; nil stands for all.
    private static func environments(_ configuration: RunConfiguration) -> [APNsEnvironment?] {
        configuration.sandbox == nil ? [nil] : [.production, .sandbox]
    }

    /// The counters now.
    public var progress: Progress {
        var progress = Progress(
            sent: 0,
            answered: 0,
            rejected: 0,
            inFlight: 0,
            connections: 0,
            total: total == .max ? nil : total,
            elapsedNanoseconds: MonotonicInstant.now().nanoseconds(since: start),
            p99: series.latest?.response?.p99
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
        for share in shares { share.fanOut.stop() }
    }

    /// Waits for the end and merges what the loops measured.
    public func finish() -> RunReport {
        for worker in workers { worker.join() }
        keeper?.finish()
        let recorders = workers.map(\.loop.recorder)
        let first = recorders[0]
        // In a closed loop a push is due when it is first sent: only those that were sent again have
        // been recorded apart.
        if configuration.load == .closedLoop {
            for recorder in recorders { recorder.response.add(recorder.service) }
        }
        for recorder in recorders where recorder.hasRepeated {
            recorder.service.add(recorder.repeatedService)
        }
        for other in recorders.dropFirst() {
            first.response.add(other.response)
            first.service.add(other.service)
            first.lateness.add(other.lateness)
            first.makespan.add(other.makespan)
        }
        let connections = ConnectionLog(merging: recorders.map(\.connections))
        let account = makeAccount(recorders)
        let lastAnswer = recorders.map(\.lastAnswer).max() ?? start
        let wall = max(1, lastAnswer.nanoseconds(since: start))
        let loopCPU = recorders.reduce(0) { $0 + $1.cpuNanoseconds }
        return RunReport(
            account: account,
            sendNanoseconds: wall,
            bodyBytes: recorders.reduce(0) { $0 + $1.bodyBytes },
            resent: recorders.reduce(0) { $0 + $1.resent },
            retried: recorders.reduce(0) { $0 + $1.retried },
            retriedReasons: recorders.reduce(into: [:]) { sum, recorder in
                sum.merge(recorder.reasons.retryCounts, uniquingKeysWith: +)
            },
            rejectedTokens: Self.rejectedTokens(recorders),
            renewals: Self.renewals(
                at: (configuration.tokens?.renewals(since: start) ?? [])
                    .map { $0.nanoseconds(since: start) },
                series.finish()
            ),
            makespan: first.makespan,
            latency: RunReport.Latency(
                response: first.response,
                service: first.service,
                lateness: first.lateness
            ),
            cost: RunReport.Cost(
                cpuNanoseconds: ProcessUsage.current().cpuNanoseconds &- cpuAtStart,
                renderNanoseconds: shares.reduce(0) { $0 + $1.stage.cpuNanoseconds },
                loopNanoseconds: loopCPU,
                peakRSSBytes: ProcessUsage.current().peakRSSBytes
            ),
            connections: connections.detailed,
            moreConnections: connections.totals,
            series: series.finish(),
            tlsVersion: recorders.lazy.compactMap(\.tlsVersion).first,
            wasBoundByClock: total == .max,
            wasInterrupted: wasStopped.load(ordering: .relaxed),
            firstFailure: shares.lazy.compactMap(\.fanOut.failure).first
                ?? recorders.lazy.compactMap(\.firstFailure).first,
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
        if total == .max {
            account.neverSent = handedBack
            account.audience =
                recorders.reduce(0) { $0 + $1.sent + $1.missedArrivals }
        } else {
            account.neverSent = shares.reduce(handedBack) { $0 + $1.fanOut.notHandedOut }
            account.audience = total
        }
        if let ledger {
            // The second book: any difference is a push that was counted wrongly.
            account.duplicates +=
                abs(ledger.count(of: .accepted) - account.accepted)
                + abs(
                    ledger.count(of: .rejected) + ledger.count(of: .deferred) - rejected
                )
                + abs(ledger.count(of: .unknown) - account.unknown)
        }
        return account
    }
}
