import HDRHistogram
import Testing

@testable import Results

@Suite struct RunRecordTests {
    @Test(arguments: [
        (Account(audience: 10, accepted: 10), true),
        (
            Account(
                audience: 10,
                accepted: 4,
                rejected: ["a": 1, "b": 2],
                unknown: 2,
                neverSent: 1
            ),
            true
        ),
        (Account(audience: 10, accepted: 10, duplicates: 0), true),
        (Account(audience: 0, accepted: 0), true),
        (Account(audience: 10, accepted: 9), false),
        (Account(audience: 10, accepted: 11), false),
        (Account(audience: 10, accepted: 10, unknown: 1), false),
        (Account(audience: 10, accepted: 10, duplicates: 1), false),
        (Account(audience: 10, accepted: 11, neverSent: -1), false),
        (Account(audience: 10, accepted: .max, rejected: ["a": .max, "b": 12]), false),
    ])
    func anAccountAddsUpOrDoesNot(account: Account, addsUp: Bool) {
        #expect(account.addsUp == addsUp)
        // Sums over numbers of a damaged file must not trap.
        #expect(account.acknowledged == account.accepted &+ account.rejectedTotal)
    }

    @Test func makespanIsOverTheAudienceNotOverTheAnswers() {
        let answers = Samples.histogram(count: 1_000, step: 1_000_000)
        let whole = Makespan(answers, audience: 1_000)
        #expect(whole.p50 == answers.value(atPercentile: 50))
        #expect(whole.p999 == answers.value(atPercentile: 99.9))
        #expect(whole.p100 == answers.max)
        #expect(whole.curve?.count == 100 && whole.curve?.last == answers.max)
        #expect(whole.curve?[9] == answers.value(atPercentile: 10))
        // With one install unanswered the 1,000th answer is the 99.9% mark of 1,001.
        let lossy = Makespan(answers, audience: 1_001)
        #expect(lossy.p100 == nil)
        #expect(lossy.p999 == answers.max)
        #expect(lossy.p50 == answers.value(atPercentile: 50.1))
        let half = Makespan(answers, audience: 2_000)
        #expect(half.p50 == answers.max)
        #expect(half.p90 == nil)
        #expect(half.curve?.count == 50 && half.curve?.last == answers.max)
        #expect(Makespan(Histogram(.latency), audience: 5).p50 == nil)
        #expect(Makespan(answers, audience: 0).p50 == nil)
        #expect(Makespan(answers, audience: .max).p50 == nil)
    }

    @Test func aSummaryTellsItsHistogram() throws {
        let histogram = Samples.histogram(count: 100_000, step: 1_000)
        histogram.record(-1)
        let summary = try #require(try LatencySummary(histogram))
        #expect(summary.count == 100_001)
        #expect(summary.min == 0)
        #expect(summary.p50 == histogram.value(atPercentile: 50))
        #expect(summary.p90 == histogram.value(atPercentile: 90))
        #expect(summary.p99 == histogram.value(atPercentile: 99))
        #expect(summary.p999 == histogram.value(atPercentile: 99.9))
        #expect(summary.p9999 == histogram.value(atPercentile: 99.99))
        #expect(summary.max == histogram.max)
        #expect(Double(summary.mean) == histogram.mean.rounded())
        #expect(summary.outOfRange == 1)
        #expect(summary.histogram() == histogram)
    }

    @Test func anEmptyHistogramHasNoSummary() throws {
        #expect(try LatencySummary(Histogram(.latency)) == nil)
    }

    @Test func aDamagedHistogramIsNone() throws {
        var summary = try #require(try LatencySummary(Samples.histogram(count: 9, step: 1_000)))
        summary.hdr = "not base64"
        #expect(summary.histogram() == nil)
        summary.hdr = "AAAA"
        #expect(summary.histogram() == nil)
    }

    @Test func ratesOfAnEmptyRunAreZeroAndNotInfinite() {
        let none = Throughput(acknowledged: 5, bytes: 5, elapsedNanoseconds: 0, sent: 5)
        #expect(none.pushesPerSecond == 0)
        #expect(none.bytesPerSecond == 0)
        #expect(none.achievedRate == 0)
        let some = Throughput(
            acknowledged: 500,
            bytes: 50_000,
            elapsedNanoseconds: 250_000_000,
            sent: 600,
            offeredRate: 3_000
        )
        #expect(some.pushesPerSecond == 2_000)
        #expect(some.bytesPerSecond == 200_000)
        #expect(some.achievedRate == 2_400)
        #expect(some.offeredRate == 3_000)
    }

    @Test func exitCodesAreTheOnesThatScriptsKnow() {
        let codes = ExitCode.allCases.map(\.rawValue)
        #expect(codes == [0, 1, 2, 3, 4, 5, 6, 7, 8, 130])
        #expect(Set(ExitCode.allCases.map(\.description)).count == codes.count)
    }
}
