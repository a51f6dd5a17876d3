import CAllocCounter
import Testing

@testable import HDRHistogram

@Suite struct HistogramTests {
    private static let percentiles: [(hundredThousandths: Int, percentile: Double)] = [
        (0, 0), (1, 0.001), (7_000, 7), (50_000, 50), (90_000, 90), (99_000, 99), (99_900, 99.9),
        (99_990, 99.99), (99_999, 99.999), (100_000, 100),
    ]

    @Test(arguments: Distribution.allCases, [UInt64(1), 2, 3])
    func percentilesEqualOrderStatisticsWithinTheDigits(shape: Distribution, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for size in [1, 2, 3, 10, 999, 1_000, 1_001, 100_000] {
            let histogram = Histogram(.latency)
            let values = (0..<size).map { _ in shape.draw(&random) }
            for value in values {
                histogram.record(value)
            }
            let sorted = values.sorted()
            for (hundredThousandths, percentile) in Self.percentiles {
                // The rank in integers: ceil(percentile / 100 × size), at least 1.
                let rank = max((hundredThousandths * size + 99_999) / 100_000, 1)
                let exact = sorted[rank - 1]
                let answer = histogram.value(atPercentile: percentile)
                let slot = histogram.configuration.slot(of: exact)
                let lowest = histogram.configuration.lowestValue(ofSlot: slot)
                let width = histogram.configuration.width(ofSlot: slot)
                let expected = percentile == 0 ? lowest : lowest + width - 1
                #expect(answer == expected, "p\(percentile) of \(size), \(shape), seed \(seed)")
                #expect(width <= max(256, exact / 1_000 + 1))
            }
            #expect(histogram.count == Int64(size))
            #expect(histogram.min == histogram.value(atPercentile: 0))
            #expect(histogram.max == histogram.value(atPercentile: 100))
            let mean = values.reduce(0.0) { $0 + Double($1) } / Double(size)
            #expect(abs(histogram.mean - mean) <= max(256, mean / 1_000))
        }
    }

    @Test func anEmptyHistogramAnswersZeroEverywhere() {
        let histogram = Histogram(.latency)
        #expect(histogram.count == 0)
        #expect(histogram.min == 0)
        #expect(histogram.max == 0)
        #expect(histogram.mean == 0)
        #expect(histogram.value(atPercentile: 99) == 0)
    }

    @Test(arguments: [
        (-Double.infinity, Int64(1_024)), (-1, 1_024), (.nan, 1_024), (100.5, 4_099),
        (.infinity, 4_099), (50, 1_024), (50.000_1, 4_099),
    ])
    func percentilesOutsideTheScaleCountAsItsEnds(percentile: Double, expected: Int64) throws {
        let histogram = Histogram(
            try HistogramConfiguration(
                lowestDiscernible: 1,
                highestTrackable: 10_000,
                significantDigits: 3
            )
        )
        histogram.record(1_024)
        histogram.record(4_097)
        #expect(histogram.value(atPercentile: percentile) == expected)
    }

    @Test func percentilesNeverFallAsTheyRise() {
        var random = SplitMix64(seed: 11)
        let histogram = Histogram(.interval)
        for _ in 0..<5_000 {
            histogram.record(Distribution.logNormal.draw(&random))
        }
        let answers = (0...1_000).map { histogram.value(atPercentile: Double($0) / 10) }
        #expect(zip(answers, answers.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(answers.last == histogram.max)
    }

    @Test func valuesOutOfRangeAreClampedAndCounted() throws {
        let histogram = Histogram(
            try HistogramConfiguration(
                lowestDiscernible: 1,
                highestTrackable: 3_600_000_000,
                significantDigits: 3
            )
        )
        histogram.record(-1)
        histogram.record(.min)
        histogram.record(.max)
        histogram.record(1 << 32, count: 5)
        histogram.record((1 << 32) - 1)
        histogram.record(3_600_000_000)
        #expect(histogram.count == 10)
        #expect(histogram.outOfRangeCount == 8)
        #expect(histogram.min == 0)
        #expect(histogram.max == (1 << 32) - 1)
    }

