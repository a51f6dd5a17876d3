import HDRHistogram
import NetIO
import PushBuffers
import PushModel
import Synchronization

/// One event-loop thread: its lanes, its share of the fan-out, its measurements.
///
/// All state is touched by the thread that calls ``run()`` alone; ``gauge`` may be read by others.
final class ClientLoop {
    /// What all loops of a run share of one environment.
    struct Share {
        let endpoint: RunConfiguration.Endpoint
        let fanOut: FanOut
        let stage: RenderStage
    }

    private let number: Int
    let gauge: LoopGauge
    let recorder: LoopRecorder

    let configuration: RunConfiguration
    let ledger: Ledger?
    /// Where a journal's keeper finds the reasons of refusals; nil without a journal.
    let refusals: RefusalLog?
    let lanes: [Lane]
    let poller: Poller
    let doorbell: Doorbell
    let series: SeriesCollector
    let start: MonotonicInstant
    let isOpenLoop: Bool
    /// Pushes due before are left out of the histograms.
    let measureFrom: MonotonicInstant
    /// When the goal's duration is over.
    let end: MonotonicInstant?
    let readBuffer = IOBuffer(capacity: 1 << 16)
    /// Makes the ids of pushes, where each has its own.
    let pushIDs: PushIDMaker?

    var nextConnectionID: UInt64 = 0
    var interval = IntervalRecorder()
    /// For the pauses before what is tried again.
    var generator: SplitMix64
    /// The tags of the chunk that is being submitted.
    let chunkTags: UnsafeMutablePointer<UInt32>
    /// For the bodies of pushes that go out again.
    let scratch: UnsafeMutableRawBufferPointer
    /// For the id of the push that is being submitted.
    let idBytes: UnsafeMutableRawBufferPointer
    /// The duration is over for this loop; the others look at the clock themselves.
    private var isPastEnd = false
    private var nextHousekeeping: MonotonicInstant

    /// Pushes handed to a session between two writes at most: what a wake-up allows goes out in one
    /// write as a rule, since each write may wake the target.
    static let chunk = 256
    private static let housekeepingNanoseconds: UInt64 = 20_000_000
    private static let wakeUpID = UInt64.max

    init(
        number: Int,
        configuration: RunConfiguration,
        shares: [Share],
        ledger: Ledger?,
        refusals: RefusalLog? = nil,
        series: SeriesCollector,
        gauge: LoopGauge,
        start: MonotonicInstant
    ) throws(LoadError) {
        self.number = number
        self.configuration = configuration
        self.ledger = ledger
        self.refusals = refusals
        self.series = series
        self.gauge = gauge
        self.start = start
        let doorbell: Doorbell
        do {
            recorder = try LoopRecorder(installs: shares.first?.fanOut.installs.count ?? 0)
        } catch { throw .setUp(error.description) }
        do {
            poller = try Poller()
            doorbell = try Doorbell()
            try poller.add(
                descriptor: doorbell.wakeUp.descriptor,
                id: Self.wakeUpID,
                interest: .read
            )
        } catch { throw .setUp(error.description) }
        self.doorbell = doorbell
        var lanes: [Lane] = []
        for share in shares {
            lanes.append(
                try Lane(
                    number: lanes.count,
                    loop: number,
                    endpoint: share.endpoint,
                    configuration: configuration,
                    fanOut: share.fanOut,
                    stage: share.stage,
                    doorbell: doorbell,
                    start: start
                )
            )
        }
        self.lanes = lanes
        generator = SplitMix64(seed: configuration.seed &+ 0xBACC_0FF &* UInt64(number + 1))
        pushIDs =
            configuration.retries.resendsUnknown ? PushIDMaker(runID: configuration.runID) : nil
        measureFrom = start.advanced(by: configuration.warmUpNanoseconds)
        nextHousekeeping = start
        let widest = lanes.map(\.fanOut.bytesPerPush).max() ?? 0
        scratch = .allocate(byteCount: max(64, widest), alignment: 16)
        idBytes = .allocate(byteCount: 64, alignment: 16)
        chunkTags = .allocate(capacity: Self.chunk)
        if case .duration(let nanoseconds) = configuration.goal {
            end = start.advanced(by: nanoseconds)
        } else {
            end = nil
        }
        isOpenLoop = configuration.load != .closedLoop
    }

    deinit {
        scratch.deallocate()
        idBytes.deallocate()
        chunkTags.deallocate()
    }

    /// Whether nothing new is sent in a lane.
    func isStopping(_ lane: Lane) -> Bool { isPastEnd || lane.fanOut.isStopped }

    /// Sends until the goal is reached, the run is stopped, or no connection can be had.
    func run() {
        var now = start
        while true {
            forEachLane { lane in
                lane.ring.refill()
                maintainConnections(of: lane, now: now)
            }
            if isFinished(now: now) { break }
            wait(now: now)
            now = .now()
            // A push that became due while the loop slept is not missed for that.
            if isOpenLoop { submitDue(now: now) }
            if let end, now >= end { isPastEnd = true }
            if !isOpenLoop { submitDue(now: now) }
            if now >= nextHousekeeping { housekeeping(now: now) }
        }
        finish(now: .now())
    }

    private func submitDue(now: MonotonicInstant) {
        forEachLane { submitDue(in: $0, now: now) }
    }

