import LoadEngine
import Metrics
import Synchronization

/// What a run shows of itself, all repetitions together.
///
/// Reads what the loops publish anyway, on the thread of whoever asks.
final class RunMetrics: Sendable {
    /// The counters of repetitions that have ended, and of the one that is on.
    private struct State {
        var ended = Totals()
        var current: LoadRun?
        var repetitions = 0
    }

    private struct Totals {
        var sent = 0
        var answered = 0
        var rejected = 0
        var counts = [UInt64](repeating: 0, count: bounds.count)
        var sumNanoseconds = 0.0
        var count: UInt64 = 0

        mutating func add(_ progress: LoadRun.Progress, _ times: ServiceTimes) {
            sent += progress.sent
            answered += progress.answered
            rejected += progress.rejected
            for index in counts.indices { counts[index] += times.counts[index] }
            sumNanoseconds += times.sumNanoseconds
            count += times.count
        }
    }

    /// From a tenth of a millisecond, what loopback takes, to ten seconds.
    private static let bounds: [UInt64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
        5_000_000_000, 10_000_000_000,
    ]

    private let state = Mutex(State())

    /// Shows this repetition from now on.
    func begin(_ run: LoadRun) {
        state.withLock { state in
            state.current = run
            state.repetitions += 1
        }
    }

    /// Keeps the counters of the repetition that has ended.
    func end() {
        state.withLock { state in
            guard let run = state.current else { return }
            state.ended.add(run.progress, run.serviceTimes(upTo: Self.bounds))
            state.current = nil
        }
    }

    /// Writes the metrics as they are now.
    func write(to text: inout MetricsText) {
        let (totals, progress, repetitions) = state.withLock { state in
            var totals = state.ended
            let progress = state.current?.progress
            if let progress, let run = state.current {
                totals.add(progress, run.serviceTimes(upTo: Self.bounds))
            }
            return (totals, progress, state.repetitions)
        }
        text.add(
            "pushbench_pushes_sent_total",
            .counter,
            "Pushes handed to a connection.",
            Double(totals.sent)
        )
        text.begin(
            "pushbench_pushes_answered_total",
            .counter,
            "Pushes answered by the target, by outcome."
        )
        for (outcome, count) in [
            ("accepted", totals.answered - totals.rejected), ("rejected", totals.rejected),
        ] {
            text.sample(
                "pushbench_pushes_answered_total",
                labels: [("outcome", outcome)],
                Double(max(0, count))
            )
        }
        text.add(
            "pushbench_pushes_in_flight",
            .gauge,
            "Pushes that wait for their answer.",
            Double(progress?.inFlight ?? 0)
        )
        text.add(
            "pushbench_connections",
            .gauge,
            "Connections to the target, ready or being made ready.",
            Double(progress?.connections ?? 0)
        )
        text.add(
            "pushbench_repetitions_started_total",
            .counter,
            "Repetitions of the run that have begun.",
            Double(repetitions)
        )
        text.histogram(
            "pushbench_service_time_seconds",
            "From a push handed to the socket to its answer; by full seconds of the run.",
            buckets: zip(Self.bounds, totals.counts).map { (Double($0) / 1e9, $1) },
            sum: totals.sumNanoseconds / 1e9,
            count: totals.count
        )
    }
}
