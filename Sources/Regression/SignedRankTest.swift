import Glibc
import Synchronization

/// Wilcoxon's signed-rank test: whether differences within pairs lie around zero.
///
/// Exact under the one assumption that each difference could as well have had the other sign, which
/// a random order within each pair makes true of two equal builds whatever the machine does: drift,
/// heavy tails and what one pair leaves for the next change sizes and not signs. Differences of
/// equal size share their mean rank; zeros are left out.
public struct SignedRankTest: Equatable, Sendable {
    /// The sum of the ranks of positive differences.
    public let w: Double
    /// The probability of a sum at least as far from its mean, were signs a matter of chance;
    /// two-sided.
    public let pValue: Double
    /// The differences that are not zero.
    public let count: Int

    /// Above this many differences the normal approximation stands in for the distribution.
    static let largestExact = 50

    /// Tests differences.
    ///
    /// - Parameter differences: One for each pair.
    public init(_ differences: [Double]) {
        let used = differences.filter { $0 != 0 }
        let ranked = Sorting.ranks(used.map(abs))
        w = zip(used, ranked.ranks).reduce(0) { $1.0 > 0 ? $0 + $1.1 : $0 }
        count = used.count
        guard count > 0 else {
            pValue = 1
            return
        }
        let total = Double(count * (count + 1)) / 2
        let extreme = max(w, total - w)
        guard count <= Self.largestExact else {
            let variance = ranked.ranks.reduce(0) { $0 + $1 * $1 } / 4
            let z = (extreme - total / 2 - 0.5) / variance.squareRoot()
            pValue = min(1, 2 * NormalDistribution.upperTail(z))
            return
        }
        // Shared ranks may be halves; doubled, all are whole.
        let scale = ranked.ties.isEmpty ? 1.0 : 2
        let shares =
            ranked.ties.isEmpty
            ? Self.distribution(count: count)
            : Self.distribution(ranks: ranked.ranks.map { Int($0 * scale) })
        pValue = min(1, 2 * shares[Int(extreme * scale)...].reduce(0, +))
    }

    /// The least p-value that so many differences can have.
    ///
    /// - Parameter count: The differences.
    /// - Returns: Two divided by the number of ways to choose signs, at most 1.
    public static func leastPValue(_ count: Int) -> Double {
        min(1, 2 * pow(0.5, Double(count)))
    }

    /// Distributions that were asked for before: each look of a series asks for the same one for
    /// every metric, twice.
    private static let known = Mutex<[Int: [Double]]>([:])

    /// The probability of each sum where no rank is shared.
    static func distribution(count: Int) -> [Double] {
        if let shares = known.withLock({ $0[count] }) { return shares }
        let shares = distribution(ranks: Array(1...count))
        known.withLock { $0[count] = shares }
        return shares
    }

    /// The probability of each sum of the ranks that chance chooses.
    static func distribution(ranks: [Int]) -> [Double] {
        var shares = [Double](repeating: 0, count: ranks.reduce(0, +) + 1)
        shares[0] = 1
        var top = 0
        for rank in ranks {
            top += rank
            for place in stride(from: top, through: 0, by: -1) {
                let chosen = place >= rank ? shares[place - rank] : 0
                shares[place] = (shares[place] + chosen) / 2
            }
        }
        return shares
    }
}

/// The Hodges-Lehmann estimate of where differences lie, with the interval that belongs to the
/// signed-rank test: it holds zero exactly where the test finds nothing.
public struct SignedRankEstimate: Equatable, Sendable {
    /// The median of the means of all pairs of differences.
    public let center: Double
    /// The interval's lower end; minus infinity where there are too few differences for the level.
    public let low: Double
    /// The interval's upper end; infinity where there are too few differences for the level.
    public let high: Double

    /// Estimates.
    ///
    /// - Parameters:
    ///   - differences: One for each pair, not empty.
    ///   - level: The probability, above 0, that the interval misses.
    public init(_ differences: [Double], level: Double) {
        var means: [Double] = []
        means.reserveCapacity(differences.count * (differences.count + 1) / 2)
        for (place, first) in differences.enumerated() {
            for second in differences[place...] { means.append((first + second) / 2) }
        }
        means.sort()
        center = Sorting.medianOfSorted(means)
        let cut = Self.cut(differences.count, level: level)
        guard let cut, cut < means.count - cut else {
            low = -.infinity
            high = .infinity
            return
        }
        low = means[cut]
        high = means[means.count - 1 - cut]
    }

    /// How many means lie outside at each end; nil where even none is too many.
    private static func cut(_ count: Int, level: Double) -> Int? {
        guard count > 0, SignedRankTest.leastPValue(count) <= level else { return nil }
        guard count <= SignedRankTest.largestExact else {
            let total = Double(count * (count + 1)) / 2
            let deviation = (total * Double(2 * count + 1) / 12).squareRoot()
            let place = total / 2 - NormalDistribution.quantile(1 - level / 2) * deviation - 0.5
            return max(0, Int(place))
        }
        var below = 0.0
        let shares = SignedRankTest.distribution(count: count)
        let first = shares.firstIndex { share in
            below += share
            return below * 2 > level
        }
        return first.map { $0 - 1 }
    }
}
