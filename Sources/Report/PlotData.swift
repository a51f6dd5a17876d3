import FoundationEssentials
import Glibc
import HDRHistogram
import Regression
import Results

/// What the page's code draws: plain numbers and our own words, as JSON.
struct PlotData: Encodable {
    /// A line of points; what x and y are is its plot's to say.
    struct Line: Encodable {
        /// The letter of its result.
        let side: String
        /// What it shows, as the legend names it.
        let name: String
        let points: [[Double]]
    }

    /// Times by percentile: x is 1 / (1 − p), y nanoseconds.
    private(set) var latency: [Line] = []
    /// Over time: x is nanoseconds since the run began, y pushes per second.
    private(set) var rate: [Line] = []
    /// Over time: x is nanoseconds since the run began, y a percentile in nanoseconds.
    private(set) var time: [Line] = []
    /// x is nanoseconds, y the share of the audience that was acknowledged by then.
    private(set) var makespan: [Line] = []
    /// How metrics went; each has a plot of its own.
    let history: [HistoryPlot]
    /// Whether there are two results.
    let isPair: Bool

    init(_ sides: [ReportSide], history: [Trend] = []) {
        isPair = sides.count > 1
        self.history = history.map { HistoryPlot($0) }
        for side in sides {
            guard let run = side.run else { continue }
            func add(_ name: String, _ points: [[Double]], to lines: inout [Line]) {
                guard !points.isEmpty else { return }
                lines.append(Line(side: side.letter, name: name, points: points))
            }
            for row in LatencyRow.rows(of: run.latency) {
                add(row.name, PercentileCurve.points(row.times), to: &latency)
            }
            let series = SeriesReduction.points(run.series)
            add("answered", series.map { [$0.end, $0.answeredPerSecond] }, to: &rate)
            if series.contains(where: { $0.rejected > 0 }) {
                add("rejected", series.map { [$0.end, $0.rejectedPerSecond] }, to: &rate)
            }
            for column in TimeColumn.columns(of: series) {
                let points = series.compactMap { point in
                    column.value(point).map { [point.end, $0] }
                }
                add(column.name, points, to: &time)
            }
            add("acknowledged", MakespanCurve.points(of: run), to: &makespan)
        }
    }

    /// The JSON text; the page's builder makes it inert for HTML.
    ///
    /// - Parameter value: What is drawn.
    /// - Returns: JSON with sorted keys.
    /// - Throws: ``ReportError/noJSON(reason:)``.
    static func json(_ value: some Encodable) throws(ReportError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .noJSON(reason: "\(error)")
        }
    }
}

/// A percentile over time, as plots and tables name it.
struct TimeColumn {
    let name: String
    let value: (SeriesReduction) -> Double?

    /// What a series tells.
    ///
    /// Response times first: at a fixed rate, service times are silent about the pushes that waited
    /// for their turn. Of the service time only the p99, where it is another; all of it where a
    /// result has no response times, as older ones do not.
    static func columns(of series: [SeriesReduction]) -> [TimeColumn] {
        let serviceP99 = TimeColumn(name: "service p99", value: \.serviceP99)
        guard series.contains(where: { $0.responseP99 != nil }) else {
            guard series.contains(where: { $0.serviceP99 != nil }) else { return [] }
            return [serviceP99, TimeColumn(name: "service p50", value: \.serviceP50)]
        }
        let response = [
            TimeColumn(name: "response p99", value: \.responseP99),
            TimeColumn(name: "response p50", value: \.responseP50),
        ]
        let isOther = series.contains { $0.serviceP99 != $0.responseP99 }
        return isOther ? response + [serviceP99] : response
    }
}

/// One of the three times, or two of them that are the same.
struct LatencyRow {
    let name: String
    let times: LatencySummary

    /// The times that were measured.
    ///
    /// In a closed loop a push is due when it is sent: response and service are one, and are shown
    /// as one.
    static func rows(of latency: Latency) -> [LatencyRow] {
        if let response = latency.response, response == latency.service {
            return [LatencyRow(name: "response = service", times: response)] + lateness(latency)
        }
        return [("response", latency.response), ("service", latency.service)].compactMap { row in
            row.1.map { LatencyRow(name: row.0, times: $0) }
        } + lateness(latency)
    }

    private static func lateness(_ latency: Latency) -> [LatencyRow] {
        latency.lateness.map { [LatencyRow(name: "lateness", times: $0)] } ?? []
    }
}

/// A histogram as HdrHistogram's plots show it.
enum PercentileCurve {
    /// Points per factor of ten on the axis: more than a screen has pixels for makes no difference.
    private static let pointsPerDecade = 48.0

    /// The percentiles from the lowest to the highest time, x being 1 / (1 − p).
    ///
    /// The highest time stands at x = count, where one push in that many was as late. Of a damaged
    /// histogram the named percentiles are left.
    static func points(_ times: LatencySummary) -> [[Double]] {
        guard let histogram = times.histogram(), histogram.count > 0 else {
            return [
                [1, Double(times.min)], [2, Double(times.p50)], [10, Double(times.p90)],
                [100, Double(times.p99)], [1_000, Double(times.p999)],
                [10_000, Double(times.p9999)],
            ].filter { $0[0] <= Double(max(times.count, 1)) }
        }
        let count = Double(histogram.count)
        var points = [[1, Double(histogram.min)]]
        var step = 0.0
        var x = 1.0
        var seen = 0.0
        histogram.forEachSlot { slot in
            seen += Double(slot.count)
            // The rank of the percentile at x, as far as slots have been seen.
            while x < count, ((1 - 1 / x) * count).rounded(.up) <= seen {
                if step > 0 { points.append([x, Double(slot.highest)]) }
                step += 1
                x = Glibc.pow(10, step / pointsPerDecade)
            }
        }
        points.append([count, Double(histogram.max)])
        return points
    }
}

/// When which share of the audience was acknowledged.
enum MakespanCurve {
    static func points(of run: RunRecord) -> [[Double]] {
        let audience = Double(run.account.audience)
        guard audience > 0, let makespan = run.makespan else { return [] }
        if let curve = makespan.curve {
            var points =
                [[0, 0]]
                + curve.enumerated().map { index, time in
                    [Double(time), Double(index + 1) / 100]
                }
            // Between 99% and the last install.
            if let time = makespan.p999, curve.count == 100 {
                points.insert([Double(time), 0.999], at: 100)
            }
            return points
        }
        let marks: [(Int64?, Double)] = [
            (makespan.p50, 0.5), (makespan.p90, 0.9), (makespan.p99, 0.99), (makespan.p999, 0.999),
            (makespan.p100, 1),
        ]
        var points =
            [[0, 0]] + marks.compactMap { time, share in time.map { [Double($0), share] } }
        var answered = 0.0
        // The seconds fill the way between the marks; the last one is not full.
        for point in SeriesReduction.points(run.series).dropLast() {
            answered += Double(point.accepted) + Double(point.rejected)
            points.append([point.end, min(1, answered / audience)])
        }
        points.sort { ($0[0], $0[1]) < ($1[0], $1[1]) }
        // Marks and seconds come from two clocks' zeros, some milliseconds apart: never downwards.
        var highest = 0.0
        return points.filter { point in
            defer { highest = max(highest, point[1]) }
            return point[1] >= highest
        }
    }
}
