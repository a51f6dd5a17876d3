import LoadEngine
import Results

/// Turns a run's counters into the moments of the live line.
struct ProgressMeter {
    private let goal: PushGoal
    private var last = (elapsed: UInt64(0), answered: 0)
    private var rate = 0.0

    init(goal: PushGoal) { self.goal = goal }

    /// The moment that `progress` shows, the rate being that since the last call.
    mutating func moment(of progress: LoadRun.Progress) -> RunProgress {
        let seconds = Double(progress.elapsedNanoseconds - last.elapsed) / 1e9
        if seconds > 0.05 {
            let now = Double(progress.answered - last.answered) / seconds
            // The last second counts most, so that the line is calm enough to be read.
            rate = rate == 0 ? now : 0.7 * rate + 0.3 * now
            last = (progress.elapsedNanoseconds, progress.answered)
        }
        var remaining: Int64?
        if case .duration(let nanoseconds) = goal {
            remaining = Int64(clamping: nanoseconds) - Int64(clamping: progress.elapsedNanoseconds)
        }
        return RunProgress(
            acknowledged: progress.answered,
            total: progress.total,
            inFlight: progress.inFlight,
            pushesPerSecond: rate,
            p99: progress.p99.map { Int64(clamping: $0) },
            remainingNanoseconds: remaining.map { max(0, $0) }
        )
    }
}
