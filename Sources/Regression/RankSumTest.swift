/// The Mann-Whitney U test: whether one of two independent samples tends to larger values.
///
/// The p-value is two-sided. It is exact where neither sample has more than ``largestExactSample``
/// values, or ``largestTiedSample`` where values come twice; else it is the normal approximation with
/// corrections for ties and continuity.
public struct RankSumTest: Equatable, Sendable {
    /// How many pairs have the larger value in the second sample, ties counting half.
    public let u: Double
    /// The probability of a U at least as far from its mean, were both samples of one kind.
    public let pValue: Double
    /// Whether ``pValue`` is from the exact distribution.
    public let isExact: Bool

    /// The largest sample for which every arrangement is counted.
    public static let largestExactSample = 50
    /// The same where values come twice, which takes more work to count.
    public static let largestTiedSample = 20

    /// Tests two samples.
    ///
    /// - Parameters:
    ///   - first: A sample; an empty one makes the p-value 1.
    ///   - second: The other.
    public init(_ first: [Double], _ second: [Double]) {
        let ranked = Sorting.ranks(first + second)
        let (n, m) = (Double(first.count), Double(second.count))
        u = ranked.ranks.suffix(second.count).reduce(0, +) - m * (m + 1) / 2
        guard !first.isEmpty, !second.isEmpty else {
            pValue = 1
            isExact = true
            return
        }
        let extreme = max(u, n * m - u)
        let largest = max(first.count, second.count)
        isExact =
            largest <= (ranked.ties.isEmpty ? Self.largestExactSample : Self.largestTiedSample)
        if isExact, ranked.ties.isEmpty {
            let counts = Self.distribution(first.count, second.count)
            let tail = counts[Int(extreme)...].reduce(0, +) / counts.reduce(0, +)
            pValue = min(1, 2 * tail)
        } else if isExact {
            // Shared ranks may be halves; doubled, all are whole.
            let doubled = ranked.ranks.map { Int($0 * 2) }
            let counts = Self.distribution(ranks: doubled, choosing: second.count)
            let sum = doubled.suffix(second.count).reduce(0, +)
            let tail = min(counts[sum...].reduce(0, +), counts[...sum].reduce(0, +))
            pValue = min(1, 2 * tail / counts.reduce(0, +))
        } else {
            let total = n + m
            let ties = ranked.ties.reduce(0.0) { sum, count in
                sum + Double(count) * (Double(count) * Double(count) - 1)
            }
            let variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
            guard variance > 0 else {
                pValue = 1
                return
            }
            let z = (extreme - n * m / 2 - 0.5) / variance.squareRoot()
            pValue = min(1, 2 * NormalDistribution.upperTail(z))
        }
    }

    /// The least p-value that samples of these sizes can have.
    ///
    /// - Parameters:
    ///   - n: The size of one sample.
    ///   - m: The size of the other.
    /// - Returns: Two divided by the number of arrangements, at most 1.
    public static func leastPValue(_ n: Int, _ m: Int) -> Double {
        guard n > 0, m > 0 else { return 1 }
        var arrangements = 1.0
        for step in 1...min(n, m) {
            arrangements = arrangements * Double(n + m - step + 1) / Double(step)
        }
        return min(1, 2 / arrangements)
    }

    /// How many choices of so many ranks have each sum.
    static func distribution(ranks: [Int], choosing count: Int) -> [Double] {
        let width = ranks.reduce(0, +) + 1
        var counts = [[Double]](repeating: Array(repeating: 0, count: width), count: count + 1)
        counts[0][0] = 1
        var top = 0
        for rank in ranks {
            top += rank
            for chosen in stride(from: count, to: 0, by: -1) {
                for sum in rank...top { counts[chosen][sum] += counts[chosen - 1][sum - rank] }
            }
        }
        return counts[count]
    }

    /// How many arrangements of two samples have each U, without ties.
    static func distribution(_ n: Int, _ m: Int) -> [Double] {
        // Gaussian binomial coefficient: the product of (1 - x^(m + i)) / (1 - x^i) for i up to n.
        var counts = [Double](repeating: 0, count: n * m + 1)
        counts[0] = 1
        guard n > 0, m > 0 else { return counts }
        for factor in 1...n {
            for place in stride(from: counts.count - 1, through: 0, by: -1)
            where place >= m + factor {
                counts[place] -= counts[place - m - factor]
            }
            for place in counts.indices where place >= factor {
                counts[place] += counts[place - factor]
            }
        }
        return counts
    }
}
