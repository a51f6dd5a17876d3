import Testing

@testable import pushbench

/// How long `ab` waits for a run.
@Suite struct RunLimitTests {
    private func seconds(_ words: String...) -> Double {
        Double(RunLimit.nanoseconds(words)) / 1e9
    }

    @Test(arguments: [["--duration", "10s"], ["--pushes", "1000"], ["--rate", "1000000"]])
    func largeAudienceIsGivenTheTimeToBeLoaded(words: [String]) {
        func seconds(_ more: String...) -> Double {
            Double(RunLimit.nanoseconds(words + more)) / 1e9
        }
        let small = seconds("--installs", "1000")
        let large = seconds("--installs", "5000000")
        #expect(large > small + 900)
        #expect(seconds("--installs", "5000000", "--encryption", "prepared") > large + 4_000)
    }

    @Test func pauseBeforeARetryIsTheOneOfTheRun() {
        let mock = seconds("--duration", "10s")
        #expect(seconds("--duration", "10s", "--retry-delay", "100ms") == mock)
        let server = ["--duration", "10s", "--target"]
        let other = Double(RunLimit.nanoseconds(server + ["https://127.0.0.1"])) / 1e9
        #expect(other > mock)
        let apple = Double(RunLimit.nanoseconds(server + ["https://api.push.apple.com"])) / 1e9
        #expect(apple > other + 10_000)
    }

    @Test func givenTimeoutIsTheOnlyLimit() {
        for longest in [0, 1, 10_000] as [Double] {
            let limit = RunPatience.given(900).limit(longest: longest)
            #expect(limit.seconds == 900)
            #expect(limit.sentence.hasSuffix("within 900 s; give ab a longer --run-timeout"))
        }
    }

    @Test(arguments: [(0, 900), (1, 60), (20, 200), (500, 900)] as [(Double, Double)])
    func runThatTakesTenTimesTheLongestHangs(longest: Double, limit: Double) {
        let found = RunPatience.expected(900).limit(longest: longest)
        #expect(found.seconds == limit)
        #expect(found.sentence.contains("did not end within \(Int(limit)) s"))
        #expect(found.sentence.contains("ten times as long as any before") == (limit < 900))
        #expect(found.sentence.contains("--run-timeout"))
    }
}
