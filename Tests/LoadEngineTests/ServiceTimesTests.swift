import HDRHistogram
import Testing

@testable import LoadEngine

@Suite struct ServiceTimesTests {
    // Well above the microsecond that is the unit of the histograms.
    private static let bounds: [UInt64] = [2_500, 10_000, 100_000, 1_000_000]

    private func histogram(_ times: [Int64]) -> Histogram {
        let histogram = Histogram(.interval)
        for time in times { histogram.record(time) }
        return histogram
    }

    @Test func countsWhatIsNotAboveEachBound() {
        let times = ServiceTimes(
            histogram([1_500, 5_000, 6_000, 50_000, 5_000_000]),
            upTo: Self.bounds
        )
        #expect(times.counts == [1, 3, 4, 4])
        #expect(times.count == 5)
        #expect(abs(times.sumNanoseconds - 5_062_500) < 5_062_500 * 0.01)
    }

    @Test func withoutTimesAllIsZero() {
        let times = ServiceTimes(histogram([]), upTo: Self.bounds)
        #expect(times == ServiceTimes(histogram([]), upTo: Self.bounds))
        #expect(times.counts == [0, 0, 0, 0])
        #expect(times.count == 0)
        #expect(times.sumNanoseconds == 0)
    }

    @Test func boundsAboveAllTimesHaveThemAll() {
        #expect(ServiceTimes(histogram([300, 400]), upTo: Self.bounds).counts == [2, 2, 2, 2])
    }

    @Test func theCollectorSumsItsSeconds() {
        let series = SeriesCollector(loops: 1)
        var interval = IntervalRecorder()
        for second in 0..<3 as Range<UInt64> {
            interval.begin(second: second)
            for time in [5_000, 50_000] as [Int64] { interval.record(service: time, response: nil) }
            series.add(interval, of: 0)
        }
        let times = series.serviceTimes(upTo: Self.bounds)
        #expect(times.counts == [0, 3, 6, 6])
        #expect(times.count == 6)
    }
}
