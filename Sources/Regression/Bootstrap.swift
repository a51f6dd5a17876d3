import Glibc
import PushModel

/// A seeded bootstrap of the ratio of two medians, with what whole results differ by on top.
struct Bootstrap {
    /// The ratio of the samples' medians, second by first.
    let ratio: Double
    /// The lower end of the percentile interval.
    let low: Double
    /// The upper end.
    let high: Double
    /// The least logarithm of the ratio of which the interval would exclude 0 in nine cases of ten;
    /// infinite where none would.
    let detectableShift: Double

    /// Draws from both samples again and again, with replacement.
    ///
    /// - Parameters:
    ///   - first: The base, not empty, no value below 0.
    ///   - second: The other, likewise.
    ///   - spread: The standard error of the ratio's logarithm that the values do not show.
    ///   - level: The probability that the interval misses.
    ///   - draws: How often.
    ///   - seed: The same seed draws the same.
    init(
        _ first: [Double],
        _ second: [Double],
        spread: Double,
        level: Double,
        draws: Int,
        seed: UInt64
    ) {
        ratio = Self.ratio(Sorting.median(second), Sorting.median(first))
        var random = SplitMix64(seed: seed)
        var one = first
        var other = second
        var ratios = (0..<draws).map { _ in
            for place in one.indices { one[place] = Self.pick(first, &random) }
            for place in other.indices { other[place] = Self.pick(second, &random) }
            let drawn = Self.ratio(Sorting.median(other), Sorting.median(one))
            return spread > 0 ? drawn * exp(spread * Self.normal(&random)) : drawn
        }
        ratios.sort()
        let cut = min(Int(Double(draws) * level / 2), (draws - 1) / 2)
        low = ratios[cut]
        high = ratios[draws - 1 - cut]
        let logs = ratios.map { log($0) }
        let mean = logs.reduce(0, +) / Double(draws)
        let square = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(draws)
        let half = max(log(ratio / low), log(high / ratio))
        let shift = half + NormalDistribution.quantile(Effect.power) * square.squareRoot()
        // Ratios of 0 or infinity leave no number: no effect however large would be safe to see.
        detectableShift = shift.isNaN ? .infinity : shift
    }

    /// A ratio in which nothing to nothing is no change.
    private static func ratio(_ upper: Double, _ lower: Double) -> Double {
        upper == lower ? 1 : upper / lower
    }

    private static func normal(_ random: inout SplitMix64) -> Double {
        let radius = (-2 * log(Double.random(in: .leastNormalMagnitude...1, using: &random)))
            .squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0...1, using: &random))
    }

    /// One of the values, by chance.
    static func pick(_ values: [Double], _ random: inout SplitMix64) -> Double {
        // The lower half times the count: a fair pick for any count of runs there can be.
        values[Int(((random.next() & 0xFFFF_FFFF) &* UInt64(values.count)) >> 32)]
    }
}
