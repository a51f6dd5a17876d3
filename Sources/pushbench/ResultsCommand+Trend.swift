import Foundation
import Regression
import Results

extension ResultsCommand {
    private struct TrendDocument: Encodable {
        struct Point: Encodable {
            let id: String
            let startedAt: String
            let commit: String?
            let value: Double
            let runs: Int
        }

        struct Change: Encodable {
            let id: String
            let index: Int
            let before: Double
            let after: Double
            let ratio: Double?
            let pValue: Double
            let improvement: Bool
        }

        struct Series: Encodable {
            let metric: String
            let unit: String
            let lowerIsBetter: Bool
            let points: [Point]
            let changePoints: [Change]
        }

        let schema = "pushbench.trend/1"
        let machine: String
        let workload: String
        let metrics: [Series]
    }

    static func trend(_ arguments: Arguments) throws -> ExitCode {
        let metrics =
            try MetricFlags.metrics(arguments)
            ?? Trend.standardMetrics
        var search = ChangePointSearch()
        search.seed = UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 1)
        if arguments.has("threshold") {
            var thresholds = Thresholds(standard: search.threshold)
            try thresholds.add(arguments["threshold"] ?? "")
            search.threshold = thresholds.byMetric.first?.value ?? thresholds.standard
        }
        let selection = try Selection(arguments)
        // What is in the newest file's folder belongs together.
        guard let newest = selection.files.last else {
            throw CommandFault(
                .invalidInput,
                "There is no such result below \(selection.store.root): store one with pushbench "
                    + "run --save."
            )
        }
        let folder = folder(of: newest)
        let reading = selection.reading(
            selection.files.filter { Self.folder(of: $0) == folder },
            parts: MetricFlags.parts(for: metrics)
        )
        guard let example = reading.results.last else {
            throw CommandFault(.invalidInput, "No result in \(folder) can be read.")
        }
        for (result, path) in zip(reading.results, reading.paths) {
            if let exclusion = result.exclusion {
                Terminal.complain("pushbench: \(path) is left out: \(exclusion).")
            }
        }
        let trends = metrics.map { Trend($0, of: reading.results, search: search) }
        if arguments.has("json") {
            Terminal.print(
                try ReadableJSON.encode(
                    TrendDocument(
                        machine: example.machine.key,
                        workload: example.workload.hash,
                        metrics: trends.map(series)
                    )
                )
            )
            return .done
        }
        Terminal.print(
            Terminal.printable("\(example.machine.key) · workload \(example.workload.hash)")
        )
        let plot = TrendPlot(
            width: Terminal.outputColumns,
            isTerminal: Terminal.hasColours
        )
        for trend in trends { Terminal.print("\n" + plot.text(trend), terminator: "") }
        return .done
    }

    private static func folder(of path: String) -> Substring {
        path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    }

    private static func series(_ trend: Trend) -> TrendDocument.Series {
        TrendDocument.Series(
            metric: trend.metric.name,
            unit: trend.metric.unit.symbol,
            lowerIsBetter: trend.metric.isLowerBetter,
            points: trend.points.map { point in
                TrendDocument.Point(
                    id: point.id,
                    startedAt: point.startedAt.formatted(.iso8601),
                    commit: point.commit,
                    value: point.value,
                    runs: point.runs
                )
            },
            changePoints: trend.changePoints.map { change in
                TrendDocument.Change(
                    id: trend.points[change.index].id,
                    index: change.index,
                    before: change.before,
                    after: change.after,
                    ratio: change.ratio.isFinite ? change.ratio : nil,
                    pValue: change.pValue,
                    improvement: trend.isImprovement(change)
                )
            }
        )
    }

    // MARK: - export

    private enum ExportFormat: String, CaseIterable {
        case csv
        case ndjson
    }

    static func export(_ arguments: Arguments) throws -> ExitCode {
        let format = try arguments.choice("format", of: ExportFormat.self) ?? .csv
        try ResultPlace.checkOut(arguments)
        let results = try Selection(arguments).reading().results
        let text =
            switch format {
            case .csv: ResultTable.csv(results)
            case .ndjson: try ResultTable.jsonLines(results)
            }
        try ResultPlace.write(text, arguments)
        return .done
    }
}
