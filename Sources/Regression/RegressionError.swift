import Results

/// Why a comparison cannot be made.
public enum RegressionError: Error, Equatable, Sendable {
    /// Not `5%` and not `cpu=2%`.
    case malformedThreshold(String)
    /// No metric has this name.
    case unknownMetric(String)
    /// Neither side measured any of the metrics that decide.
    case nothingMeasured([String])
    /// A number that has to be positive and finite is not.
    case noNumber(metric: String)
}

extension RegressionError {
    /// Whether the results are at fault, and not the words that chose what to compare.
    public var isOfTheData: Bool {
        switch self {
        case .malformedThreshold, .unknownMetric: false
        case .nothingMeasured, .noNumber: true
        }
    }
}

extension RegressionError: CustomStringConvertible {
    /// One sentence that names the fault and the mend.
    public var description: String {
        switch self {
        case .malformedThreshold(let text):
            "The threshold \(text) does not fit: give a percentage such as 5%, or one for a metric "
                + "such as cpu=2%."
        case .unknownMetric(let name):
            "There is no metric \(name): give one of "
                + Metric.table.map(\.name).joined(separator: ", ") + ", or another percentile."
        case .nothingMeasured(let names):
            "Not all runs have measured \(names.joined(separator: ", ")): compare another metric."
        case .noNumber(let metric):
            "A run has no usable number for \(metric): it is damaged."
        }
    }
}
