import PushModel
import Testing

@testable import MockAPNs

@Suite struct AnswerDelayTests {
    private static let millisecond: UInt64 = 1_000_000

    private func delays(_ delay: AnswerDelay, elapsed: UInt64 = 0) -> [Double] {
        var random = SplitMix64(seed: 5)
        return (0..<100_000).map { _ in
            Double(delay.nanoseconds(draw: random.next(), elapsed: elapsed)) / 1e6
        }.sorted()
    }

    private func delay(_ law: AnswerDelay.Law) -> AnswerDelay {
        var delay = AnswerDelay()
        delay.law = law
        return delay
    }

    /// Law, and what mean, median and 99th percentile of a hundred thousand are near to, in ms.
    @Test(arguments: [
        (AnswerDelay.Law.constant(5_000_000), 5.0, 5.0, 5.0),
        (.uniform(2_000_000, 4_000_000), 3.0, 3.0, 3.98),
        // ln 2 and ln 100 means.
        (.exponential(mean: 10_000_000), 10.0, 6.931, 46.05),
        // exp(σ²/2) and exp(2.3263 σ) medians.
        (.logNormal(median: 20_000_000, sigma: 0.5), 22.663, 20.0, 64.0),
        (
            .twoPoint(fast: 1_000_000, slow: 100_000_000, slowShare: Share(fraction: 0.1)), 10.9,
            1.0, 100.0
        ),
    ])
    func lawsAreWhatTheyAreCalled(
        _ law: AnswerDelay.Law,
        _ mean: Double,
        _ median: Double,
        _ high: Double
    ) {
        let times = delays(delay(law))
        #expect(abs(times.reduce(0, +) / 100_000 - mean) < 0.03 * mean)
        #expect(abs(times[50_000] - median) < 0.03 * median)
        #expect(abs(times[99_000] - high) < 0.05 * high)
    }

    @Test(arguments: [0.01, 100]) func driftBeyondAllBoundsLeavesNoTimeAtAllAsItIs(_ drift: Double)
    {
        var drifting = delay(
            .twoPoint(fast: 0, slow: Self.millisecond, slowShare: Share(fraction: 0.5))
        )
        drifting.driftPerMinute = drift
        let week: UInt64 = 7 * 24 * 3_600_000_000_000
        let slow: UInt64 = drift > 1 ? 3_600_000_000_000 : 0
        #expect(drifting.nanoseconds(draw: .max, elapsed: week) == 0)
        #expect(drifting.nanoseconds(draw: 0, elapsed: week) == slow)
    }

    @Test func driftMultipliesByTheMinute() {
        var drifting = delay(.constant(10 * Self.millisecond))
        drifting.driftPerMinute = 1.5
        #expect(drifting.nanoseconds(draw: 0, elapsed: 0) == 10_000_000)
        #expect(drifting.nanoseconds(draw: 0, elapsed: 60_000_000_000) == 15_000_000)
        #expect(drifting.nanoseconds(draw: 0, elapsed: 120_000_000_000) == 22_500_000)
        // Without end it stops at an hour.
        #expect(drifting.nanoseconds(draw: 0, elapsed: .max / 2) == 3_600_000_000_000)
    }

    @Test func whatFallsIntoAStallWaitsForItsEnd() {
        var stalling = delay(.constant(100))
        stalling.stalls = [.init(start: 1000, length: 500), .init(start: 5000, length: 1)]
        for (elapsed, due) in [
            (0, 100), (899, 999), (900, 1500), (1000, 1500), (1399, 1500), (1400, 1500),
            (1499, 1599), (4900, 5001),
        ] as [(UInt64, UInt64)] {
            #expect(elapsed + stalling.nanoseconds(draw: 0, elapsed: elapsed) == due)
        }
    }

    @Test func answersAtOnceStallToo() {
        var stalling = AnswerDelay()
        #expect(stalling.isNone)
        stalling.stalls = [.init(start: 10, length: 10)]
        #expect(!stalling.isNone)
        #expect(stalling.nanoseconds(draw: 0, elapsed: 9) == 0)
        #expect(stalling.nanoseconds(draw: 0, elapsed: 12) == 8)
    }
}
