import Regression
import Results

/// How a comparison is written.
enum ComparisonFormat: String, CaseIterable {
    case table
    case markdown
    case json
    case junit
    /// Bencher Metric Format.
    case bmf
    /// github-action-benchmark's customSmallerIsBetter.
    case gitHubSmaller = "github-benchmark"
    /// github-action-benchmark's customBiggerIsBetter.
    case gitHubBigger = "github-benchmark-bigger"

    /// The flags that `compare` and `ab` share.
    static let flags: [CommandSpec.Flag] = [
        .init(
            name: "format",
            value: "F",
            help: "table (default), markdown, json, junit, bmf (Bencher Metric Format), "
                + "github-benchmark (customSmallerIsBetter) or github-benchmark-bigger "
                + "(customBiggerIsBetter)."
        ),
        .init(name: "out", value: "FILE", help: "Write there, whole or not at all; - is stdout."),
        .init(name: "json", value: nil, help: "The same as --format json."),
    ]

    /// Reads the flags.
    static func chosen(_ arguments: Arguments) throws -> ComparisonFormat {
        let format = try arguments.choice("format", of: ComparisonFormat.self)
        if arguments.has("json"), let format, format != .json {
            throw UsageError("--json and --format \(format.rawValue) exclude each other: give one.")
        }
        try ResultPlace.checkOut(arguments)
        return arguments.has("json") ? .json : format ?? .table
    }

    /// The text of a report.
    func text(_ report: ComparisonReport, _ arguments: Arguments) throws -> String {
        switch self {
        case .table: report.table(isTerminal: Terminal.hasColours && !arguments.has("out"))
        case .markdown: report.markdown()
        case .json: try report.json()
        case .junit: report.junit()
        case .bmf: try report.bencherMetricFormat()
        case .gitHubSmaller: try report.gitHubBenchmark(smallerIsBetter: true)
        case .gitHubBigger: try report.gitHubBenchmark(smallerIsBetter: false)
        }
    }
}

/// The metrics and thresholds that flags name.
enum MetricFlags {
    /// The metrics of the repeatable flag `--metric`.
    static func metrics(_ arguments: Arguments) throws(RegressionError) -> [Metric]? {
        let names = arguments.all("metric")
        guard !names.isEmpty else { return nil }
        var found: [Metric] = []
        for name in names where !found.contains(where: { $0.name == name }) {
            guard let metric = Metric.named(name) else { throw .unknownMetric(name) }
            found.append(metric)
        }
        return found
    }

    /// Thresholds with those of the repeatable flag `--threshold`; one for all metrics takes the
    /// place of what is built in for single ones.
    static func thresholds(
        _ arguments: Arguments,
        standard: Thresholds
    ) throws(RegressionError) -> Thresholds {
        var thresholds = standard
        let texts = arguments.all("threshold")
        if texts.contains(where: { !$0.contains("=") }) { thresholds.byMetric = [:] }
        for text in texts { try thresholds.add(text) }
        return thresholds
    }

    /// How much of a stored result the metrics need.
    static func parts(for metrics: [Metric]) -> ResultParts {
        let names = Set(Metric.table.map(\.name))
        return metrics.allSatisfy { names.contains($0.name) } ? .numbers : .all
    }
}
