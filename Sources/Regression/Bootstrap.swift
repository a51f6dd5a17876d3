import Glibc
import PushModel

/// A seeded bootstrap of the ratio of two medians.
struct Bootstrap {
    /// The ratio of the samples' medians, second by first.
    let ratio: Double
    /// The lower end of the percentile interval.
    let low: Double
    /// The upper end.
    let high: Double
    /// The spread of the logarithm of the ratio over the draws: its standard error.
    let standardError: Double

    /// Draws from both samples again and again, with replacement.
    ///
    /// - Parameters:
    ///   - first: The base, not empty, no value below 0.
    ///   - second: The other, likewise.
    ///   - level: The probability that the interval misses.
    ///   - draws: How often.
    ///   - seed: The same seed draws the same.
    init(_ first: [Double], _ second: [Double], level: Double, draws: Int, seed: UInt64) {
        ratio = Self.ratio(Sorting.median(second), Sorting.median(first))
        var random = SplitMix64(seed: seed)
        var one = first
        var other = second
        var ratios = (0..<draws).map { _ in
            for place in one.indices { one[place] = Self.pick(first, &random) }
            for place in other.indices { other[place] = Self.pick(second, &random) }
            return Self.ratio(Sorting.median(other), Sorting.median(one))
        }
        ratios.sort()
        let cut = min(Int(Double(draws) * level / 2), (draws - 1) / 2)
        low = ratios[cut]
        high = ratios[draws - 1 - cut]
        let logs = ratios.map { log($0) }
        let mean = logs.reduce(0, +) / Double(draws)
        let square = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(draws)
        // Ratios of 0 or infinity leave no number: no effect however large would be safe to see.
        standardError = square.isNaN ? .infinity : square.squareRoot()
    }

    /// A ratio in which nothing to nothing is no change.
    private static func ratio(_ upper: Double, _ lower: Double) -> Double {
        upper == lower ? 1 : upper / lower
    }

    private static func pick(_ values: [Double], _ random: inout SplitMix64) -> Double {
        // The lower half times the count: a fair pick for any count of runs there can be.
        values[Int(((random.next() & 0xFFFF_FFFF) &* UInt64(values.count)) >> 32)]
    }
}
