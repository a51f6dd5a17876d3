import HDRHistogram
import HTTP2
import NetIO
import PushBuffers
import PushCrypto
import PushModel
import PushPayload
import Synchronization

/// One event-loop thread: its connections, its share of the fan-out, its measurements.
///
/// All state is touched by the thread that calls ``run()`` alone; ``gauge`` may be read by others.
final class ClientLoop {
    private let number: Int
    let gauge: LoopGauge
    let recorder: LoopRecorder

    let configuration: RunConfiguration
    let fanOut: FanOut
    let ledger: Ledger?
    let poller: Poller
    let doorbell: Doorbell
    let ring: SlabRing
    let series: SeriesCollector
    let start: MonotonicInstant
    let isOpenLoop: Bool
    /// Pushes due before are left out of the histograms.
    let measureFrom: MonotonicInstant
    /// When the goal's duration is over.
    let end: MonotonicInstant?
    let readBuffer = IOBuffer(capacity: 1 << 16)

    var pool: ConnectionPool
    /// Pushes that were certainly not processed and go out again.
    var resends = ResendQueue()
    var resendsNotBefore = MonotonicInstant(nanoseconds: 0)
    var interval = IntervalRecorder()
    private var pacer: Pacer?
    private var nextDue: MonotonicInstant
    private var rotation = 0
    /// The tags of the chunk that is being submitted.
    private let chunkTags: UnsafeMutablePointer<UInt32>
    /// The duration is over for this loop; the others look at the clock themselves.
    private var isPastEnd = false
    private var stopSeenAt: MonotonicInstant?
    private var nextHousekeeping: MonotonicInstant
    /// For the pushes that go out again.
    private let renderer: PushRenderer
    private let scratch: UnsafeMutableRawBufferPointer

    /// Pushes handed to a session between two writes at most: what a wake-up allows goes out in one
    /// write as a rule, since each write may wake the target.
    private static let chunk = 256
    private static let housekeepingNanoseconds: UInt64 = 20_000_000
    private static let wakeUpID = UInt64.max
    /// Refusals after which a push is given up.
    static let refusalLimit: UInt8 = 16
    /// How long nothing is sent again after a push's first refusal; doubled with each further one.
    static let refusalPause: UInt64 = 1_000_000

