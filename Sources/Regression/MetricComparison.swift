import Glibc
public import Results

/// One metric of two sides.
public struct MetricComparison: Sendable {
    /// The metric.
    public let metric: Metric
    /// The base's runs.
    public let base: Sample
    /// The new side's runs.
    public let new: Sample
    /// How far they are apart.
    public let effect: Effect
    /// The relevant change, as a share of the base.
    public let threshold: Double
    /// Whether the metric takes part in the answer of the whole.
    public let decides: Bool
    /// What the runs say.
    public let answer: Answer
    /// How many runs a side would be enough to see a change of ``threshold``; nil where these are,
    /// or nothing can be said.
    public let runsNeeded: Int?

    /// The change with its interval, for example `+1.2% (+0.4% to +2.1%)`.
    public var changeText: String {
        "\(ChangeText.change(effect.ratio)) (\(ChangeText.interval(effect.low, effect.high)))"
    }

    init(
        metric: Metric,
        base: Sample,
        new: Sample,
        effect: Effect,
        threshold: Double,
        decides: Bool,
        alpha: Double,
        leastRuns: Int,
        sessionShift: Double = 0
    ) {
        self.metric = metric
        self.base = base
        self.new = new
        self.effect = effect
        self.threshold = threshold
        self.decides = decides
        answer = effect.answer(for: metric, threshold: threshold, alpha: alpha)
        let count = min(base.values.count, new.values.count)
        guard answer == .inconclusive else {
            runsNeeded = nil
            return
        }
        guard let mde = effect.minimumDetectableEffect, count >= leastRuns else {
            runsNeeded = max(leastRuns, count + 1)
            return
        }
        // More runs shrink what runs differ by; what results differ by stays as it is.
        let fixed = sessionShift * sessionShift
        let wanted = log(1 + threshold) * log(1 + threshold) - fixed
        let seen = log(1 + mde) * log(1 + mde) - fixed
        let needed = (Double(count) * seen / wanted).rounded(.up)
        runsNeeded =
            wanted > 0 && needed < 1e6 ? max(leastRuns, Int(max(0, needed)), count + 1) : nil
    }
}

/// A metric's values, one a run.
public struct Sample: Equatable, Sendable {
    /// The values in the order of the runs, in the base of the metric's unit.
    public let values: [Double]
    /// Their median; NaN for no values.
    public let median: Double
    /// The least.
    public let least: Double
    /// The most.
    public let most: Double

    /// Makes a sample.
    ///
    /// - Parameter values: One a run.
    public init(_ values: [Double]) {
        self.values = values
        median = Sorting.median(values)
        least = values.min() ?? .nan
        most = values.max() ?? .nan
    }
}
