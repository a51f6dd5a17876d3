import Foundation
import Results

// What programs read.
extension ComparisonReport {
    private struct Document: Encodable {
        struct Side: Encodable {
            let name: String
            let builds: [String]
            let results: [String]
            let runs: Int
        }

        struct Entry: Encodable {
            let metric: String
            let unit: String
            let lowerIsBetter: Bool
            let decides: Bool
            let answer: Answer
            let base: Double
            let new: Double
            let baseRuns: [Double]
            let newRuns: [Double]
            let ratio: Double?
            let ratioLow: Double?
            let ratioHigh: Double?
            let pValue: Double
            let adjustedPValue: Double
            let minimumDetectableEffect: Double?
            let threshold: Double
            let runsNeeded: Int?
        }

        let schema = "pushbench.comparison/1"
        let command: String
        let workload: String
        let machine: String
        let base: Side
        let new: Side
        let alpha: Double
        let intervalLevel: Double
        let correction = "holm"
        let answer: Answer
        let exitCode: Int32
        let metrics: [Entry]
        let notes: [String]
        let trial: Trial?
    }

    /// The comparison as one JSON document, schema `pushbench.comparison/1`.
    ///
    /// Values are in the metric's base unit; a number that is not finite is left out.
    ///
    /// - Returns: The document with a newline.
    /// - Throws: What the encoder throws, which needs a number that no result can hold.
    public func json() throws -> String {
        func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
        func side(_ side: Side) -> Document.Side {
            Document.Side(
                name: side.name,
                builds: side.builds,
                results: side.results,
                runs: side.runs
            )
        }
        return try Self.encoded(
            Document(
                command: command,
                workload: workload.hash,
                machine: machineKey,
                base: side(base),
                new: side(new),
                alpha: alpha,
                intervalLevel: intervalLevel,
                answer: answer,
                exitCode: exitCode.rawValue,
                metrics: metrics.map { item in
                    Document.Entry(
                        metric: item.metric.name,
                        unit: item.metric.unit.symbol,
                        lowerIsBetter: item.metric.isLowerBetter,
                        decides: item.decides,
                        answer: item.answer,
                        base: item.base.median,
                        new: item.new.median,
                        baseRuns: item.base.values,
                        newRuns: item.new.values,
                        ratio: finite(item.effect.ratio),
                        ratioLow: finite(item.effect.low),
                        ratioHigh: finite(item.effect.high),
                        pValue: item.effect.pValue,
                        adjustedPValue: item.effect.adjustedPValue,
                        minimumDetectableEffect: item.effect.minimumDetectableEffect,
                        threshold: item.threshold,
                        runsNeeded: item.runsNeeded
                    )
                },
                notes: notes,
                trial: trial
            )
        )
    }

    /// The new side as Bencher Metric Format: `{benchmark: {measure: {value, lower_value,
    /// upper_value}}}`, the ends being the least and the most of the runs.
    ///
    /// - Returns: The document with a newline.
    /// - Throws: What the encoder throws.
    public func bencherMetricFormat() throws -> String {
        struct Measure: Encodable {
            let value: Double
            let lower: Double
            let upper: Double

            enum CodingKeys: String, CodingKey {
                case value
                case lower = "lower_value"
                case upper = "upper_value"
            }
        }
        var measures: [String: Measure] = [:]
        for item in metrics {
            measures[item.metric.name] = Measure(
                value: item.new.median,
                lower: item.new.least,
                upper: item.new.most
            )
        }
        return try Self.encoded([benchmarkName: measures])
    }

    /// The new side for github-action-benchmark: an array of name, unit, value, range and extra.
    ///
    /// - Parameter smallerIsBetter: Which metrics: those for the tool `customSmallerIsBetter`, or
    ///   those for `customBiggerIsBetter`; one file cannot hold both.
    /// - Returns: The document with a newline.
    /// - Throws: What the encoder throws.
    public func gitHubBenchmark(smallerIsBetter: Bool) throws -> String {
        struct Entry: Encodable {
            let name: String
            let unit: String
            let value: Double
            let range: String
            let extra: String
        }
        let wanted = metrics.filter { $0.metric.isLowerBetter == smallerIsBetter }
        return try Self.encoded(
            wanted.map { item in
                let unit = item.metric.unit
                return Entry(
                    name: "\(benchmarkName) \(item.metric.name)",
                    unit: unit.symbol,
                    value: item.new.median,
                    range: "\(unit.text(item.new.least)) to \(unit.text(item.new.most))",
                    extra: "\(item.metric.meaning)\n\(item.new.values.count) \(self.unit)s\n"
                        + "\(item.answer.rawValue) (\(ChangeText.change(item.effect.ratio)))"
                )
            }
        )
    }

    private static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
