import Testing

@testable import Results

@Suite struct HumanFormatTests {
    @Test(arguments: [
        (0.0, "0 ns"), (1, "1 ns"), (380, "380 ns"), (470.5, "471 ns"), (12.34, "12.3 ns"),
        (999, "999 ns"), (999.5, "1.00 \u{b5}s"), (1_204, "1.20 \u{b5}s"), (9_994, "9.99 \u{b5}s"),
        (9_996, "10.0 \u{b5}s"), (380_000, "380 \u{b5}s"), (999_600, "1.00 ms"),
        (1_200_000, "1.20 ms"), (99_960_000, "100 ms"), (2_410_000_000, "2.41 s"),
        (59_400_000_000, "59.4 s"), (59_600_000_000, "59.6 s"), (59_960_000_000, "1 min 00 s"),
        (200e9, "3 min 20 s"),
        (3_599.6e9, "1 h 00 min"), (3_900e9, "1 h 05 min"), (1e9 * 86_400 * 50, "1,200 h 00 min"),
        (-1_200, "-1.20 \u{b5}s"), (.nan, "? s"), (.infinity, "inf s"),
    ])
    func durationsKeepThreeDigits(nanoseconds: Double, text: String) {
        #expect(HumanFormat.duration(nanoseconds) == text)
    }

    @Test(arguments: [
        (0.0, "0 /s"), (0.123, "0.12 /s"), (980, "980 /s"), (45_600, "45.6 k/s"),
        (999_499, "999 k/s"), (999_500, "1.00 M/s"), (1_234_567, "1.23 M/s"), (2e12, "2000 G/s"),
    ])
    func ratesKeepThreeDigits(rate: Double, text: String) {
        #expect(HumanFormat.rate(rate) == text)
    }

    @Test(arguments: [
        (0.0, "0 B"), (322, "322 B"), (397_000_000, "397 MB"), (1_600_000_000, "1.60 GB"),
        (5e15, "5000 TB"),
    ])
    func sizesAreDecimal(bytes: Double, text: String) {
        #expect(HumanFormat.bytes(bytes) == text)
    }

    @Test(arguments: [
        (0.0, "0%"), (1, "100%"), (0.5, "50%"), (0.99995, "99.995%"), (0.999_999_9, ">99.999%"),
        (0.000_000_1, "<0.001%"), (0.125, "12.5%"), (0.100_04, "10.004%"), (1.5, "150%"),
        (0.1, "10%"),
    ])
    func onlyAllIsAHundredPercent(share: Double, text: String) {
        #expect(HumanFormat.percent(share) == text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (200_000, "200,000"), (-1_234_567, "-1,234,567"),
        (-123, "-123"), (Int.max, "9,223,372,036,854,775,807"),
    ])
    func countsAreGrouped(count: Int, text: String) {
        #expect(HumanFormat.count(count) == text)
    }
}
