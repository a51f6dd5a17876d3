public import Results

/// Two sides compared run by run: the sample is the run, never the push.
///
/// For each metric a ``RankSumTest`` over the runs, and a seeded bootstrap interval of the ratio of
/// their medians, wide enough for what whole results differ by (``SessionSpread``). The p-values of
/// the metrics that decide are corrected together by ``HolmCorrection``, and their intervals share
/// the error rate in equal parts; those of the others, which are shown and change nothing, among
/// themselves.
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
    /// The error rate of the interval of each deciding metric.
    public let intervalLevel: Double
    /// The fewest runs a side with which a test can be significant at all.
    public let leastRuns: Int

    /// Compares.
    ///
    /// - Parameters:
    ///   - base: The runs of each of the base's results.
    ///   - new: Those of the new side.
    ///   - options: What to compare, and how strictly.
    /// - Throws: ``RegressionError`` where no deciding metric was measured in every run.
    public init(
        base: [[RunRecord]],
        new: [[RunRecord]],
        options: Options = Options()
    ) throws(RegressionError) {
        let sides = [base, new].map { side in side.filter { !$0.isEmpty } }
        func pairs(_ metrics: [Metric]) throws(RegressionError) -> [Pair] {
            var found: [Pair] = []
            for metric in metrics {
                let values = sides.map { side in side.map { $0.compactMap(metric.value) } }
                let isWhole = zip(sides, values).allSatisfy { runs, values in
                    !runs.isEmpty && runs.map(\.count) == values.map(\.count)
                }
                guard isWhole else { continue }
                guard values.joined().joined().allSatisfy({ $0.isFinite && $0 >= 0 }) else {
                    throw .noNumber(metric: metric.name)
                }
                found.append(Pair(metric: metric, base: values[0], new: values[1]))
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
        intervalLevel = options.alpha / Double(deciding.count)
        leastRuns = least
    }

    /// The values of a metric, by side and result.
    private struct Pair {
        let metric: Metric
        let base: [[Double]]
        let new: [[Double]]
    }

    private static func compared(
        _ pairs: [Pair],
        decides: Bool,
        _ options: Options,
        leastRuns: Int
    ) -> [MetricComparison] {
        let samples = pairs.map { pair in
            (pair.metric, Sample(pair.base.flatMap(\.self)), Sample(pair.new.flatMap(\.self)))
        }
        let tests = samples.map { RankSumTest($0.1.values, $0.2.values) }
        let adjusted = HolmCorrection.adjusted(tests.map(\.pValue))
        // What a single metric has to reach where all others stay as they are.
        let strictest = options.alpha / Double(max(1, samples.count))
        return samples.indices.map { index in
            let (metric, base, new) = samples[index]
            let bootstrap = Bootstrap(
                base.values,
                new.values,
                spread: SessionSpread(pairs[index].base, pairs[index].new),
                level: strictest,
                draws: options.draws,
                seed: options.seed
            )
            let isEnough = min(base.values.count, new.values.count) >= leastRuns
            let effect = Effect(
                ratio: bootstrap.ratio,
                interval: isEnough ? (bootstrap.low, bootstrap.high) : (.nan, .nan),
                pValue: tests[index].pValue,
                adjustedPValue: adjusted[index],
                // The spread of a few draws says nothing of what the next run could be.
                detectableShift: isEnough
                    ? max(
                        bootstrap.detectableShift,
                        RankSumPower(level: strictest, seed: options.seed)
                            .detectableShift(base.values, new.values)
                    ) : .infinity
            )
            return MetricComparison(
                metric: metric,
                base: base,
                new: new,
                effect: effect,
                threshold: options.thresholds.threshold(for: metric),
                decides: decides,
                alpha: options.alpha,
                leastRuns: leastRuns,
                sessionShift: bootstrap.sessionShift
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
