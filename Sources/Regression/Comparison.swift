public import Results

/// Two sides compared run by run: the sample is the run, never the push.
///
/// For each metric a ``RankSumTest`` over the runs, and a seeded bootstrap interval of the ratio of
/// their medians. The p-values of the metrics that decide are corrected together by
/// ``HolmCorrection``; those of the others, which are shown and change nothing, among themselves.
public struct Comparison: Sendable {
    /// What to compare, and how strictly.
    public struct Options: Sendable {
        /// The metrics that decide.
        public var deciding: [Metric]
        /// The changes that matter.
        public var thresholds = Thresholds(standard: 0.05)
        /// The chance that any deciding metric is called worse or better though nothing changed.
        public var alpha = 0.01
        /// What the bootstrap draws with.
        public var seed: UInt64 = 1
        /// How often it draws.
        public var draws = 4_000

        /// Makes options with the standard values.
        ///
        /// - Parameter deciding: The metrics that decide.
        public init(deciding: [Metric] = Metric.standardDeciding) { self.deciding = deciding }
    }

    /// The metrics that both sides measured in every run, deciding ones first.
    public let metrics: [MetricComparison]
    /// The answer of the deciding ones together.
    public let answer: Answer
    /// The error rate.
    public let alpha: Double
    /// The fewest runs a side with which a test can be significant at all.
    public let leastRuns: Int

    /// Compares.
    ///
    /// - Parameters:
    ///   - base: The base's runs.
    ///   - new: The new side's runs.
    ///   - options: What to compare, and how strictly.
    /// - Throws: ``RegressionError`` where no deciding metric was measured in every run.
    public init(
        base: [RunRecord],
        new: [RunRecord],
        options: Options = Options()
    ) throws(RegressionError) {
        func pairs(_ metrics: [Metric]) throws(RegressionError) -> [(Metric, Sample, Sample)] {
            var found: [(Metric, Sample, Sample)] = []
            for metric in metrics {
                let values = [base, new].map { $0.compactMap(metric.value) }
                guard values[0].count == base.count, values[1].count == new.count, !base.isEmpty,
                    !new.isEmpty
                else { continue }
                guard (values[0] + values[1]).allSatisfy({ $0.isFinite && $0 >= 0 }) else {
                    throw .noNumber(metric: metric.name)
                }
                found.append((metric, Sample(values[0]), Sample(values[1])))
            }
            return found
        }
        let deciding = try pairs(options.deciding)
        guard !deciding.isEmpty else {
            throw .nothingMeasured(options.deciding.map(\.name))
        }
        let names = Set(options.deciding.map(\.name))
        let others = try pairs(Metric.table.filter { !names.contains($0.name) })
        let least = Self.leastRuns(metrics: deciding.count, alpha: options.alpha)
        metrics =
            Self.compared(deciding, decides: true, options, leastRuns: least)
            + Self.compared(others, decides: false, options, leastRuns: least)
        answer = Answer(all: metrics.filter(\.decides).map(\.answer))
        alpha = options.alpha
        leastRuns = least
    }

    private static func compared(
        _ samples: [(Metric, Sample, Sample)],
        decides: Bool,
        _ options: Options,
        leastRuns: Int
    ) -> [MetricComparison] {
        let tests = samples.map { RankSumTest($0.1.values, $0.2.values) }
        let adjusted = HolmCorrection.adjusted(tests.map(\.pValue))
        return samples.indices.map { index in
            let (metric, base, new) = samples[index]
            let bootstrap = Bootstrap(
                base.values,
                new.values,
                level: options.alpha,
                draws: options.draws,
                seed: options.seed
            )
            let isEnough = min(base.values.count, new.values.count) >= leastRuns
            let effect = Effect(
                ratio: bootstrap.ratio,
                interval: (bootstrap.low, bootstrap.high),
                pValue: tests[index].pValue,
                adjustedPValue: adjusted[index],
                // The spread of a few draws says nothing of what the next run could be.
                standardError: isEnough ? bootstrap.standardError : .infinity,
                level: options.alpha
            )
            return MetricComparison(
                metric: metric,
                base: base,
                new: new,
                effect: effect,
                threshold: options.thresholds.threshold(for: metric),
                decides: decides,
                alpha: options.alpha,
                leastRuns: leastRuns
            )
        }
    }

    /// The fewest runs a side with which one of so many metrics can be significant.
    static func leastRuns(metrics: Int, alpha: Double) -> Int {
        (2...1_000).first {
            RankSumTest.leastPValue($0, $0) * Double(metrics) <= alpha
        } ?? 1_000
    }
}

extension Metric {
    /// The metrics that decide a comparison of stored results unless others are named.
    ///
    /// The rate says how fast, p99 how late, errors how right and cpu how dear. The others follow
    /// from these, or swing too far from run to run to hang an exit code on.
    public static let standardDeciding: [Metric] = table.filter {
        ["rate", "p99", "errors", "cpu"].contains($0.name)
    }
}