    /// Calls `body` with each lane that has not ended: at each turn of the loop, so without an
    /// iterator, which allocates where it is not optimised.
    private func forEachLane(_ body: (Lane) -> Void) {
        var position = 0
        while position < lanes.count {
            let lane = lanes[position]
            if !lane.isOver { body(lane) }
            position += 1
        }
    }

    // MARK: - Waiting

    private func wait(now: MonotonicInstant) {
        let timeout = sleepNanoseconds(now: now)
        guard timeout > 0 else { return waitForEvents(timeout: 0) }
        var isStarved = false
        forEachLane { lane in
            if lane.ring.ready == nil, !lane.ring.isDrained,
                !isOpenLoop || lane.nextDue <= now, lane.pool.canSubmit
            {
                isStarved = true
            }
        }
        doorbell.await()
        // A slab that came since the last look must not be slept on: look again.
        waitForEvents(timeout: sleepNanoseconds(now: now))
        doorbell.disarm()
        if isStarved {
            recorder.starvedNanoseconds += MonotonicInstant.now().nanoseconds(since: now)
        }
    }

    private func waitForEvents(timeout: UInt64) {
        let count: Int
        do {
            count = try poller.wait(timeoutNanoseconds: timeout)
        } catch {
            note(failure: error.description)
            for lane in lanes { lane.fanOut.stop() }
            return
        }
        for index in 0..<count {
            let event = poller.event(at: index)
            if event.id == Self.wakeUpID {
                doorbell.wakeUp.drain()
            } else if let connection = connection(id: event.id) {
                handle(event, on: connection)
            }
        }
        forEachLane { lane in lane.pool.forEachWithMoreToRead { read($0) } }
    }

    private func connection(id: UInt64) -> ClientConnection? {
        var found: ClientConnection?
        forEachLane { found = found ?? $0.pool.connection(id: id) }
        return found
    }

    private func sleepNanoseconds(now: MonotonicInstant) -> UInt64 {
        var timeout = nextHousekeeping.nanoseconds(since: now)
        forEachLane { lane in
            if lane.pool.hasMoreToRead { timeout = 0 }
            guard timeout > 0, !isStopping(lane) else { return }
            if lane.pool.opensNotBefore > now {
                timeout = min(timeout, lane.pool.opensNotBefore.nanoseconds(since: now))
            }
            guard lane.pool.canSubmit, !awaitsToken(lane) else { return }
            if lane.ring.ready != nil, !lane.retries.isFull {
                timeout = min(timeout, isOpenLoop ? lane.nextDue.nanoseconds(since: now) : 0)
            }
            if let due = lane.retries.nextDue {
                timeout = min(timeout, due.nanoseconds(since: now))
            }
        }
        return timeout
    }

    // MARK: - The end

    private func isFinished(now: MonotonicInstant) -> Bool {
        var isFinished = true
        forEachLane { lane in
            if hasEnded(lane, now: now) {
                end(lane, now: now)
            } else {
                isFinished = false
            }
        }
        return isFinished
    }

    private func hasEnded(_ lane: Lane, now: MonotonicInstant) -> Bool {
        if lane.isGivenUp(now: now) { return true }
        if isStopping(lane) {
            let stopped = lane.stopSeenAt ?? now
            lane.stopSeenAt = stopped
            let patience =
                end.map { now >= $0 } == true
                ? configuration.timeouts.answer : configuration.timeouts.drain
            return lane.pool.inFlight == 0 || now.nanoseconds(since: stopped) > patience
        }
        return !lane.hasMoreToSend && lane.pool.inFlight == 0
    }

    /// Ends a lane: what it has not sent by now it never will.
    private func end(_ lane: Lane, now: MonotonicInstant) {
        lane.pool.closeAll { close($0, reason: $0.record.reason, now: now) }
        lane.isOver = true
        if let end, let pacer = lane.pacer, lane.nextDue < end {
            recorder.missedArrivals += 1 + pacer.count(before: end.nanoseconds(since: start))
        }
        while !lane.retries.isEmpty { giveUp(lane.retries.removeFirst()) }
        recorder.abandoned += end == nil ? lane.ring.unsentPushes : 0
    }

    private func finish(now: MonotonicInstant) {
        gauge.publish(recorder, inFlight: 0, connections: 0)
        publishInterval(now: now)
        series.leave(loop: number)
        recorder.cpuNanoseconds = LoopThread.threadCPUTimeNanoseconds()
        recorder.lastAnswer = max(recorder.lastAnswer, start)
    }

    private func housekeeping(now: MonotonicInstant) {
        nextHousekeeping = now.advanced(by: Self.housekeepingNanoseconds)
        gauge.publish(recorder, inFlight: inFlight, connections: connectionCount)
        if now.nanoseconds(since: start) / 1_000_000_000 > interval.second {
            publishInterval(now: now)
        }
        configuration.tokens?.renewIfDue()
        for lane in lanes where !lane.isOver { supervise(lane, now: now) }
    }

    private var inFlight: Int { lanes.reduce(0) { $0 + $1.pool.inFlight } }

    private var connectionCount: Int { lanes.reduce(0) { $0 + $1.pool.count } }

    private func publishInterval(now: MonotonicInstant) {
        interval.totals.inFlight = inFlight
        series.add(interval, of: number)
        interval.begin(second: now.nanoseconds(since: start) / 1_000_000_000)
    }

    /// Keeps the first failure for the report.
    func note(failure: String) {
        if recorder.firstFailure == nil { recorder.firstFailure = failure }
    }
}
