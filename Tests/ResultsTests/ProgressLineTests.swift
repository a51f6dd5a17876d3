import Testing

@testable import Results

@Suite struct ProgressLineTests {
    @Test(arguments: [
        (
            RunProgress(
                acknowledged: 123_456,
                total: 200_000,
                inFlight: 500,
                pushesPerSecond: 19_150,
                p99: 1_204_000
            ),
            "19.2 k/s · 123,456 of 200,000 · 61% · 500 in flight · p99 1.20 ms · 4 s left"
        ),
        (
            RunProgress(
                acknowledged: 5_000,
                total: nil,
                inFlight: 12,
                pushesPerSecond: 980,
                p99: nil,
                remainingNanoseconds: 200_000_000_000
            ),
            "980 /s · 5,000 acknowledged · 12 in flight · 3 min 20 s left"
        ),
        (
            RunProgress(
                acknowledged: 0,
                total: 10,
                inFlight: 0,
                pushesPerSecond: 0,
                p99: nil
            ),
            "0 /s · 0 of 10 · 0% · 0 in flight"
        ),
        (
            RunProgress(
                acknowledged: 10,
                total: 10,
                inFlight: 0,
                pushesPerSecond: 1_000_000,
                p99: 1_000
            ),
            "1.00 M/s · 10 of 10 · 100% · 0 in flight · p99 1.00 \u{b5}s · 0 s left"
        ),
    ])
    func aMomentIsOneLine(progress: RunProgress, text: String) {
        #expect(ProgressLine.text(progress) == text)
    }

    @Test func whatMattersLeastIsLeftOutFirst() {
        let progress = RunProgress(
            acknowledged: 9_999_999_999,
            total: 10_000_000_000,
            inFlight: 100_000,
            pushesPerSecond: 123_456,
            p99: 59_900_000_000,
            remainingNanoseconds: 3_900_000_000_000
        )
        #expect(
            ProgressLine.text(progress)
                == "123 k/s · 9,999,999,999 of 10,000,000,000 · 99% · p99 59.9 s · 1 h 05 min left"
        )
        #expect(
            ProgressLine.text(progress, columns: 60).hasSuffix("of 10,000,000,000 · p99 59.9 s")
        )
        #expect(ProgressLine.text(progress, columns: 10) == "123 k/s")
        #expect(ProgressLine.text(progress, columns: 0) == "")
    }

    @Test func noMomentIsWiderThanItsColumns() {
        let numbers = [Int.min, -1, 0, 7, 999_999, Int.max]
        for number in numbers {
            for rate in [-1, 0, 1e-300, 123_456.7, 1e300, .infinity, .nan] {
                let progress = RunProgress(
                    acknowledged: number,
                    total: .max,
                    inFlight: number,
                    pushesPerSecond: rate,
                    p99: Int64(number)
                )
                for columns in [20, 40, 80] {
                    #expect(ProgressLine.text(progress, columns: columns).count <= columns)
                }
            }
        }
    }
}
