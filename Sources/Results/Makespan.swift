public import HDRHistogram

/// How long after the first push which share of the audience was acknowledged, in nanoseconds.
///
/// A share that was never reached is absent: with one lost push there is no ``p100``.
public struct Makespan: Codable, Equatable, Sendable {
    /// Half of the audience.
    public var p50: Int64?
    /// 90% of the audience.
    public var p90: Int64?
    /// 99% of the audience.
    public var p99: Int64?
    /// 99.9% of the audience.
    public var p999: Int64?
    /// The last install.
    public var p100: Int64?
    /// 1%, 2% and so on to 100% of the audience: as many as were reached; absent in results of
    /// versions that did not keep it, and where only numbers were read (``ResultParts/numbers``).
    public var curve: [Int64]?

    private enum CodingKeys: String, CodingKey {
        case p50, p90, p99
        case p999 = "p99_9"
        case p100, curve
    }

    /// Reads the times from a histogram of answers.
    ///
    /// - Parameters:
    ///   - histogram: For each answered push the nanoseconds since the first push.
    ///   - audience: The installs that were to be sent to, answered or not.
    public init(_ histogram: Histogram, audience: Int) {
        func time(_ thousandths: Int) -> Int64? {
            // The rank of the last install of this share, in whole numbers.
            let (scaled, overflow) = audience.multipliedReportingOverflow(by: thousandths)
            guard audience > 0, !overflow else {
                return nil
            }
            let rank = (scaled - 1) / 1_000 + 1
            guard rank <= histogram.count else {
                return nil
            }
            return histogram.value(atPercentile: Double(rank) * 100 / Double(histogram.count))
        }
        p50 = time(500)
        p90 = time(900)
        p99 = time(990)
        p999 = time(999)
        p100 = time(1_000)
        curve = (1...100).compactMap { time($0 * 10) }
    }
}
