import FoundationEssentials
public import HDRHistogram

/// A histogram of times in nanoseconds: the usual percentiles, and all of it as `hdr`.
public struct LatencySummary: Codable, Equatable, Sendable {
    /// How many times were recorded.
    public var count: Int64
    /// The least.
    public var min: Int64
    /// The mean.
    public var mean: Int64
    /// Half of all are not above this.
    public var p50: Int64
    /// 90% of all are not above this.
    public var p90: Int64
    /// 99% of all are not above this.
    public var p99: Int64
    /// 99.9% of all are not above this.
    public var p999: Int64
    /// 99.99% of all are not above this.
    public var p9999: Int64
    /// The most.
    public var max: Int64
    /// How many times were outside the histogram's range and counted at its end; absent for none.
    public var outOfRange: Int64?
    /// The histogram in HdrHistogram's V2 compressed encoding, in base64.
    public var hdr: String

    // Reading is in ResultParts.swift: a new field has to be read there.
    enum CodingKeys: String, CodingKey {
        case count, min, mean, p50, p90, p99
        case p999 = "p99_9"
        case p9999 = "p99_99"
        case max, outOfRange, hdr
    }

    /// Summarizes a histogram; nil for an empty one, whose percentiles would mean nothing.
    ///
    /// - Parameter histogram: Times in nanoseconds.
    /// - Throws: ``HDRHistogram/HistogramError/compressionFailed`` where memory ran out.
    public init?(_ histogram: Histogram) throws(HistogramError) {
        guard histogram.count > 0 else {
            return nil
        }
        count = histogram.count
        min = histogram.min
        mean = Int64(histogram.mean.rounded())
        p50 = histogram.value(atPercentile: 50)
        p90 = histogram.value(atPercentile: 90)
        p99 = histogram.value(atPercentile: 99)
        p999 = histogram.value(atPercentile: 99.9)
        p9999 = histogram.value(atPercentile: 99.99)
        max = histogram.max
        outOfRange = histogram.outOfRangeCount > 0 ? histogram.outOfRangeCount : nil
        hdr = Data(try histogram.encodeV2Compressed()).base64EncodedString()
    }

    /// The whole histogram.
    ///
    /// - Returns: A new histogram with the counts of ``hdr``; nil where that is damaged.
    public func histogram() -> Histogram? {
        Data(base64Encoded: hdr).flatMap { try? Histogram.decode(Array($0)) }
    }
}
