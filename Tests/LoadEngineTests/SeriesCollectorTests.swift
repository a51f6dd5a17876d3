import HDRHistogram
import Testing

@testable import LoadEngine

@Suite struct SeriesCollectorTests {
    private func interval(_ second: UInt64, sent: Int) -> IntervalRecorder {
        var interval = IntervalRecorder()
        interval.begin(second: second)
        interval.totals.sent = sent
        return interval
    }

    @Test func makesAPointWhenAllLoopsHaveReported() {
        let series = SeriesCollector(loops: 2)
        series.add(interval(0, sent: 1), of: 0)
        #expect(series.latest == nil)
        series.add(interval(0, sent: 2), of: 1)
        #expect(series.latest?.sent == 3)
    }

    @Test func goesOnWithoutALoopThatEnded() {
        let series = SeriesCollector(loops: 2)
        series.add(interval(0, sent: 5), of: 1)
        series.leave(loop: 1)
        for number in 0..<4 {
            series.add(interval(UInt64(number), sent: 1), of: 0)
            #expect(series.latest?.second == number)
        }
        series.leave(loop: 0)
        #expect(series.finish().map(\.sent) == [6, 1, 1, 1])
    }

    @Test func aLoopThatSleptThroughASecondHoldsNothingBack() {
        let series = SeriesCollector(loops: 2)
        for number in 0..<3 as Range<UInt64> { series.add(interval(number, sent: 1), of: 0) }
        series.add(interval(2, sent: 7), of: 1)
        #expect(series.latest?.second == 2)
        #expect(series.finish().map(\.sent) == [1, 1, 8])
    }

    @Test func responseTimesAreTheServiceTimesUnlessGivenApart() throws {
        let series = SeriesCollector(loops: 1)
        var interval = IntervalRecorder()
        interval.record(service: 1_000_000, response: nil)
        series.add(interval, of: 0)
        let closed = try #require(series.latest)
        #expect(closed.service != nil && closed.service == closed.response)

        interval.begin(second: 1)
        interval.record(service: 1_000_000, response: 50_000_000)
        series.add(interval, of: 0)
        let open = try #require(series.latest)
        // Two digits.
        #expect((1_000_000...1_010_000).contains(try #require(open.service).p99))
        #expect((50_000_000...50_500_000).contains(try #require(open.response).p99))

        interval.begin(second: 2)
        series.add(interval, of: 0)
        let silent = try #require(series.latest)
        #expect(silent.service == nil && silent.response == nil)
    }
}
