public import Results

/// How a series of interleaved pairs is judged, fixed before its first run.
///
/// The series is looked at after ``looks`` pairs and ends at the first look that has an answer. The
/// error rate ``alpha`` is spent on the looks in equal parts, and on the metrics of each look, so
/// that by the union bound the whole series calls two equal builds different with at most that
/// probability. An alarm has to be repeated by a second series of its own (see ``PairedTrial``).
public struct PairedDesign: Sendable {
    /// The metrics that decide.
    public let metrics: [Metric]
    /// The changes that matter.
    public let thresholds: Thresholds
    /// The error rate of one series, both directions together.
    public let alpha: Double
    /// After how many pairs the series is looked at, ascending; the last is the longest series.
    public let looks: [Int]

    /// The error rate of one look.
    public var alphaPerLook: Double { alpha / Double(looks.count) }

    /// The error rate of one series unless another is given.
    public static let standardAlpha = 0.05
    /// The longest series unless another is given.
    public static let standardPairs = 100

    /// Metrics that decide unless others are named, with the changes that matter.
    ///
    /// CPU time per push does not depend on who else uses the machine as times by the clock do:
    /// there a small change counts. The rate is beside it for what costs time and no CPU, a lock
    /// or a sleep, and swings so far that only a large change can be told.
    public static let standardMetrics: [Metric] = Metric.table.filter {
        ["cpu", "rate"].contains($0.name)
    }
    /// The changes of ``standardMetrics`` that matter.
    public static let standardThresholds = Thresholds(
        standard: 0.1,
        byMetric: ["cpu": 0.015]
    )

    /// Makes a design.
    ///
    /// - Parameters:
    ///   - metrics: The metrics that decide, not empty.
    ///   - thresholds: The changes that matter.
    ///   - pairs: The longest series.
    ///   - alpha: The error rate of one series.
    public init(
        metrics: [Metric] = standardMetrics,
        thresholds: Thresholds = standardThresholds,
        pairs: Int = standardPairs,
        alpha: Double = standardAlpha
    ) {
        self.metrics = metrics
        self.thresholds = thresholds
        self.alpha = alpha
        // Each look half as late again as the one before: few looks, and none long after the answer.
        var looks: [Int] = []
        var next = 10
        while next * 5 < pairs * 4 {
            looks.append(next)
            next += next / 2
        }
        self.looks = looks + [pairs]
    }

    /// The fewest pairs with which one of the metrics can be significant at a look.
    public var leastPairs: Int {
        let level = alphaPerLook / Double(metrics.count)
        return (1...64).first { SignedRankTest.leastPValue($0) <= level } ?? 64
    }
}