    @Test func countsStopAtTheMaximumRatherThanOverflow() {
        let histogram = Histogram(.interval)
        histogram.record(100, count: .max)
        histogram.record(100, count: .max)
        histogram.record(5_000_000, count: 3)
        histogram.record(7, count: 0)
        histogram.record(7, count: -4)
        #expect(histogram.count == .max)
        #expect(histogram.value(atPercentile: 50) == 1_023)
        #expect(histogram.value(atPercentile: 100) >= 1_023)
        histogram.add(histogram.copy())
        #expect(histogram.count == .max)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func mergingShardsGivesTheHistogramOfAllValues(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let whole = Histogram(.latency)
        let shards = (0..<4).map { _ in Histogram(.latency) }
        for index in 0..<20_000 {
            // One shard is slow: averaging percentiles would hide it.
            let value = Distribution.logNormal.draw(&random) * (index % 4 == 3 ? 50 : 1)
            whole.record(value)
            shards[index % 4].record(value)
        }
        let merged = Histogram(.latency)
        for shard in shards {
            merged.add(shard)
        }
        #expect(merged == whole)
        #expect(merged.count == whole.count)
        #expect(merged.encodeV2() == whole.encodeV2())
    }

    @Test(arguments: [
        (Int64(1), Int64(1_000_000), 3), (1_000, 3_600_000_000_000, 2), (1, .max, 1),
        (256, 100_000_000, 4),
    ])
    func mergingUnlikeRangesKeepsTheTotalAndLosesNoPercentile(
        lowest: Int64,
        highest: Int64,
        digits: Int
    ) throws {
        var random = SplitMix64(seed: 5)
        let source = Histogram(.latency)
        for _ in 0..<10_000 {
            source.record(Distribution.logNormal.draw(&random))
        }
        source.record(-1)
        let target = Histogram(
            try HistogramConfiguration(
                lowestDiscernible: lowest,
                highestTrackable: highest,
                significantDigits: digits
            )
        )
        target.record(50_000, count: 7)
        target.add(source)
        #expect(target.count == source.count + 7)
        var slotted: Int64 = 0
        target.forEachSlot { slotted += $0.count }
        #expect(slotted == target.count)
        #expect(target.outOfRangeCount >= 1)

        let alone = Histogram(target.configuration)
        alone.add(source)
        for percentile in [1.0, 50, 90, 99, 99.9, 100] {
            let kept = min(
                source.value(atPercentile: percentile),
                alone.configuration.highestRecordable
            )
            #expect(alone.value(atPercentile: percentile) >= kept)
        }
    }

    @Test func resetForgetsAndCopyIsIndependent() {
        let histogram = Histogram(.interval)
        histogram.record(1_000_000)
        histogram.record(-1)
        let copy = histogram.copy()
        #expect(copy == histogram)
        #expect(copy.outOfRangeCount == 1)
        histogram.reset()
        #expect(histogram == Histogram(.interval))
        #expect(histogram.count == 0)
        #expect(histogram.outOfRangeCount == 0)
        #expect(copy.count == 2)
    }

    @Test func slotsComeInOrderAndAddUp() {
        let histogram = Histogram(.latency)
        for value: Int64 in [700, 10, 700, 1_000_000_000] {
            histogram.record(value)
        }
        var slots: [Histogram.Slot] = []
        histogram.forEachSlot { slots.append($0) }
        #expect(
            slots == [
                Histogram.Slot(lowest: 0, highest: 255, count: 1),
                Histogram.Slot(lowest: 512, highest: 767, count: 2),
                Histogram.Slot(lowest: 999_817_216, highest: 1_000_341_503, count: 1),
            ]
        )
    }

    @Test func recordingAllocatesNothing() {
        let histogram = Histogram(.latency)
        let before = pb_thread_allocations()
        // Iterating over a range would allocate in a debug build.
        var value: Int64 = 0
        while value < 10_000 {
            histogram.record(value &* 7_919)
            value += 1
        }
        let allocations = pb_thread_allocations() - before
        #expect(allocations == 0)
        #expect(histogram.count == 10_000)
    }
}
