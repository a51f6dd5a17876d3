import Testing

@testable import LoadEngine

/// What a report says beside counts and times.
@Suite struct FindingsTests {
    private func series(_ rates: [Int]) -> [RunReport.SeriesPoint] {
        rates.enumerated().map { second, rate in
            RunReport.SeriesPoint(
                second: second,
                sent: rate,
                accepted: rate - rate / 10,
                rejected: rate / 10,
                service: nil,
                response: nil,
                inFlight: 0
            )
        }
    }

    @Test func renewalIsComparedWithTheSecondsAroundIt() {
        let found = LoadRun.renewals(
            at: [4_200_000_000],
            series([1, 100, 90, 110, 50, 105, 95, 1000, 5])
        )
        // Seconds 1 to 3 and 5 to 7: 100, 90, 110, 105, 95, 1000.
        #expect(
            found == [RunReport.Renewal(instant: 4_200_000_000, rate: 50, usualRate: 105)]
        )
    }

    @Test func secondsOfOtherRenewalsAndTheUnfinishedOneAreLeftOut() {
        let found = LoadRun.renewals(
            at: [1_000_000_000, 2_999_999_999, 3_000_000_000],
            series([80, 1, 70, 9])
        )
        #expect(found.map(\.rate) == [1, 70, nil])
        #expect(found.map(\.usualRate) == [80, 80, 80])
    }

    @Test func shortRunHasNothingToCompare() {
        #expect(
            LoadRun.renewals(at: [500], series([10]))
                == [RunReport.Renewal(instant: 500, rate: nil, usualRate: nil)]
        )
        #expect(LoadRun.renewals(at: [], series([10, 10])).isEmpty)
    }

    @Test func tokensOfAllLoopsAreListedOnceInTheOrderOfTheAudience() throws {
        let first = try LoopRecorder(installs: 100)
        let second = try LoopRecorder(installs: 100)
        let gone = first.reasons.number(of: "Unregistered", status: 410)
        _ = second.reasons.number(of: "Other", status: 410)
        let bad = second.reasons.number(of: "BadDeviceToken", status: 400)
        first.rejectedTokens.note(install: 70, reason: gone, timestamp: 5)
        first.rejectedTokens.note(install: 3, reason: gone, timestamp: nil)
        first.rejectedTokens.note(install: 70, reason: gone, timestamp: 6)
        second.rejectedTokens.note(install: 64, reason: bad, timestamp: nil)
        second.rejectedTokens.note(install: 3, reason: bad, timestamp: nil)
        let found = LoadRun.rejectedTokens([first, second])
        #expect(found.map(\.install) == [3, 64, 70])
        #expect(found[1].reason == "BadDeviceToken")
        #expect(found[2].reason == "Unregistered")
        #expect(found[2].timestamp == 5)
    }

    @Test func reasonsAreToldApartUpToABound() throws {
        var tally = ReasonTally()
        #expect(tally.number(of: nil, status: 418) == 1)
        #expect(tally.text(1) == "HTTP 418")
        for index in 0..<1000 {
            tally.countRejection(tally.number(of: "reason \(index)", status: 400))
        }
        let long = String(repeating: "x", count: 1000)
        tally.countRetry(tally.number(of: long, status: 500))
        #expect(tally.counts.values.reduce(0, +) == 1000)
        #expect(tally.counts.count <= 202)
        #expect((tally.counts["other reasons"] ?? 0) > 700)
        #expect(tally.retryCounts.values.reduce(0, +) == 1)
    }
}
