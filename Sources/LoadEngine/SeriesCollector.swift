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
        let response = Histogram(.interval)

        func add(_ interval: IntervalRecorder) {
            totals.sent += interval.totals.sent
            totals.accepted += interval.totals.accepted
            totals.rejected += interval.totals.rejected
            totals.inFlight += interval.totals.inFlight
            interval.add(toService: service, response: response)
        }
    }

    private let state: Mutex<State>

    init(loops: Int) { state = Mutex(State(reported: Array(repeating: -1, count: loops))) }

    /// Adds a second of `loop`, later than those before; the point is made when all loops that run
    /// have come as far.
    func add(_ interval: IntervalRecorder, of loop: Int) {
        let second = Int(interval.second)
        state.withLock { state in
            let entry = state.open[second] ?? OpenSecond()
            state.open[second] = entry
            entry.add(interval)
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
            service: RunReport.SeriesPoint.Times(entry.service),
            response: RunReport.SeriesPoint.Times(entry.response),
            inFlight: entry.totals.inFlight
        )
    }
}
