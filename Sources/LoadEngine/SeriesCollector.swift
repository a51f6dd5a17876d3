import HDRHistogram
import Synchronization

/// Gathers the loops' seconds into the run's time series; called once a second by each loop.
final class SeriesCollector: Sendable {
    /// What one loop saw in one second.
    struct Second {
        var sent = 0
        var accepted = 0
        var rejected = 0
        var inFlight = 0
    }

    private struct State: ~Copyable {
        var open: [Int: OpenSecond] = [:]
        var points: [RunReport.SeriesPoint] = []
    }

    private final class OpenSecond: @unchecked Sendable {
        // Safe to share: touched under the lock alone.
        private(set) var totals = Second()
        private(set) var reports = 0
        let service = Histogram(.interval)

        func add(_ second: Second, service other: Histogram) {
            totals.sent += second.sent
            totals.accepted += second.accepted
            totals.rejected += second.rejected
            totals.inFlight += second.inFlight
            service.add(other)
            reports += 1
        }
    }

    private let loops: Int
    private let state = Mutex(State())

    init(loops: Int) { self.loops = loops }

    /// Adds one loop's second; the point is made when every loop has reported it.
    func add(second: Int, _ totals: Second, service: Histogram) {
        state.withLock { state in
            let entry = state.open[second] ?? OpenSecond()
            state.open[second] = entry
            entry.add(totals, service: service)
            if entry.reports == loops {
                state.open[second] = nil
                state.points.append(Self.point(second: second, entry))
            }
        }
    }

    /// The newest finished point.
    var latest: RunReport.SeriesPoint? { state.withLock { $0.points.last } }

    /// All points, those of loops that ended early included, in order.
    func finish() -> [RunReport.SeriesPoint] {
        state.withLock { state in
            let late = state.open.map { Self.point(second: $0.key, $0.value) }
            return (state.points + late).sorted { $0.second < $1.second }
        }
    }

    private static func point(second: Int, _ entry: OpenSecond) -> RunReport.SeriesPoint {
        RunReport.SeriesPoint(
            second: second,
            sent: entry.totals.sent,
            accepted: entry.totals.accepted,
            rejected: entry.totals.rejected,
            p50: entry.service.count == 0 ? nil : UInt64(entry.service.value(atPercentile: 50)),
            p99: entry.service.count == 0 ? nil : UInt64(entry.service.value(atPercentile: 99)),
            inFlight: entry.totals.inFlight
        )
    }
}
