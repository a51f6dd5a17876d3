import Testing

@testable import HDRHistogram

@Suite struct HistogramConfigurationTests {
    @Test(arguments: [
        (Int64(1), Int64(3_600_000_000), 3, 23_552),
        (1, 60_000_000_000, 3, 27_648),
        (1_024, 60_000_000_000, 3, 17_408),
        (1, 60_000_000_000, 2, 3_840),
        (1, 2, 0, 3),
    ])
    func hasHdrHistogramsNumberOfSlots(
        lowest: Int64,
        highest: Int64,
        digits: Int,
        slots: Int
    ) throws {
        let configuration = try HistogramConfiguration(
            lowestDiscernible: lowest,
            highestTrackable: highest,
            significantDigits: digits
        )
        #expect(configuration.slotCount == slots)
    }

    @Test func latencyFitsIn200KiBAndIntervalIn26() {
        #expect(HistogramConfiguration.latency.slotCount * 8 <= 200 << 10)
        #expect(HistogramConfiguration.interval.slotCount * 8 <= 26 << 10)
    }

    @Test(arguments: [
        (Int64(0), Int64(100), 3, HistogramError.lowestDiscernibleTooLow(0)),
        (-5, 100, 3, .lowestDiscernibleTooLow(-5)),
        (100, 199, 3, .highestTrackableTooLow(199, lowestDiscernible: 100)),
        (1, .min, 3, .highestTrackableTooLow(.min, lowestDiscernible: 1)),
        (1, 100, 6, .significantDigitsOutOfRange(6)),
        (1, 100, -1, .significantDigitsOutOfRange(-1)),
        (
            1 << 52, .max, 3,
            .rangeTooWide(lowestDiscernible: 1 << 52, significantDigits: 3)
        ),
    ])
    func refusesWhatHasNoLayout(
        lowest: Int64,
        highest: Int64,
        digits: Int,
        error: HistogramError
    ) {
        #expect(throws: error) {
            try HistogramConfiguration(
                lowestDiscernible: lowest,
                highestTrackable: highest,
                significantDigits: digits
            )
        }
        #expect(error.description.hasSuffix("."))
    }

    @Test(arguments: [
        (Int64(1), Int64(3_600_000_000), 3), (256, 3_600_000_000_000, 3), (1, .max, 2),
        (1 << 40, .max, 5), (7, 1_000, 0), (1, .max, 5),
    ])
    func slotsTileTheRangeWithoutGapOrOverlap(lowest: Int64, highest: Int64, digits: Int) throws {
        let configuration = try HistogramConfiguration(
            lowestDiscernible: lowest,
            highestTrackable: highest,
            significantDigits: digits
        )
        var next: Int64 = 0
        for slot in 0..<configuration.slotCount {
            let start = configuration.lowestValue(ofSlot: slot)
            let end = start + (configuration.width(ofSlot: slot) - 1)
            guard
                start == next, configuration.slot(of: start) == slot,
                configuration.slot(of: end) == slot
            else {
                Issue.record("slot \(slot) covers \(start)...\(end), expected from \(next)")
                return
            }
            next = end &+ 1
        }
        #expect(next &- 1 == configuration.highestRecordable)
        #expect(configuration.highestRecordable >= highest)
    }
}
