import Glibc
import PushModel

/// How large a change has to be for a rank-sum test to see it.
///
/// The values' own spread is drawn again and again, as the bootstrap does, so that heavy tails, two
/// modes and the coarse steps of small samples are in the answer, which a normal distribution knows
/// nothing of.
struct RankSumPower {
    /// The p-value that the test has to reach.
    let level: Double
    /// What it draws with.
    let seed: UInt64

    private static let draws = 100

    /// The least change that would be seen in nine series of ten.
    ///
    /// - Parameters:
    ///   - first: A sample, not empty, no value below 0.
    ///   - second: The other, likewise.
    /// - Returns: A difference of logarithms; 0 where no value differs within its sample or where
    ///   zeros leave it to the bootstrap to say, infinite where the test can never reach the level.
    func detectableShift(_ first: [Double], _ second: [Double]) -> Double {
        guard let needed = leastU(first.count, second.count) else { return .infinity }
        let spread = Self.residuals(first) + Self.residuals(second)
        guard spread.contains(where: { $0 != 0 }), spread.allSatisfy(\.isFinite) else { return 0 }
        // Two centres were taken from the values: what is left lies too close to them.
        let freedom = Double(spread.count)
        let stretch = (freedom / max(1, freedom - 2)).squareRoot()
        var random = SplitMix64(seed: seed)
        var one = first
        var other = second
        var shifts = (0..<Self.draws).map { _ in
            for place in one.indices { one[place] = Bootstrap.pick(spread, &random) }
            for place in other.indices { other[place] = Bootstrap.pick(spread, &random) }
            return Self.leastShift(one.sorted(), other.sorted(), needed: needed)
        }
        shifts.sort()
        return max(0, shifts[Int(Double(Self.draws) * Effect.power)]) * stretch
    }

    /// How far `other` has to be shifted so that `needed` pairs have the larger value there.
    private static func leastShift(_ one: [Double], _ other: [Double], needed: Int) -> Double {
        var low = one[0] - other[other.count - 1]
        var high = one[one.count - 1] - other[0]
        // A millionth is far below what any run can repeat.
        while high - low > 1e-6 {
            let shift = (low + high) / 2
            var smaller = 0
            var count = 0
            for value in other {
                while smaller < one.count, one[smaller] <= value + shift { smaller += 1 }
                count += smaller
            }
            if count >= needed { high = shift } else { low = shift }
        }
        return high
    }

    /// The least U that reaches the level; nil where none does.
    private func leastU(_ n: Int, _ m: Int) -> Int? {
        let pairs = n * m
        guard max(n, m) <= RankSumTest.largestExactSample else {
            let deviation = (Double(pairs) / 12 * Double(n + m + 1)).squareRoot()
            let z = NormalDistribution.quantile(1 - level / 2)
            let u = Int((Double(pairs) / 2 + 0.5 + z * deviation).rounded(.up))
            return u <= pairs ? u : nil
        }
        let counts = RankSumTest.distribution(n, m)
        let total = counts.reduce(0, +)
        var tail = 0.0
        var least: Int?
        for u in counts.indices.reversed() {
            tail += counts[u]
            guard 2 * tail / total <= level else { break }
            least = u
        }
        return least
    }

    /// The logarithms less their median.
    private static func residuals(_ values: [Double]) -> [Double] {
        guard let one = values.first, values.contains(where: { $0 != one }) else {
            return values.map { _ in 0 }
        }
        let logs = values.map { log($0) }
        let middle = Sorting.median(logs)
        return logs.map { $0 - middle }
    }
}