    init(
        number: Int,
        configuration: RunConfiguration,
        fanOut: FanOut,
        ledger: Ledger?,
        stage: RenderStage,
        series: SeriesCollector,
        gauge: LoopGauge,
        start: MonotonicInstant
    ) throws(LoadError) {
        self.number = number
        self.configuration = configuration
        self.fanOut = fanOut
        self.ledger = ledger
        self.series = series
        self.gauge = gauge
        self.start = start
        do {
            recorder = try LoopRecorder()
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
        renderer = try PushRenderer(fanOut)
        ring = SlabRing(fanOut: fanOut, stage: stage, doorbell: doorbell)
        pool = ConnectionPool(
            wanted: configuration.connections / configuration.loops
                + (number < configuration.connections % configuration.loops ? 1 : 0),
            firstAddress: number,
            addresses: configuration.target.addresses.count
        )
        measureFrom = start.advanced(by: configuration.warmUpNanoseconds)
        nextHousekeeping = start
        nextDue = start
        scratch = .allocate(byteCount: max(64, fanOut.bytesPerPush), alignment: 16)
        chunkTags = .allocate(capacity: Self.chunk)
        if case .duration(let nanoseconds) = configuration.goal {
            end = start.advanced(by: nanoseconds)
        } else {
            end = nil
        }
        if case .openLoop(let rate, let arrivals) = configuration.load {
            var pacer = Pacer(
                rate: rate,
                arrivals: arrivals,
                seed: configuration.seed,
                loop: number,
                loops: configuration.loops
            )
            nextDue = start.advanced(by: pacer.next())
            self.pacer = pacer
            isOpenLoop = true
        } else {
            isOpenLoop = false
        }
    }

    deinit {
        scratch.deallocate()
        chunkTags.deallocate()
    }

    /// Whether nothing new is sent.
    var isStopping: Bool { isPastEnd || fanOut.isStopped }

    /// Whether pushes wait to be sent, or may come.
    var hasMoreToSend: Bool { !ring.isDrained || !resends.isEmpty }

    /// Sends until the goal is reached, the run is stopped, or no connection can be had.
    func run() {
        var now = start
        while true {
            ring.refill()
            maintainConnections(now: now)
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

    // MARK: - Waiting

    private func wait(now: MonotonicInstant) {
        let timeout = sleepNanoseconds(now: now)
        guard timeout > 0 else { return waitForEvents(timeout: 0) }
        let isStarved = ring.ready == nil && !ring.isDrained && isDue(now: now) && pool.canSubmit
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
            fanOut.stop()
            return
        }
        for index in 0..<count {
            let event = poller.event(at: index)
            if event.id == Self.wakeUpID {
                doorbell.wakeUp.drain()
            } else if let connection = pool.connection(id: event.id) {
                handle(event, on: connection)
            }
        }
        pool.forEachWithMoreToRead { read($0) }
    }

    private func sleepNanoseconds(now: MonotonicInstant) -> UInt64 {
        if pool.hasMoreToRead { return 0 }
        var timeout = nextHousekeeping.nanoseconds(since: now)
        guard !isStopping, pool.canSubmit else { return timeout }
        if ring.ready != nil { timeout = min(timeout, nextDue.nanoseconds(since: now)) }
        if !resends.isEmpty { timeout = min(timeout, resendsNotBefore.nanoseconds(since: now)) }
        return timeout
    }

    private func isDue(now: MonotonicInstant) -> Bool { !isOpenLoop || nextDue <= now }

    // MARK: - Sending

    private func submitDue(now: MonotonicInstant) {
        guard !isStopping, !resends.isEmpty || ring.ready != nil else { return }
        let count = pool.count
        guard count > 0 else { return }
        rotation = (rotation + 1) % count
        for offset in 0..<count {
            let position = (rotation + offset) % count
            // A write that fails takes its connection out of the pool.
            guard position < pool.count else { continue }
            let connection = pool[position]
            while connection.canSubmit {
                let submitted = submitChunk(on: connection)
                flush(connection)
                if submitted < Self.chunk { break }
            }
        }
    }

    /// Submits at most a chunk of pushes that are due, and stamps them just before their write.
    private func submitChunk(on connection: ClientConnection) -> Int {
        let now = MonotonicInstant.now()
        var count = 0
        while count < Self.chunk, connection.canSubmit {
            guard
                let tag = submitResend(on: connection, now: now)
                    ?? submitNext(on: connection, now: now)
            else { break }
            chunkTags[count] = tag
            count += 1
        }
        guard count > 0 else { return 0 }
        if connection.inFlight.count == count { connection.lastProgress = now }
        connection.inFlight.markSent(chunkTags, count: count, at: .now())
        return count
    }

    private func submitNext(
        on connection: ClientConnection,
        now: MonotonicInstant
    ) -> UInt32? {
        guard let slab = ring.ready, isDue(now: now), !isOver(nextDue) else { return nil }
        let intended = isOpenLoop ? nextDue : now
        let push = InFlightPush(
            sequence: slab.next,
            intended: intended,
            sent: now
        )
        guard let tag = connection.inFlight.insert(push) else { return nil }
        let (submitted, bytes) = slab.withPush(slab.next) { token, body in
            (connection.session.submit(token: token, body: body, tag: tag), body.byteCount)
        }
        guard submitted else {
            _ = connection.inFlight.remove(tag)
            return nil
        }
        slab.next += 1
        recorder.sent += 1
        recorder.bodyBytes += bytes
        interval.totals.sent += 1
        if slab.next == slab.sequences.upperBound {
            ring.retireHead()
            ring.refill()
        }
        if isOpenLoop, let offset = pacer?.next() { nextDue = start.advanced(by: offset) }
        return tag
    }

    /// Renders a refused push anew: so seldom that its slab need not be kept.
    private func submitResend(
        on connection: ClientConnection,
        now: MonotonicInstant
    ) -> UInt32? {
        guard let push = resends.first, now >= resendsNotBefore else { return nil }
        guard let tag = connection.inFlight.insert(push) else { return nil }
        let record = fanOut.installs.record(at: fanOut.order.installIndex(of: push.sequence))
        var output = OutputRawSpan(buffer: scratch, initializedCount: 0)
        do throws(CryptoError) {
            try renderer.render(record, sequence: push.sequence, into: &output)
        } catch {
            _ = connection.inFlight.remove(tag)
            fanOut.fail(error.description)
            return nil
        }
        let count = output.finalize(for: scratch)
        let body = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        guard connection.session.submit(token: record.token, body: body, tag: tag) else {
            _ = connection.inFlight.remove(tag)
            return nil
        }
        resends.removeFirst()
        recorder.resent += 1
        recorder.bodyBytes += count
        return tag
    }

    private func isOver(_ due: MonotonicInstant) -> Bool {
        guard isOpenLoop, let end else { return false }
        return due >= end
    }

    // MARK: - The end

    private func isFinished(now: MonotonicInstant) -> Bool {
        if pool.isGivenUp(now: now) { return true }
        if isStopping {
            let stopped = stopSeenAt ?? now
            stopSeenAt = stopped
            let patience =
                end.map { now >= $0 } == true
                ? configuration.timeouts.answer : configuration.timeouts.drain
            return pool.inFlight == 0 || now.nanoseconds(since: stopped) > patience
        }
        return !hasMoreToSend && pool.inFlight == 0
    }

    private func finish(now: MonotonicInstant) {
        pool.closeAll { close($0, reason: $0.record.reason, now: now) }
        gauge.publish(recorder, inFlight: 0, connections: 0)
        publishInterval(now: now)
        series.leave(loop: number)
        if let end, let pacer, nextDue < end {
            recorder.missedArrivals = 1 + pacer.count(before: end.nanoseconds(since: start))
        }
        recorder.abandoned = resends.count + (end == nil ? ring.unsentPushes : 0)
        recorder.cpuNanoseconds = LoopThread.threadCPUTimeNanoseconds()
        recorder.lastAnswer = max(recorder.lastAnswer, start)
    }

    private func housekeeping(now: MonotonicInstant) {
        nextHousekeeping = now.advanced(by: Self.housekeepingNanoseconds)
        gauge.publish(recorder, inFlight: pool.inFlight, connections: pool.count)
        if now.nanoseconds(since: start) / 1_000_000_000 > interval.second {
            publishInterval(now: now)
        }
        expire(now: now)
    }

    private func publishInterval(now: MonotonicInstant) {
        interval.totals.inFlight = pool.inFlight
        series.add(
            second: Int(interval.second),
            of: number,
            interval.totals,
            service: interval.service
        )
        interval.begin(second: now.nanoseconds(since: start) / 1_000_000_000)
    }

    /// Keeps the first failure for the report.
    func note(failure: String) {
        if recorder.firstFailure == nil { recorder.firstFailure = failure }
    }
}
