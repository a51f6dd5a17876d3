import Foundation
import PushModel
import Testing

@testable import Regression

/// The rank tests against tables, and against counting every arrangement.
@Suite struct RankTests {
    /// All ways to choose so many of the first numbers.
    private static func choices(_ count: Int, of total: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        guard total >= count else { return [] }
        return choices(count, of: total - 1)
            + choices(count - 1, of: total - 1).map { $0 + [total - 1] }
    }

    @Test(arguments: 1...6, 1...6)
    func distributionOfUIsThatOfEveryArrangement(n: Int, m: Int) {
        var counts = [Double](repeating: 0, count: n * m + 1)
        for chosen in Self.choices(m, of: n + m) {
            // Places from 0, ascending: each one has its place less those of its own below it.
            counts[chosen.enumerated().reduce(0) { $0 + $1.element - $1.offset }] += 1
        }
        #expect(RankSumTest.distribution(n, m) == counts)
    }

    /// The two-sided 5% points of the published tables: the largest U that is significant.
    @Test(arguments: [
        (4, 4, 0), (5, 5, 2), (6, 6, 5), (7, 7, 8), (8, 8, 13), (9, 9, 17), (10, 10, 23),
        (5, 10, 8), (8, 15, 29), (12, 12, 37), (15, 15, 64), (20, 20, 127), (3, 5, 0), (4, 10, 5),
    ])
    func criticalValuesAreThoseOfTheTables(n: Int, m: Int, critical: Int) {
        let counts = RankSumTest.distribution(n, m)
        let total = counts.reduce(0, +)
        #expect(2 * counts[...critical].reduce(0, +) / total <= 0.05)
        #expect(2 * counts[...(critical + 1)].reduce(0, +) / total > 0.05)
    }

    @Test func pValuesAreTwiceTheShareOfTheTail() {
        let test = RankSumTest([1.1, 2.2, 3.3, 4.4, 5.5], [2.5, 6.1, 7.2, 8.3, 9.4])
        #expect(test.u == 22 && test.isExact)
        // U is at most 3 in 7 of the 252 arrangements: 1, 1, 2 and 3 for 0 to 3.
        #expect(abs(test.pValue - 14.0 / 252) < 1e-12)
        let mirrored = RankSumTest([2.5, 6.1, 7.2, 8.3, 9.4], [1.1, 2.2, 3.3, 4.4, 5.5])
        #expect(mirrored.u == 3 && mirrored.pValue == test.pValue)
    }

    /// Shares of tails by counting every arrangement of the mean ranks.
    @Test(
        arguments: [
            ([1, 2, 2, 3], [3, 4, 4, 5], 15.5, 4.0 / 70),
            ([1, 1, 2, 3, 3], [2, 3, 4, 4, 4, 5], 26.5, 18.0 / 462),
            ([4, 4, 5, 5, 6, 7], [1, 1, 2, 2, 3, 3], 0, 2.0 / 924),
            ([1, 1, 1], [1, 1, 1], 4.5, 1),
        ] as [([Double], [Double], Double, Double)]
    )
    func tiesAreCounted(first: [Double], second: [Double], u: Double, p: Double) {
        let test = RankSumTest(first, second)
        #expect(test.u == u && test.isExact)
        #expect(abs(test.pValue - p) < 1e-12)
    }

    @Test func tiesAreCorrectedInLargeSamples() {
        // Ten of each of 1, 2, 3 and 2, 3, 4: mean ranks 5.5, 20.5, 40.5, 55.5, U = 700 of 900,
        // variance 900/12 * (61 - (10 * 99 * 2 + 20 * 399 * 2) / (60 * 59)) = 4194.9,
        // z = (700 - 450 - 0.5) / 64.768 = 3.8522.
        let first = (0..<30).map { Double($0 / 10 + 1) }
        let test = RankSumTest(first, first.map { $0 + 1 })
        #expect(test.u == 700 && !test.isExact)
        #expect(abs(test.pValue - 0.000_117) < 1e-6)
        #expect(RankSumTest([], [1]).pValue == 1)
    }

