import FoundationEssentials
import Regression
import Results

/// The history of a metric as the page's code draws it: x is the place of a result, from 0.
struct HistoryPlot: Encodable {
    let metric: String
    let meaning: String
    /// What y counts, as ``MetricUnit/symbol`` has it, but `%` for shares.
    let unit: String
    /// The day of each result.
    let days: [String]
    /// The values, and the medians between change points.
    let lines: [PlotData.Line]

    init(_ trend: Trend) {
        metric = trend.metric.name
        meaning = trend.metric.meaning
        unit = trend.metric.unit == .share ? "%" : trend.metric.unit.symbol
        days = trend.points.map { $0.startedAt.formatted(.iso8601.year().month().day()) }
        let values = trend.points.enumerated().map { [Double($0.offset), $0.element.value] }
        var lines = [PlotData.Line(side: "A", name: "result", points: values)]
        var levels: [[Double]] = []
        for change in trend.changePoints {
            if levels.isEmpty { levels.append([0, change.before]) }
            levels.append([Double(change.index), change.before])
            levels.append([Double(change.index), change.after])
        }
        if let last = trend.changePoints.last {
            levels.append([Double(trend.points.count - 1), last.after])
            lines.append(PlotData.Line(side: "A", name: "median between changes", points: levels))
        }
        self.lines = lines
    }
}
