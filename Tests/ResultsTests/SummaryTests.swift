import Testing

@testable import Results

@Suite struct SummaryTests {
    @Test func aSummaryReadsLikeThis() throws {
        let objectives = try ["p99<50ms", "rate>=2000000"].map { text in
            try ServiceLevelObjective.parse(text).evaluate([try Samples.run()])
        }
        let result = try Samples.result(
            verdict: Verdict(
                bottleneck: "client CPU",
                evidence: ["its thread was on the CPU 98% of the time"],
                valid: true,
                slo: objectives
            )
        )
        #expect(
            Summary.text(of: result) == """
                xulo to 200,000 installs · wire engine · TLSv1.3 · 1 connection of 500 streams · closed loop

                  throughput  1.23 M/s · 398 MB/s of body
                  makespan    162 ms to the last install · 50% 81.0 ms · 90% 146 ms · 99% 160 ms · 99.9% 162 ms
                  response    p50 1.25 ms · p99 2.48 ms · p99.9 2.50 ms

                  account     199,990 accepted (99.995%) · 10 rejected · 0 unknown · 0 never sent
                                      8  BadDeviceToken
                                      2  Unregistered

                                     mean        p50        p90        p99      p99.9     p99.99        max
                  response        1.25 ms    1.25 ms    2.25 ms    2.48 ms    2.50 ms    2.50 ms    2.50 ms
                  service         1.20 ms    1.20 ms    2.16 ms    2.38 ms    2.40 ms    2.40 ms    2.40 ms
                  lateness        10.0 µs    10.2 µs    18.2 µs    20.0 µs    20.2 µs    20.2 µs    20.2 µs

                  cost        1.35 µs CPU per push · 212 MB peak memory · 0 allocations per push
                  stages      frame 471 ns · render 118 ns (limit 90 ns)
                  connections 2 opened · 1 closed early: GOAWAY
                  verdict     valid · limited by client CPU · its thread was on the CPU 98% of the time
                  MISSED      rate>=2000000  (1.23 M/s)
                  met         p99<50ms  (2.48 ms)

                """
        )
    }

    @Test func aPartialResultSaysSoFirst() throws {
        let text = Summary.text(of: try Samples.result(complete: false, runs: []))
        #expect(text.contains("PARTIAL"))
        #expect(text.contains("nothing was measured"))
    }

    @Test func lossAndVoidAreToldWithColoursOnATerminalOnly() throws {
        let run = try Samples.run(account: Account(audience: 200_000, accepted: 199_999))
        let result = try Samples.result(runs: [run], verdict: Verdict(valid: false))
        let plain = Summary.text(of: result)
        #expect(plain.contains("does not add up to 200,000"))
        #expect(plain.contains("VOID"))
        #expect(!plain.contains("\u{1b}"))
        let coloured = Summary.text(of: result, isTerminal: true)
        #expect(coloured.contains("\u{1b}[1;31m"))
        #expect(
            coloured.replacing(try Regex("\u{1b}\\[[0-9;]*m"), with: "") == plain
        )
    }

    @Test func doubledPushesAreTold() throws {
        let run = try Samples.run(
            account: Account(audience: 200_000, accepted: 200_000, duplicates: 1_500)
        )
        #expect(
            Summary.text(of: try Samples.result(runs: [run]))
                .contains("1,500 arrived more than once")
        )
    }

    @Test func ofSeveralRunsTheMedianIsShown() throws {
        let runs = try [400_000_000, 200_000_000, 800_000_000].map {
            try Samples.run(elapsedNanoseconds: $0)
        }
        let text = Summary.text(of: try Samples.result(runs: runs))
        #expect(text.contains("throughput  500 k/s"))
        #expect(text.contains("3, 250 k/s to 1.00 M/s; the median one is shown"))
    }

    @Test func nothingAnsweredIsNoTrap() throws {
        let run = RunRecord(
            account: Account(audience: 0, accepted: .max, rejected: ["a": .max, "b": .max]),
            throughput: Throughput(acknowledged: 0, bytes: 0, elapsedNanoseconds: 0),
            makespan: nil,
            latency: Latency(response: nil, service: nil, lateness: nil)
        )
        let text = Summary.text(of: try Samples.result(runs: [run]))
        #expect(text.contains("no times"))
    }

    @Test func theWorstCaseFitsAPage() throws {
        let long = String(repeating: "Ünbekannt ", count: 30) + "\u{1b}[2J\r\n\u{202e}"
        let reasons = Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0) " + long, 10 + $0) })
        var run = try Samples.run(
            account: Account(
                audience: 200_000,
                accepted: 1,
                rejected: reasons,
                unknown: .max,
                neverSent: .min,
                duplicates: 5
            )
        )
        run.throughput.offeredRate = 1e300
        run.throughput.achievedRate = 1e-300
        run.latency.response?.outOfRange = 12
        for index in 0..<30 {
            run.cost.stages["stage \(index)"] = Cost.Stage(
                cpuNanosecondsPerPush: Double(index),
                limitNanosecondsPerPush: 1
            )
            run.connections.append(ConnectionRecord(opened: 0, reason: long, pushes: 1))
        }
        let outcomes = (0..<20).map {
            SLOOutcome(expression: long, metric: "\($0)", limit: 0, actual: 1, met: $0 % 2 == 0)
        }
        let result = try Samples.result(
            complete: false,
            workload: Samples.workload(dialect: long, mode: "open", arrivals: long),
            runs: [run, run],
            verdict: Verdict(bottleneck: long, evidence: [long, long], valid: false, slo: outcomes)
        )
        let text = Summary.text(of: result)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 30)
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(text.contains("more objectives"))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
        #expect(!text.unicodeScalars.contains("\u{202e}"))
    }
}