    @Test func approximationMeetsTheExactValueWhereBothHold() {
        var random = SplitMix64(seed: 7)
        let first = (0..<51).map { _ in Double.random(in: 0...1, using: &random) }
        let second = (0..<51).map { _ in Double.random(in: 0.15...1.15, using: &random) }
        let approximate = RankSumTest(first, second)
        let exact = RankSumTest(Array(first.dropLast()), Array(second.dropLast()))
        #expect(!approximate.isExact && exact.isExact)
        #expect(approximate.pValue / exact.pValue > 0.3 && approximate.pValue / exact.pValue < 3)
    }

    @Test(arguments: 1...10)
    func distributionOfSignedRanksIsThatOfEverySign(count: Int) {
        var counts = [Double](repeating: 0, count: count * (count + 1) / 2 + 1)
        for signs in 0..<1 << count {
            counts[(0..<count).reduce(0) { $0 + (signs >> $1 & 1) * ($1 + 1) }] += 1
        }
        let total = Double(1 << count)
        #expect(SignedRankTest.distribution(ranks: Array(1...count)) == counts.map { $0 / total })
    }

    /// The largest sum of the rarer sign that is significant at 5%, two-sided, in the tables.
    @Test(arguments: [
        (6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (12, 13), (15, 25), (20, 52), (25, 89), (30, 137),
    ])
    func criticalSumsAreThoseOfTheTables(count: Int, critical: Int) {
        let shares = SignedRankTest.distribution(ranks: Array(1...count))
        #expect(2 * shares[...critical].reduce(0, +) <= 0.05)
        #expect(2 * shares[...(critical + 1)].reduce(0, +) > 0.05)
    }

    @Test func signedRanksOfPairs() {
        // Sum of positive ranks 2 + 3 + 4 + 5 + 6 + 7 + 8 = 35; 2 of 256 sums are 0 or 1, doubled.
        let test = SignedRankTest([-1, 2, 3, 4, 5, 6, 7, 8, 0])
        #expect(test.w == 35 && test.count == 8)
        #expect(abs(test.pValue - 2 * 2.0 / 256) < 1e-12)
        // Four equal sizes: all of one sign in 2 of 16 ways.
        #expect(abs(SignedRankTest([1, 1, 1, 1]).pValue - 0.125) < 1e-12)
        #expect(SignedRankTest([0, 0]).pValue == 1)
    }

    @Test func intervalHoldsZeroExactlyWhereTheTestFindsNothing() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<300 {
            let count = Int.random(in: 5...60, using: &random)
            let shift = Double.random(in: -0.5...0.5, using: &random)
            let values = (0..<count).map { _ in
                shift + Double.random(in: -1...1, using: &random)
            }
            for level in [0.05, 0.01] {
                let estimate = SignedRankEstimate(values, level: level)
                let pValue = SignedRankTest(values).pValue
                // The approximation's steps may lie either side of the level.
                guard abs(pValue / level - 1) > 0.05 else { continue }
                let holdsZero = estimate.low <= 0 && estimate.high >= 0
                #expect(holdsZero == (pValue > level), "\(count) \(pValue) \(estimate)")
                #expect(estimate.low <= estimate.center && estimate.center <= estimate.high)
            }
        }
        #expect(SignedRankEstimate([1, 2, 3], level: 0.05).low == -.infinity)
    }

    @Test func holmCorrectsStepByStep() {
        let adjusted = HolmCorrection.adjusted([0.01, 0.04, 0.03, 0.005])
        for (found, expected) in zip(adjusted, [0.03, 0.06, 0.06, 0.02]) {
            #expect(abs(found - expected) < 1e-12)
        }
        #expect(HolmCorrection.adjusted([0.9, 0.8]) == [1, 1])
        #expect(HolmCorrection.adjusted([]) == [])
    }

    @Test(arguments: [
        (0.5, 0), (0.975, 1.959_963_984_540), (0.995, 2.575_829_303_549),
        (0.9, 1.281_551_565_545), (0.025, -1.959_963_984_540), (1e-9, -5.997_807_015_008),
    ])
    func quantilesAreThoseOfTheTables(share: Double, quantile: Double) {
        #expect(abs(NormalDistribution.quantile(share) - quantile) < 1e-9)
        #expect(abs(NormalDistribution.upperTail(-quantile) - share) < 1e-10)
    }

