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
        /// The last second that each loop has reported; .max of those that ended.
        var reported: [Int]
        var points: [RunReport.SeriesPoint] = []
        /// The service times of all points.
        let service = Histogram(.interval)

        /// Makes the points of all seconds to which nobody adds any more.
        mutating func close() {
            let last = reported.min() ?? .max
            for second in open.keys.filter({ $0 <= last }).sorted() {
                guard let entry = open.removeValue(forKey: second) else { continue }
                points.append(SeriesCollector.point(second: second, entry))
                service.add(entry.service)
            }
        }
    }

    private final class OpenSecond: @unchecked Sendable {
        // Safe to share: touched under the lock alone.
        private(set) var totals = Second()
        let service = Histogram(.interval)

        func add(_ second: Second, service other: Histogram) {
            totals.sent += second.sent
            totals.accepted += second.accepted
            totals.rejected += second.rejected
            totals.inFlight += second.inFlight
            service.add(other)
        }
    }

    private let state: Mutex<State>

    init(loops: Int) { state = Mutex(State(reported: Array(repeating: -1, count: loops))) }

    /// Adds a second of `loop`, later than those before; the point is made when all loops that run
    /// have come as far.
    func add(second: Int, of loop: Int, _ totals: Second, service: Histogram) {
        state.withLock { state in
            let entry = state.open[second] ?? OpenSecond()
            state.open[second] = entry
            entry.add(totals, service: service)
            state.reported[loop] = second
            state.close()
        }
    }

    /// Waits for `loop` no more: it has ended.
    func leave(loop: Int) {
        state.withLock { state in
            state.reported[loop] = .max
            state.close()
        }
    }

    /// The newest finished point.
    var latest: RunReport.SeriesPoint? { state.withLock { $0.points.last } }

    /// The service times of all finished points; see ``LoadRun/serviceTimes(upTo:)``.
    func serviceTimes(upTo bounds: [UInt64]) -> ServiceTimes {
        state.withLock { ServiceTimes($0.service, upTo: bounds) }
    }

    /// All points in order, once every loop has left.
    func finish() -> [RunReport.SeriesPoint] { state.withLock { $0.points } }

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
