/// Metrics in Prometheus' text format 0.0.4.
///
/// Each metric's HELP and TYPE lines are written once, before its samples; the caller writes all
/// samples of one metric together.
public struct MetricsText: Sendable {
    /// What an HTTP answer says of it.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The lines so far, each with a newline.
    public private(set) var text = ""

    /// Makes an empty text.
    public init() {}

    /// Begins a metric.
    ///
    /// - Parameters:
    ///   - name: The name with its unit, such as `pushbench_service_time_seconds`.
    ///   - kind: What its samples mean.
    ///   - help: What it says, one sentence.
    public mutating func begin(_ name: String, _ kind: MetricKind, _ help: String) {
        text +=
            "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a sample of a metric that has begun.
    ///
    /// - Parameters:
    ///   - name: The metric's name, for a histogram with `_bucket`, `_sum` or `_count`.
    ///   - labels: Names and values; values may hold anything.
    ///   - value: The value in the base unit.
    public mutating func sample(
        _ name: String,
        labels: [(name: String, value: String)] = [],
        _ value: Double
    ) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(Self.number(value))\n"
    }

    /// Adds a metric of one sample without labels.
    ///
    /// - Parameters:
    ///   - name: The name with its unit.
    ///   - kind: Counter or gauge.
    ///   - help: What it says, one sentence.
    ///   - value: The value in the base unit.
    public mutating func add(_ name: String, _ kind: MetricKind, _ help: String, _ value: Double) {
        begin(name, kind, help)
        sample(name, value)
    }

    /// Adds a histogram.
    ///
    /// - Parameters:
    ///   - name: The name with its unit.
    ///   - help: What it says, one sentence.
    ///   - buckets: Upper bounds, ascending, each with the count of values up to it.
    ///   - sum: The sum of all values.
    ///   - count: The count of all values.
    public mutating func histogram(
        _ name: String,
        _ help: String,
        buckets: [(bound: Double, count: UInt64)],
        sum: Double,
        count: UInt64
    ) {
        begin(name, .histogram, help)
        for (bound, count) in buckets {
            sample("\(name)_bucket", labels: [("le", Self.number(bound))], Double(count))
        }
        sample("\(name)_bucket", labels: [("le", "+Inf")], Double(count))
        sample("\(name)_sum", sum)
        sample("\(name)_count", Double(count))
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        guard value.isFinite else { return value < 0 ? "-Inf" : "+Inf" }
        // Whole numbers without a fraction or exponent, as people read counters.
        return abs(value) < 1e15 && value == value.rounded() ? String(Int64(value)) : "\(value)"
    }

    private static func escaped(_ value: String, quotes: Bool) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
