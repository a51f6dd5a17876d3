/// A bound on a metric that a run has to keep, as in `--slo 'p99<50ms'`.
public struct ServiceLevelObjective: Sendable {
    /// How the value has to stand to the limit.
    public enum Comparison: String, CaseIterable, Sendable {
        // The longer ones first: that is the order in which they are looked for.
        /// At most.
        case atMost = "<="
        /// At least.
        case atLeast = ">="
        /// Less than.
        case below = "<"
        /// More than.
        case above = ">"

        /// Whether small values pass.
        var isUpperBound: Bool {
            self == .atMost || self == .below
        }

        func holds(_ value: Double, _ limit: Double) -> Bool {
            switch self {
            case .atMost: value <= limit
            case .atLeast: value >= limit
            case .below: value < limit
            case .above: value > limit
            }
        }
    }

    /// The objective as it was given, without white space.
    public let expression: String
    /// The metric.
    public let metric: Metric
    /// How the value has to stand to the limit.
    public let comparison: Comparison
    /// The bound in the metric's base unit.
    public let limit: Double

    /// Reads an objective: a metric, one of `<` `<=` `>` `>=`, a number and its unit.
    ///
    /// Durations take `ns`, `us`, `µs`, `ms`, `s` and `m` (minutes), shares `%`, memory `B` to
    /// `GB`; 0 needs no unit. A bound in the direction that is better already, as `p99>50ms`, is a
    /// slip and refused.
    ///
    /// - Parameter text: The objective.
    /// - Returns: The objective.
    /// - Throws: ``ObjectiveError`` that says what to write.
    public static func parse(_ text: String) throws(ObjectiveError) -> ServiceLevelObjective {
        let expression = text.filter { !$0.isWhitespace }
        guard let sign = expression.firstIndex(where: { "<>".contains($0) }),
            let comparison = Comparison.allCases.first(where: {
                expression[sign...].hasPrefix($0.rawValue)
            })
        else {
            throw .noComparison(text)
        }
        let name = String(expression[..<sign])
        guard let metric = Metric.named(name) else {
            throw .unknownMetric(text, name: name)
        }
        guard comparison.isUpperBound == metric.isLowerBetter else {
            throw .wrongDirection(text, name: name, isLowerBetter: metric.isLowerBetter)
        }
        let bound = expression[sign...].dropFirst(comparison.rawValue.count)
        return ServiceLevelObjective(
            expression: expression,
            metric: metric,
            comparison: comparison,
            limit: try limit(bound, metric.unit, of: text)
        )
    }

    /// Compares the runs with the objective: every one has to meet it.
    ///
    /// - Parameter runs: The repetitions.
    /// - Returns: The outcome with the worst value; not met where a run has no value, or there is
    ///   no run.
    public func evaluate(_ runs: [RunRecord]) -> SLOOutcome {
        let values = runs.map(metric.value)
        let known = values.compactMap(\.self)
        let worst = metric.isLowerBetter ? known.max() : known.min()
        let isMet =
            !runs.isEmpty
            && values.allSatisfy { value in
                value.map { comparison.holds($0, limit) } ?? false
            }
        return SLOOutcome(
            expression: expression,
            metric: metric.name,
            limit: limit,
            actual: worst,
            met: isMet
        )
    }

    private static func limit(
        _ bound: Substring,
        _ unit: MetricUnit,
        of text: String
    ) throws(ObjectiveError) -> Double {
        let digits = bound.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = plainNumber(digits) else {
            throw .badNumber(text)
        }
        let suffix = bound[digits.endIndex...]
        if let factor = unit.suffixes.first(where: { $0.suffix == suffix })?.factor {
            return number * factor
        }
        guard number == 0, suffix.isEmpty else {
            throw .badUnit(text, known: unit.suffixes.map(\.suffix))
        }
        return 0
    }
}

/// Why an objective could not be read.
public enum ObjectiveError: Error, Equatable, Sendable {
    /// There is no `<`, `<=`, `>` or `>=`.
    case noComparison(String)
    /// The name before the comparison is no metric.
    case unknownMetric(String, name: String)
    /// The bound is on the side that is better already.
    case wrongDirection(String, name: String, isLowerBetter: Bool)
    /// What follows the comparison does not begin with a number.
    case badNumber(String)
    /// The unit is missing or not one of the metric's.
    case badUnit(String, known: [String])
}

extension ObjectiveError: CustomStringConvertible {
    /// One sentence that names the objective, the fault and the mend.
    public var description: String {
        switch self {
        case .noComparison(let text):
            "The objective '\(text)' compares nothing; write for example 'p99<50ms'."
        case .unknownMetric(let text, let name):
            "The objective '\(text)' names the unknown metric '\(name)'; use one of "
                + Metric.table.map(\.name).joined(separator: ", ") + "."
        case .wrongDirection(let text, let name, let isLowerBetter):
            "The objective '\(text)' would pass when \(name) gets worse; write "
                + "'\(name)\(isLowerBetter ? "<" : ">=")...'."
        case .badNumber(let text):
            "The objective '\(text)' has no number after the comparison; write for example "
                + "'p99<50ms'."
        case .badUnit(let text, let known) where known == [""]:
            "The objective '\(text)' has a unit where a plain number belongs; leave it out."
        case .badUnit(let text, let known):
            "The objective '\(text)' needs a unit after the number: "
                + known.joined(separator: ", ") + "."
        }
    }
}
