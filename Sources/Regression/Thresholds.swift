public import Results

/// The change of each metric that matters, as a share of its base.
public struct Thresholds: Equatable, Sendable {
    /// For every metric without one of its own.
    public var standard: Double
    /// By metric name.
    public var byMetric: [String: Double]

    /// Makes thresholds.
    ///
    /// - Parameters:
    ///   - standard: For every metric without one of its own.
    ///   - byMetric: By metric name.
    public init(standard: Double, byMetric: [String: Double] = [:]) {
        self.standard = standard
        self.byMetric = byMetric
    }

    /// The threshold of a metric.
    ///
    /// - Parameter metric: The metric.
    /// - Returns: A share of the base.
    public func threshold(for metric: Metric) -> Double { byMetric[metric.name] ?? standard }

    /// Takes over `5%` for all metrics or `cpu=2%` for one.
    ///
    /// - Parameter text: What was given.
    /// - Throws: ``RegressionError`` that names the text and its form.
    public mutating func add(_ text: String) throws(RegressionError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, last.hasSuffix("%"), let percent = Double(last.dropLast()),
            (0.01...1_000).contains(percent)
        else { throw .malformedThreshold(text) }
        guard parts.count == 2 else {
            // A threshold for all metrics replaces the built-in ones of single metrics too.
            standard = percent / 100
            return
        }
        let name = String(parts[0])
        guard Metric.named(name) != nil else { throw .unknownMetric(name) }
        byMetric[name] = percent / 100
    }
}
