import HDRHistogram

/// A number that a run yields, with its unit and the direction in which it is better.
///
/// The one table behind objectives, comparisons and trends.
public struct Metric: Sendable {
    /// The name, as in `--slo 'p99<50ms'`.
    public let name: String
    /// The unit of the value.
    public let unit: MetricUnit
    /// Whether less is better.
    public let isLowerBetter: Bool
    /// What it says, in a few words for help and tables.
    public let meaning: String
    /// Reads the value from a run in the unit's base; nil where it was not measured.
    public let value: @Sendable (RunRecord) -> Double?

    private init(
        _ name: String,
        _ unit: MetricUnit,
        isLowerBetter: Bool = true,
        _ meaning: String,
        value: @escaping @Sendable (RunRecord) -> Double?
    ) {
        self.name = name
        self.unit = unit
        self.isLowerBetter = isLowerBetter
        self.meaning = meaning
        self.value = value
    }

    /// Every metric that has a fixed name, the most telling first.
    public static let table: [Metric] = [
        Metric("rate", .perSecond, isLowerBetter: false, "answered pushes per second") {
            $0.throughput.pushesPerSecond
        },
        Metric("makespan", .duration, "first push to the last install's answer") {
            $0.makespan?.p100.map(Double.init)
        },
        Metric("p50", .duration, "median response time") {
            $0.latency.response.map { Double($0.p50) }
        },
        Metric("p90", .duration, "90th percentile of the response time") {
            $0.latency.response.map { Double($0.p90) }
        },
        Metric("p99", .duration, "99th percentile of the response time") {
            $0.latency.response.map { Double($0.p99) }
        },
        Metric("p99.9", .duration, "99.9th percentile of the response time") {
            $0.latency.response.map { Double($0.p999) }
        },
        Metric("p99.99", .duration, "99.99th percentile of the response time") {
            $0.latency.response.map { Double($0.p9999) }
        },
        Metric("max", .duration, "longest response time") {
            $0.latency.response.map { Double($0.max) }
        },
        Metric("errors", .share, "share of the audience that was not accepted") {
            $0.account.errorShare
        },
        Metric("cpu", .duration, "client CPU time per push") {
            $0.cost.cpuNanosecondsPerPush
        },
        Metric("rss", .bytes, "peak memory of the client") {
            $0.cost.peakRSSBytes.map(Double.init)
        },
        Metric("allocations", .count, "heap allocations per push") {
            $0.cost.allocationsPerPush
        },
    ]

    /// The metric of a name.
    ///
    /// - Parameter name: A name of ``table``, or `p` and a percentile above 0 and below 100, which
    ///   is then read from the stored histogram.
    /// - Returns: The metric; nil for an unknown name.
    public static func named(_ name: String) -> Metric? {
        if let metric = table.first(where: { $0.name == name }) {
            return metric
        }
        guard name.hasPrefix("p"), let percentile = plainNumber(name.dropFirst()),
            percentile > 0, percentile < 100
        else {
            return nil
        }
        return Metric(name, .duration, "percentile \(name.dropFirst()) of the response time") {
            guard let response = $0.latency.response else {
                return nil
            }
            return response.histogram().map { Double($0.value(atPercentile: percentile)) }
        }
    }
}

/// A number of digits with at most one point, and no sign, exponent or name.
func plainNumber(_ text: Substring) -> Double? {
    let isPlain = text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
    }
    return isPlain && text.utf8.first != UInt8(ascii: ".") && text.utf8.last != UInt8(ascii: ".")
        ? Double(text) : nil
}
