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
    /// The part of ``detectableShift`` that whole results differ by: no further run takes it away.
    let sessionShift: Double

    /// Draws from both samples again and again, with replacement.
    ///
    /// - Parameters:
    ///   - first: The base, not empty, no value below 0.
    ///   - second: The other, likewise.
    ///   - spread: What results differ by that the values do not show.
    ///   - level: The probability that the interval misses.
    ///   - draws: How often.
    ///   - seed: The same seed draws the same.
    init(
        _ first: [Double],
        _ second: [Double],
        spread: SessionSpread,
        level: Double,
        draws: Int,
        seed: UInt64
    ) {
        ratio = Self.ratio(Sorting.median(second), Sorting.median(first))
        var random = SplitMix64(seed: seed)
        var one = first
        var other = second
        var sessions: [Double] = []
        var ratios = (0..<draws).map { _ in
            for place in one.indices { one[place] = Self.pick(first, &random) }
            for place in other.indices { other[place] = Self.pick(second, &random) }
            let drawn = Self.ratio(Sorting.median(other), Sorting.median(one))
            sessions.append(spread.draw(&random))
            return drawn * exp(sessions[sessions.count - 1])
        }
        ratios.sort()
        let cut = min(Int(Double(draws) * level / 2), (draws - 1) / 2)
        low = ratios[cut]
        high = ratios[draws - 1 - cut]
        let half = max(log(ratio / low), log(high / ratio))
        let shift = half + Self.reserve(ratios.map { log($0) })
        // Ratios of 0 or infinity leave no number: no effect however large would be safe to see.
        detectableShift = shift.isNaN ? .infinity : shift
        sessions.sort()
        sessionShift = max(-sessions[cut], sessions[draws - 1 - cut]) + Self.reserve(sessions)
    }

    /// What a change has to exceed the interval by to be found in nine cases of ten.
    private static func reserve(_ logs: [Double]) -> Double {
        let count = Double(logs.count)
        let mean = logs.reduce(0, +) / count
        let square = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
        return NormalDistribution.quantile(Effect.power) * square.squareRoot()
    }

    /// A ratio in which nothing to nothing is no change.
    private static func ratio(_ upper: Double, _ lower: Double) -> Double {
        upper == lower ? 1 : upper / lower
    }

    /// One of the values, by chance.
    static func pick(_ values: [Double], _ random: inout SplitMix64) -> Double {
        // The lower half times the count: a fair pick for any count of runs there can be.
        values[Int(((random.next() & 0xFFFF_FFFF) &* UInt64(values.count)) >> 32)]
    }
}
