import Glibc
public import Results

/// A series of interleaved pairs of two builds, and what it says so far.
public struct PairedSeries: Sendable {
    /// How it is judged.
    public let design: PairedDesign
    /// The metrics it has values of: those that decide, then the others of the table.
    private let metrics: [Metric]
    private var values: [String: (base: [Double], new: [Double])] = [:]
    /// The pairs so far.
    public private(set) var count = 0

    /// Begins a series.
    ///
    /// - Parameter design: How it is judged.
    public init(_ design: PairedDesign) {
        self.design = design
        let names = Set(design.metrics.map(\.name))
        metrics = design.metrics + Metric.table.filter { !names.contains($0.name) }
    }

    /// Adds the runs of a pair.
    ///
    /// - Parameters:
    ///   - base: The records of the first build's run; of several the median counts.
    ///   - new: Those of the second build.
    /// - Throws: ``RegressionError/noNumber(metric:)`` where a metric that decides is missing.
    public mutating func add(base: [RunRecord], new: [RunRecord]) throws(RegressionError) {
        var found: [String: (Double, Double)] = [:]
        for metric in metrics {
            let sides = [base, new].map { Sorting.median($0.compactMap(metric.value)) }
            if sides.allSatisfy({ $0.isFinite && $0 >= 0 }) {
                found[metric.name] = (sides[0], sides[1])
            } else if design.metrics.contains(where: { $0.name == metric.name }) {
                throw .noNumber(metric: metric.name)
            }
        }
        add(found)
    }

    /// Adds the values of a pair, by metric name.
    mutating func add(_ pair: [String: (Double, Double)]) {
        for (name, (base, new)) in pair {
            values[name, default: ([], [])].base.append(base)
            values[name, default: ([], [])].new.append(new)
        }
        count += 1
    }

    /// Whether the series is at one of its looks.
    public var isAtLook: Bool { design.looks.contains(count) }

    /// Whether the series is as long as it may get.
    public var isComplete: Bool { count >= design.looks[design.looks.count - 1] }

    /// What the pairs so far say of each metric; those first that decide.
    ///
    /// - Returns: One entry for each metric that every pair has; empty before the first pair.
    public func comparisons() -> [MetricComparison] {
        let measured = metrics.filter { count > 0 && values[$0.name]?.base.count == count }
        let names = Set(design.metrics.map(\.name))
        return compared(measured.filter { names.contains($0.name) }, decides: true)
            + compared(measured.filter { !names.contains($0.name) }, decides: false)
    }

    private func compared(_ metrics: [Metric], decides: Bool) -> [MetricComparison] {
        let alpha = design.alphaPerLook
        let level = alpha / Double(max(1, metrics.count))
        let differences = metrics.map { metric in
            let (base, new) = values[metric.name] ?? ([], [])
            return zip(base, new).map(Self.difference)
        }
        let tests = differences.map { SignedRankTest($0) }
        let adjusted = HolmCorrection.adjusted(tests.map(\.pValue))
        return metrics.indices.map { index in
            let metric = metrics[index]
            let estimate = SignedRankEstimate(differences[index], level: level)
            let half = (estimate.high - estimate.low) / 2
            let reserve =
                NormalDistribution.quantile(Effect.power)
                / NormalDistribution.quantile(1 - level / 2)
            let effect = Effect(
                ratio: exp(estimate.center),
                interval: (exp(estimate.low), exp(estimate.high)),
                pValue: tests[index].pValue,
                adjustedPValue: adjusted[index],
                detectableShift: half * (1 + reserve)
            )
            return MetricComparison(
                metric: metric,
                base: Sample(values[metric.name]?.base ?? []),
                new: Sample(values[metric.name]?.new ?? []),
                effect: effect,
                threshold: design.thresholds.threshold(for: metric),
                decides: decides,
                alpha: alpha,
                leastRuns: design.leastPairs
            )
        }
    }

    /// More than any real change, and still a number to take means of.
    private static let mostDifference = 20.0

    /// The logarithm of new by base.
    private static func difference(_ base: Double, _ new: Double) -> Double {
        base == new ? 0 : max(-mostDifference, min(mostDifference, log(new / base)))
    }
}
