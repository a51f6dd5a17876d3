import HDRHistogram
import Testing

@testable import LoadEngine

@Suite struct SeriesCollectorTests {
    private func second(sent: Int) -> SeriesCollector.Second {
        var second = SeriesCollector.Second()
        second.sent = sent
        return second
    }

    @Test func makesAPointWhenAllLoopsHaveReported() {
        let series = SeriesCollector(loops: 2)
        let none = Histogram(.interval)
        series.add(second: 0, of: 0, second(sent: 1), service: none)
        #expect(series.latest == nil)
        series.add(second: 0, of: 1, second(sent: 2), service: none)
        #expect(series.latest?.sent == 3)
    }

    @Test func goesOnWithoutALoopThatEnded() {
        let series = SeriesCollector(loops: 2)
        let none = Histogram(.interval)
        series.add(second: 0, of: 1, second(sent: 5), service: none)
        series.leave(loop: 1)
        for number in 0..<4 {
            series.add(second: number, of: 0, second(sent: 1), service: none)
            #expect(series.latest?.second == number)
        }
        series.leave(loop: 0)
        #expect(series.finish().map(\.sent) == [6, 1, 1, 1])
    }

    @Test func aLoopThatSleptThroughASecondHoldsNothingBack() {
        let series = SeriesCollector(loops: 2)
        let none = Histogram(.interval)
        for number in 0..<3 { series.add(second: number, of: 0, second(sent: 1), service: none) }
        series.add(second: 2, of: 1, second(sent: 7), service: none)
        #expect(series.latest?.second == 2)
        #expect(series.finish().map(\.sent) == [1, 1, 8])
    }
}