    @Test func bootstrapIsTheSameForASeedAndCoversTheRatio() {
        var random = SplitMix64(seed: 11)
        let base = (0..<41).map { _ in Double.random(in: 100...101, using: &random) }
        let new = base.map { $0 * 1.1 }
        func draw(_ seed: UInt64) -> Bootstrap {
            Bootstrap(
                base,
                new,
                spread: SessionSpread(standardError: 0),
                level: 0.01,
                draws: 2_000,
                seed: seed
            )
        }
        let (one, other) = (draw(1), draw(1))
        #expect(one.low == other.low && one.high == other.high)
        #expect(one.low != draw(2).low || one.high != draw(2).high)
        #expect(abs(one.ratio - 1.1) < 1e-12)
        #expect(one.low < 1.1 && one.high > 1.1 && one.low > 1 && one.detectableShift > 0)
        let wide = Bootstrap(
            base,
            new,
            spread: SessionSpread(standardError: 0.1),
            level: 0.01,
            draws: 2_000,
            seed: 1
        )
        // 2.58 standard errors to each side.
        #expect(abs(log(wide.high / wide.ratio) - 0.258) < 0.03)
        #expect(abs(log(wide.ratio / wide.low) - 0.258) < 0.03)
        // Student's distribution of four degrees: 4.60 standard errors.
        let unsure = SessionSpread(standardError: 0.1, degrees: 4)
        let wider = Bootstrap(base, new, spread: unsure, level: 0.01, draws: 20_000, seed: 1)
        #expect(abs(log(wider.high / wider.ratio) - 0.46) < 0.06)
        func small(_ base: [Double], _ new: [Double]) -> Bootstrap {
            Bootstrap(
                base,
                new,
                spread: SessionSpread(standardError: 0),
                level: 0.01,
                draws: 100,
                seed: 1
            )
        }
        let zeros = small([0, 0, 0], [0, 0, 0])
        #expect(zeros.ratio == 1 && zeros.low == 1 && zeros.high == 1 && zeros.detectableShift == 0)
        #expect(small([0, 0], [1, 1]).ratio == .infinity)
        #expect(small([0, 0], [1, 1]).detectableShift == .infinity)
    }

    @Test func largestDifferenceHasToBeOvercomeWhereAllRunsMustBeApart() {
        let power = RankSumPower(level: 2.0 / 924, seed: 1)
        // Of 6 and 6 runs only the two arrangements without any overlap reach this level.
        let values = [90.0, 95, 99, 101, 105, 110]
        let shift = power.detectableShift(values, values)
        #expect(shift > 0.15 && shift < log(110.0 / 90) * 1.15)
        #expect(
            RankSumPower(level: 1.0 / 924, seed: 1).detectableShift(values, values) == .infinity
        )
        #expect(power.detectableShift([7, 7, 7, 7, 7, 7], [8, 8, 8, 8, 8, 8]) == 0)
        // A value of 0 has no logarithm: the bootstrap has the word.
        #expect(power.detectableShift([0, 1, 1, 1, 1, 1], values) == 0)
        // Large samples take the normal distribution.
        let many = (0..<120).map { 100 + Double($0 % 10) }
        let fine = power.detectableShift(many, many)
        #expect(fine > 0.005 && fine < 0.03)
    }

    @Test func resultsOfOneSideTellWhatResultsDifferBy() {
        func error(_ base: [[Double]], _ new: [[Double]]) -> Double {
            SessionSpread(base, new).standardError
        }
        // One run a result: the runs have it all.
        #expect(error([[1], [2], [3]], [[1], [2], [3]]) == 0)
        #expect(error([[5, 5]], [[5, 5]]) == 0)
        #expect(error([[0, 0]], [[5, 5]]) == 0)
        // Of one result a side, a result is taken to vary twice as much as a run.
        let runs = [1, exp(0.1)]
        #expect(abs(error([runs], [runs]) - (2 * 0.005 * 2).squareRoot()) < 1e-9)
        // Many results that agree, or do not, outweigh that.
        let alike = Array(repeating: runs, count: 20)
        #expect(error(alike, alike) < 0.02)
        let apart = (0..<20).map { place in runs.map { $0 * (place % 2 == 0 ? 1 : 1.5) } }
        #expect(error(apart, apart) > 0.05)
    }
}
