import Glibc
import Synchronization

/// The counters of a mock's loops, merged when they are asked for.
///
/// May be asked by any thread; a reset keeps what was counted so far as the new zero, so that the
/// loops' own counters have one writer each.
public final class MockStatistics: Sendable {
    private struct State {
        var zero = MockCounts()
        var zeroRefusals = [UInt64](repeating: 0, count: ReasonTable.capacity)
        var startedAt: UInt64
        var threads: [ThreadClock]
    }

    let blocks: [CounterBlock]
    private let reasons: ReasonTable
    private let state: Mutex<State>

    /// Makes the statistics of `loops` loops.
    init(loops: Int, reasons: ReasonTable) {
        self.reasons = reasons
        blocks = (0..<loops).map { _ in CounterBlock() }
        state = Mutex(
            State(
                startedAt: Self.monotonicNanoseconds(),
                threads: Array(repeating: .notStarted, count: loops)
            )
        )
    }

    /// The counts since the start or the last reset.
    public func counts() -> MockCounts {
        state.withLock { state in
            var counts = merged(threads: state.threads)
            for index in counts.values.indices { counts.values[index] &-= state.zero.values[index] }
            counts.cpuNanoseconds &-= state.zero.cpuNanoseconds
            counts.elapsedNanoseconds = Self.monotonicNanoseconds() &- state.startedAt
            let refusals = refusalCounts()
            for index in 0..<reasons.count {
                let count = refusals[index] &- state.zeroRefusals[index]
                guard count > 0 else { continue }
                counts.refusals.append(.init(reason: reasons.name(at: index), count: count))
            }
            return counts
        }
    }

    /// Lets every count begin at 0 again; the peak of memory stays.
    public func reset() {
        state.withLock { state in
            state.zero = merged(threads: state.threads)
            state.zeroRefusals = refusalCounts()
            state.startedAt = Self.monotonicNanoseconds()
        }
    }

    /// Notes that the calling thread runs loop `index`, for its processor time.
    func threadDidStart(loop index: Int) {
        var clock = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return }
        state.withLock { $0.threads[index] = .running(clock) }
    }

    /// Keeps the calling thread's processor time before it ends, which ends its clock too.
    func threadWillEnd(loop index: Int) {
        state.withLock { $0.threads[index] = .ended($0.threads[index].nanoseconds) }
    }

    private func merged(threads: [ThreadClock]) -> MockCounts {
        var counts = MockCounts()
        for block in blocks {
            for counter in Counter.allCases {
                counts.values[counter.rawValue] &+= block.value(of: counter)
            }
        }
        counts.cpuNanoseconds = threads.reduce(0) { $0 &+ $1.nanoseconds }
        counts.peakRSSBytes = ProcessMemory.peakResidentBytes()
        counts.loops = blocks.count
        return counts
    }

    private func refusalCounts() -> [UInt64] {
        (0..<ReasonTable.capacity).map { index in
            blocks.reduce(0) { $0 &+ $1.refusals(at: index) }
        }
    }

    private static func monotonicNanoseconds() -> UInt64 {
        ThreadClock.nanoseconds(of: CLOCK_MONOTONIC)
    }
}

/// A thread's processor time.
private enum ThreadClock {
    case notStarted
    case running(clockid_t)
    case ended(UInt64)

    var nanoseconds: UInt64 {
        switch self {
        case .notStarted: 0
        case .running(let clock): Self.nanoseconds(of: clock)
        case .ended(let nanoseconds): nanoseconds
        }
    }

    static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
