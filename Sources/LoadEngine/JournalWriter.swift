import NetIO
import Synchronization

/// Appends to a journal for the loops, which send, and for the keeper, which sees how pushes end.
///
/// May be used by several threads at once.
final class JournalWriter: Sendable {
    private let pending: PendingPushes
    /// Pushes at lower places may be sent.
    private let allowedBefore = Atomic<Int>(0)
    private let state: Mutex<State>

    private struct State {
        /// Nil once it was closed.
        var file: JournalFile?
        /// Pushes with lower numbers may have been sent, as the file says.
        var sentBefore: Int
        /// Whether some of them go out again and that has not been written down.
        var isInDoubt: Bool
        /// The ends of pushes that were written down.
        var settled = 0
        /// How many pushes more than asked for are allowed at a time.
        var surplus = 0
        var lastAllowed: MonotonicInstant?
        var failure: JournalError?
    }

    /// A chunk should last about so long: longer ones leave more in doubt, shorter ones cost more.
    private static let shortest: UInt64 = 10_000_000
    private static let longest: UInt64 = 50_000_000
    private static let mostSurplus = 1 << 16
    private static let leastSurplus = 256

    init(file: JournalFile, pending: PendingPushes, sentBefore: Int, isInDoubt: Bool) {
        self.pending = pending
        state = Mutex(State(file: file, sentBefore: sentBefore, isInDoubt: isInDoubt))
    }

    var failure: JournalError? { state.withLock { $0.failure } }

    var settled: Int { state.withLock { $0.settled } }

    func allowSending(before end: Int) -> Bool {
        if end <= allowedBefore.load(ordering: .acquiring) { return true }
        return extend(to: end)
    }

    @inline(never)
    private func extend(to end: Int) -> Bool {
        state.withLock { state in
            guard state.failure == nil else { return false }
            guard end > allowedBefore.load(ordering: .relaxed) else { return true }
            let now = MonotonicInstant.now()
            if let last = state.lastAllowed {
                let lasted = now.nanoseconds(since: last)
                if lasted < Self.shortest {
                    let doubled = max(Self.leastSurplus, state.surplus * 2)
                    state.surplus = min(Self.mostSurplus, doubled)
                } else if lasted > Self.longest {
                    state.surplus /= 2
                }
            }
            state.lastAllowed = now
            let allowed = min(pending.count, end + state.surplus)
            var lines = Self.doubts(state)
            let sentBefore = pending.number(at: allowed - 1) + 1
            if sentBefore > state.sentBefore {
                lines += JournalLine.bytes(of: JournalRecord.sent(before: sentBefore).text)
            }
            guard Self.append(lines, to: &state) else { return false }
            state.isInDoubt = false
            state.sentBefore = max(sentBefore, state.sentBefore)
            allowedBefore.store(allowed, ordering: .releasing)
            return true
        }
    }

    func append(_ runs: [(places: Range<Int>, end: PushEnd)]) {
        guard !runs.isEmpty else { return }
        var lines: [UInt8] = []
        for run in runs {
            pending.forEachRange(in: run.places) { numbers in
                lines += JournalLine.bytes(of: JournalRecord.ended(numbers, run.end).text)
            }
        }
        state.withLock { state in
            guard state.failure == nil, Self.append(lines, to: &state) else { return }
            state.settled += runs.reduce(0) { $0 + $1.places.count }
        }
    }

    func noteCleanEnd() {
        state.withLock { state in
            guard state.failure == nil else { return }
            // A run that came to nothing does not settle what an earlier one left in doubt.
            let lines = Self.doubts(state) + JournalLine.bytes(of: JournalRecord.clean.text)
            guard Self.append(lines, to: &state) else { return }
            state.isInDoubt = false
        }
    }

    /// The line for the pushes of a dead run that go out again; none where it has been written.
    private static func doubts(_ state: State) -> [UInt8] {
        state.isInDoubt ? JournalLine.bytes(of: JournalRecord.again.text) : []
    }

    func sync() {
        // Not under the lock: no loop waits for the disk.
        let file = state.withLock { $0.failure == nil ? $0.file : nil }
        do throws(JournalError) {
            try file?.sync()
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    func close() { state.withLock { $0.file = nil } }

    private static func append(_ lines: [UInt8], to state: inout State) -> Bool {
        guard let file = state.file else { return false }
        guard !lines.isEmpty else { return true }
        do throws(JournalError) {
            try file.append(lines)
            return true
        } catch {
            state.failure = error
            return false
        }
    }
}
