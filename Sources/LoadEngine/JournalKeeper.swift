import Dispatch

/// Writes the ends of pushes into a journal, a few times a second, by looking at the ledger.
///
/// It costs the loops nothing: they write the ledger anyway.
final class JournalKeeper: @unchecked Sendable {
    // Safe to share: all that changes is touched on the queue alone.

    private let journal: RunJournal
    private let ledger: Ledger
    private let refusals: RefusalLog
    private let fanOuts: [FanOut]
    // Not on the shared pool: it waits for the disk, which must keep no rendering waiting.
    private let queue = DispatchQueue(label: "pushbench.journal")
    private let timer: any DispatchSourceTimer
    /// Places below have been looked at.
    private var seenBefore = 0
    /// Those among them that had not ended: about as many as are in flight.
    private(set) var open: [Int] = []
    private var stillOpen: [Int] = []
    /// Whether a push was left to another run.
    private var hasDeferred = false
    private var looks = 0

    private static let milliseconds = 20
    private static let looksPerSync = 50

    init(journal: RunJournal, ledger: Ledger, refusals: RefusalLog, fanOuts: [FanOut]) {
        self.journal = journal
        self.ledger = ledger
        self.refusals = refusals
        self.fanOuts = fanOuts
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .milliseconds(Self.milliseconds),
            repeating: .milliseconds(Self.milliseconds),
            leeway: .milliseconds(5)
        )
        timer.setEventHandler { [weak self] in self?.look() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Writes all that has ended by now, to the disk: the loops have been joined.
    func finish() {
        timer.cancel()
        queue.sync {
            look()
            // What a loop knows nothing of by now has not been sent, or has been refused.
            if hasDeferred || !open.isEmpty || seenBefore < ledger.pushes {
                journal.noteCleanEnd()
            }
            journal.sync()
        }
        stopRunOnFailure()
    }

    private func look() {
        var runs: [(places: Range<Int>, end: PushEnd)] = []
        for refusal in refusals.takeAll() { Self.add(refusal.place, refusal.end, to: &runs) }
        stillOpen.removeAll(keepingCapacity: true)
        for place in open { note(place, in: &runs) }
        let end = fanOuts.reduce(0) { max($0, $1.handedOut) }
        for place in seenBefore..<max(seenBefore, end) { note(place, in: &runs) }
        seenBefore = max(seenBefore, end)
        swap(&open, &stillOpen)
        journal.append(runs)
        looks += 1
        if looks.isMultiple(of: Self.looksPerSync) { journal.sync() }
        stopRunOnFailure()
    }

    private func note(
        _ place: Int,
        in runs: inout [(places: Range<Int>, end: PushEnd)]
    ) {
        switch ledger.outcome(of: place) {
        case .neverSent: stillOpen.append(place)
        // It stays so: looked at again and again, many of them would cost more than the run.
        case .deferred: hasDeferred = true
        case .accepted: Self.add(place, .accepted, to: &runs)
        case .unknown: Self.add(place, .unknown, to: &runs)
        // Written down with its reason, from the log.
        case .rejected: break
        }
    }

    private static func add(
        _ place: Int,
        _ end: PushEnd,
        to runs: inout [(places: Range<Int>, end: PushEnd)]
    ) {
        if let last = runs.last, last.places.upperBound == place, last.end == end {
            runs[runs.count - 1].places = last.places.lowerBound..<place + 1
        } else {
            runs.append((place..<place + 1, end))
        }
    }

    private func stopRunOnFailure() {
        guard let failure = journal.failure else { return }
        for fanOut in fanOuts { fanOut.fail(failure.description) }
    }
}
