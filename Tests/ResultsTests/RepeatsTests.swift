import Testing

@testable import Results

/// What a result says of pushes that went out again, bad tokens and renewed provider tokens.
@Suite struct RepeatsTests {
    private func lines(_ change: (inout RunRecord) -> Void) throws -> [String] {
        var run = try Samples.run()
        change(&run)
        return Summary.repeatLines(run).map { $0.text(isTerminal: false) }
    }

    @Test func nothingIsSaidWhereNothingWentWrong() throws {
        #expect(try lines { _ in } == [])
    }

    @Test func repeatsAreToldWithTheirCommonestReasons() throws {
        let told = try lines {
            $0.repeats = Repeats(
                resent: 12,
                retried: 1034,
                reasons: ["Shutdown": 4, "TooManyRequests": 1000, "A": 15, "B": 15]
            )
            $0.badTokens = 2300
        }
        #expect(
            told == [
                "  sent again  12 resent unanswered · 1,034 retried · TooManyRequests 1,000 · A 15 · B 15",
                "  tokens      2,300 tokens are bad: --rejected-out lists them",
            ]
        )
    }

    @Test func renewalIsToldWithItsDip() throws {
        let told = try lines {
            $0.renewals = [
                TokenRenewal(
                    t: 3_000_000_000_000,
                    pushesPerSecond: 900_000,
                    usualPushesPerSecond: 1_000_000
                ),
                TokenRenewal(t: 1_500_000_000, pushesPerSecond: nil, usualPushesPerSecond: nil),
                TokenRenewal(t: 1, pushesPerSecond: nil, usualPushesPerSecond: nil),
            ]
        }
        #expect(
            told == [
                "  new token   after 50 min 00 s · 900 k/s in that second · 1.00 M/s around it · "
                    + "10% less",
                "  new token   after 1.50 s",
            ]
        )
    }

    @Test(
        arguments: [
            (90, 100, 0.1), (100, 100, 0), (110, 100, -0.1), (nil, 100, nil), (90, nil, nil),
            (0, 0, nil),
        ] as [(Double?, Double?, Double?)]
    )
    func dipIsTheShareThatIsMissing(_ rate: Double?, _ usual: Double?, _ dip: Double?) throws {
        let renewal = TokenRenewal(t: 0, pushesPerSecond: rate, usualPushesPerSecond: usual)
        guard let dip else {
            #expect(renewal.dip == nil)
            return
        }
        #expect(abs(try #require(renewal.dip) - dip) < 1e-9)
    }

    @Test func resultWithThemIsReadBackAsItWas() throws {
        var result = try Samples.result()
        result.runs[0].repeats = Repeats(resent: 1, retried: 2, reasons: ["X": 2])
        result.runs[0].badTokens = 3
        result.runs[0].renewals = [
            TokenRenewal(t: 5, pushesPerSecond: 1.5, usualPushesPerSecond: nil)
        ]
        let read = try ResultFile(decoding: result.encoded(), name: "sample")
        #expect(read == result)
    }

    @Test func resultWithoutThemHasNoFieldsForThem() throws {
        let text = String(decoding: try Samples.result().encoded(), as: UTF8.self)
        for name in ["repeats", "badTokens", "renewals"] { #expect(!text.contains(name)) }
    }
}
