import Glibc
public import Results

/// How far a metric of the new side is from the base, and how sure that is.
public struct Effect: Equatable, Sendable {
    /// New by base; infinite where the base is 0 and the new is not.
    public let ratio: Double
    /// The lower end of the interval of ``ratio``; NaN where there are too few runs to say.
    public let low: Double
    /// The upper end, likewise.
    public let high: Double
    /// The rank test's two-sided p-value.
    public let pValue: Double
    /// ``pValue``, corrected for the number of metrics.
    public let adjustedPValue: Double
    /// The least change, as a share of the base, that such runs would show in nine series of ten;
    /// nil where there are too few to say, or none would.
    public let minimumDetectableEffect: Double?

    /// How probable it is that a change of ``minimumDetectableEffect`` is found.
    public static let power = 0.9

    init(
        ratio: Double,
        interval: (low: Double, high: Double),
        pValue: Double,
        adjustedPValue: Double,
        detectableShift: Double
    ) {
        self.ratio = ratio
        low = interval.low
        high = interval.high
        self.pValue = pValue
        self.adjustedPValue = adjustedPValue
        let effect = exp(detectableShift) - 1
        minimumDetectableEffect = effect.isFinite ? effect : nil
    }

    /// The answer, by the one rule that all comparisons share.
    ///
    /// - **worse** (**better**): the corrected test is significant, the interval lies on the worse
    ///   (better) side of no change, and it reaches the threshold;
    /// - **same**: the interval lies within the threshold, and a change of the threshold's size
    ///   would have been seen;
    /// - **inconclusive**: anything else.
    ///
    /// - Parameters:
    ///   - metric: What was measured; its polarity decides which side is the worse one.
    ///   - threshold: The relevant change, as a share of the base.
    ///   - alpha: The error rate that ``adjustedPValue`` is held against.
    /// - Returns: The answer.
    public func answer(for metric: Metric, threshold: Double, alpha: Double) -> Answer {
        // As a factor by which the metric got worse: above 1 is worse whatever the polarity.
        let worsening = metric.isLowerBetter ? (low, high) : (1 / high, 1 / low)
        let (least, most) = worsening
        let isSignificant = adjustedPValue <= alpha
        if isSignificant, least > 1, most >= 1 + threshold { return .worse }
        if isSignificant, most < 1, least <= 1 / (1 + threshold) { return .better }
        let isWithin = least > 1 / (1 + threshold) && most < 1 + threshold
        guard isWithin, let effect = minimumDetectableEffect, effect <= threshold else {
            return .inconclusive
        }
        return .same
    }
}
