import HDRHistogram

/// Service times counted by upper bounds, as monitoring wants them.
public struct ServiceTimes: Equatable, Sendable {
    /// For each bound that was asked for, how many times are not above it.
    public var counts: [UInt64]
    /// The sum of all times, in nanoseconds.
    public var sumNanoseconds: Double
    /// How many times there are.
    public var count: UInt64

    init(_ histogram: Histogram, upTo bounds: [UInt64]) {
        counts = Array(repeating: 0, count: bounds.count)
        count = UInt64(clamping: histogram.count)
        sumNanoseconds = histogram.mean * Double(histogram.count)
        var seen: UInt64 = 0
        var index = 0
        histogram.forEachSlot { slot in
            // A slot that a bound cuts through is above it: no time is called faster than it was.
            while index < bounds.count, UInt64(clamping: slot.highest) > bounds[index] {
                counts[index] = seen
                index += 1
            }
            seen &+= UInt64(clamping: slot.count)
        }
        while index < bounds.count {
            counts[index] = seen
            index += 1
        }
    }
}
