/// Whether an objective was met.
public struct SLOOutcome: Codable, Equatable, Sendable {
    /// The objective as it was given.
    public var expression: String
    /// The metric's name.
    public var metric: String
    /// The bound in the metric's base unit: nanoseconds, a share of 1, or a plain number.
    public var limit: Double
    /// The worst value over all repetitions, in the same unit; absent where it was not measured.
    public var actual: Double?
    /// Whether every repetition met it; false where the value was not measured.
    public var met: Bool

    /// Makes an outcome.
    ///
    /// - Parameters:
    ///   - expression: The objective as it was given.
    ///   - metric: The metric's name.
    ///   - limit: The bound.
    ///   - actual: The worst value.
    ///   - met: Whether every repetition met it.
    public init(expression: String, metric: String, limit: Double, actual: Double?, met: Bool) {
        self.expression = expression
        self.metric = metric
        self.limit = limit
        self.actual = actual
        self.met = met
    }
}
