import HDRHistogram
import Testing

@testable import Results

@Suite struct ServiceLevelObjectiveTests {
    @Test(arguments: [
        ("p99<50ms", "p99", ServiceLevelObjective.Comparison.below, 50e6),
        ("p99.9 <= 1.5 s", "p99.9", .atMost, 1.5e9),
        ("p50<300us", "p50", .below, 300e3),
        ("p50<300µs", "p50", .below, 300e3),
        ("p50<300\u{3bc}s", "p50", .below, 300e3),
        ("max<2m", "max", .below, 120e9),
        ("makespan<10s", "makespan", .below, 10e9),
        ("p99.99<700ns", "p99.99", .below, 700),
        ("p75<1ms", "p75", .below, 1e6),
        ("errors<0.1%", "errors", .below, 0.001),
        ("errors<=0", "errors", .atMost, 0),
        ("rate>=100000", "rate", .atLeast, 100_000),
        ("rate>0.5", "rate", .above, 0.5),
        ("cpu<2us", "cpu", .below, 2_000),
        ("rss<1.6GB", "rss", .below, 1.6e9),
        ("allocations<=0", "allocations", .atMost, 0),
    ])
    func objectivesAreRead(
        text: String,
        name: String,
        comparison: ServiceLevelObjective.Comparison,
        limit: Double
    ) throws {
        let objective = try ServiceLevelObjective.parse(text)
        #expect(objective.metric.name == name)
        #expect(objective.comparison == comparison)
        #expect(abs(objective.limit - limit) <= limit * 1e-12)
    }

    @Test(arguments: [
        ("", ObjectiveError.noComparison("")),
        ("p99", .noComparison("p99")),
        ("p99=50ms", .noComparison("p99=50ms")),
        ("<50ms", .unknownMetric("<50ms", name: "")),
        ("p98.<5ms", .unknownMetric("p98.<5ms", name: "p98.")),
        ("p100<5ms", .unknownMetric("p100<5ms", name: "p100")),
        ("p0<5ms", .unknownMetric("p0<5ms", name: "p0")),
        ("p-1<5ms", .unknownMetric("p-1<5ms", name: "p-1")),
        ("pnan<5ms", .unknownMetric("pnan<5ms", name: "pnan")),
        ("latency<5ms", .unknownMetric("latency<5ms", name: "latency")),
        ("p99>50ms", .wrongDirection("p99>50ms", name: "p99", isLowerBetter: true)),
        ("rate<=5", .wrongDirection("rate<=5", name: "rate", isLowerBetter: false)),
        ("errors>=1%", .wrongDirection("errors>=1%", name: "errors", isLowerBetter: true)),
        ("p99<", .badNumber("p99<")),
        ("p99<ms", .badNumber("p99<ms")),
        ("p99<-5ms", .badNumber("p99<-5ms")),
        ("p99<1.2.3ms", .badNumber("p99<1.2.3ms")),
        ("p99<=>5ms", .badNumber("p99<=>5ms")),
        (
            "p99<50",
            .badUnit("p99<50", known: ["ns", "us", "\u{b5}s", "\u{3bc}s", "ms", "s", "m"])
        ),
        ("errors<1", .badUnit("errors<1", known: ["%"])),
        ("errors<1ms", .badUnit("errors<1ms", known: ["%"])),
        ("rate>=100k", .badUnit("rate>=100k", known: [""])),
        ("rate>=0k", .badUnit("rate>=0k", known: [""])),
    ])
    func faultsAreNamed(text: String, error: ObjectiveError) {
        #expect(throws: error) { try ServiceLevelObjective.parse(text) }
        #expect(error.description.contains("'\(text)'"))
        #expect(error.description.hasSuffix("."))
    }

    /// A run whose every metric has the same distance from its limit in the table below.
    private static func run(_ milliseconds: Int64, rate: Double, errors: Int) throws -> RunRecord {
        let histogram = Histogram(.latency)
        histogram.record(milliseconds * 1_000_000, count: 1_000)
        var run = try Samples.run(
            account: Account(audience: 1_000, accepted: 1_000 - errors, unknown: errors)
        )
        run.latency.response = try LatencySummary(histogram)
        run.makespan?.p100 = milliseconds * 1_000_000
        run.throughput.pushesPerSecond = rate
        run.cost = Cost(
            cpuNanosecondsPerPush: Double(milliseconds) * 1e6,
            peakRSSBytes: milliseconds * 1_000_000,
            allocationsPerPush: Double(milliseconds)
        )
        return run
    }

    @Test(arguments: [
        "p50<50ms", "p90<50ms", "p99<50ms", "p99.9<50ms", "p99.99<=50ms", "p12.5<50ms", "max<50ms",
        "makespan<50ms", "errors<5%", "errors<=4%", "rate>=1000", "rate>999", "cpu<50ms",
        "rss<50MB", "allocations<50",
    ])
    func aBetterRunPassesAndAWorseOneFails(text: String) throws {
        let objective = try ServiceLevelObjective.parse(text)
        let better = try Self.run(40, rate: 1_100, errors: 40)
        let worse = try Self.run(60, rate: 900, errors: 60)
        let good = objective.evaluate([better])
        #expect(good.met)
        let bad = objective.evaluate([worse])
        #expect(!bad.met)
        // Of several runs the worst one counts.
        #expect(objective.evaluate([better, worse]) == bad)
        #expect(objective.evaluate([worse, better, better]) == bad)
        let name = objective.metric.name
        #expect(good.metric == name)
        #expect(good.expression == text)
        let direction = try #require(bad.actual) - (try #require(good.actual))
        #expect(objective.metric.isLowerBetter == (direction > 0))
    }

    @Test func theBoundItselfCountsOnlyWithEquality() throws {
        let run = try Self.run(40, rate: 1_000, errors: 50)
        func isMet(_ text: String) throws -> Bool {
            try ServiceLevelObjective.parse(text).evaluate([run]).met
        }
        #expect(try isMet("rate>=1000"))
        #expect(try !isMet("rate>1000"))
        #expect(try isMet("makespan<=40ms"))
        #expect(try !isMet("makespan<40ms"))
        #expect(try isMet("errors<=5%"))
        #expect(try !isMet("errors<5%"))
    }

    @Test func whatWasNotMeasuredIsNotMet() throws {
        let run = RunRecord(
            account: Account(audience: 5, accepted: 0, unknown: 5),
            throughput: Throughput(acknowledged: 0, bytes: 0, elapsedNanoseconds: 0),
            makespan: nil,
            latency: Latency(response: nil, service: nil, lateness: nil)
        )
        for text in ["p99<50ms", "p75<50ms", "makespan<10s", "cpu<1s", "allocations<=0"] {
            let objective = try ServiceLevelObjective.parse(text)
            let outcome = objective.evaluate([run])
            #expect(!outcome.met)
            #expect(outcome.actual == nil)
            // A run without a value is not made good by one that has it.
            #expect(try !objective.evaluate([Self.run(1, rate: 1, errors: 0), run]).met)
        }
        #expect(try !ServiceLevelObjective.parse("errors<=0").evaluate([]).met)
    }

    @Test func everyMetricHasItsNameOnce() {
        let names = Metric.table.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { Metric.named($0)?.name == $0 })
        #expect(Metric.table.filter { !$0.isLowerBetter }.map(\.name) == ["rate"])
    }
}
