import Foundation
import PushModel
import Testing

@testable import Regression
@testable import Results

/// The verdict over stored runs.
@Suite struct ComparisonTests {
    /// Every metric with its unit and the direction in which it is better.
    private static let table: [(String, String, Bool)] = [
        ("rate", "1/s", false), ("makespan", "ns", true), ("p50", "ns", true), ("p90", "ns", true),
        ("p99", "ns", true), ("p99.9", "ns", true), ("p99.99", "ns", true), ("max", "ns", true),
        ("errors", "1", true), ("cpu", "ns", true), ("rss", "B", true), ("allocations", "1", true),
    ]

    @Test func everyMetricIsInTheTable() {
        #expect(Metric.table.map(\.name) == Self.table.map(\.0))
    }

    @Test(arguments: table)
    func everyMetricHasItsUnitPolarityAndDirection(
        name: String,
        unit: String,
        isLowerBetter: Bool
    ) throws {
        let metric = try #require(Metric.named(name))
        #expect(metric.unit.symbol == unit)
        #expect(metric.isLowerBetter == isLowerBetter)
        let base = try Records.runs(10, seed: 1)
        for (factor, expected) in [(1.2, Answer.worse), (1 / 1.2, .better), (1, .same)] {
            let new = try Records.runs(10, around: factor, seed: 2)
            let comparison = try Comparison(
                base: base,
                new: new,
                options: Comparison.Options(deciding: [metric])
            )
            let found = try #require(comparison.metrics.first { $0.metric.name == name })
            #expect(found.answer == expected, "\(factor): \(found.effect)")
            #expect(comparison.answer == expected)
            // The ratio is new by base, whichever of them is the better one.
            let expectedRatio = isLowerBetter ? factor : 1 / factor
            #expect(abs(found.effect.ratio / expectedRatio - 1) < 0.02)
            #expect(found.effect.low <= found.effect.ratio)
            #expect(found.effect.high >= found.effect.ratio)
        }
    }

    @Test func twoHundredComparisonsOfEqualRunsGiveAtMostTwoAlarms() throws {
        var alarms = 0
        for seed in 0..<200 as Range<UInt64> {
            var noise = Noise(seed: seed, scale: 0.02)
            var options = Comparison.Options()
            options.draws = 200
            // Turns, as the drift of a machine is no part of what is tested.
            var sides: [[RunRecord]] = [[], []]
            for _ in 0..<10 {
                let first = noise.coin() ? 1 : 0
                sides[first].append(try Records.run(exp(noise.next())))
                sides[1 - first].append(try Records.run(exp(noise.next())))
            }
            let answer = try Comparison(base: sides[0], new: sides[1], options: options).answer
            if answer == .worse { alarms += 1 }
        }
        #expect(alarms <= 2, "\(alarms) alarms")
    }

    /// Two results of one build, each of runs in a row, on machines that drift, are shared, or both.
    @Test func twoHundredComparisonsOfEqualResultsGiveAtMostTwoAlarms() throws {
        var options = Comparison.Options(deciding: [try #require(Metric.named("cpu"))])
        options.draws = 400
        var answers: [Answer] = []
        for seed in 0..<100 as Range<UInt64> {
            var noise = Noise(seed: seed)
            let drifting = (0..<20).map { _ in noise.next() }
            for logs in [drifting, RecordedNoise.sequence(20, seed: seed)] {
                let runs = logs.map { Records.bareRun(exp($0)) }
                let (base, new) = (Array(runs.prefix(10)), Array(runs.suffix(10)))
                let comparison = try Comparison(base: [base], new: [new], options: options)
                answers.append(comparison.answer)
            }
        }
        #expect(answers.count { $0 == .worse } <= 2)
        #expect(answers.count { $0 == .better } <= 2)
    }

    /// Minutes lie between the results, and the machine has changed.
    @Test func resultsOfSeveralMomentsGiveNoAlarmWhereEachOfThemDiffers() throws {
        var options = Comparison.Options(deciding: [try #require(Metric.named("cpu"))])
        options.draws = 400
        var alarms = 0
        for seed in 0..<40 as Range<UInt64> {
            var noise = Noise(seed: seed)
            var results = (0..<10).map { _ in
                let runs = (0..<5).map { _ in Records.bareRun(exp(noise.next())) }
                for _ in 0..<50 { _ = noise.next() }
                return runs
            }
            if noise.coin() { results.reverse() }
            let (base, new) = (Array(results.prefix(5)), Array(results.suffix(5)))
            if try Comparison(base: base, new: new, options: options).answer == .worse {
                alarms += 1
            }
        }
        #expect(alarms <= 1, "\(alarms) alarms")
    }

    @Test func largeChangeIsFoundInTwoResultsOfAQuietMachine() throws {
        for (factor, answer) in [
            (1.2, Answer.worse), (1.1, .worse), (1 / 1.2, .better), (1, .same),
        ] {
            let comparison = try Comparison(
                base: [try Records.runs(10, seed: 1)],
                new: [try Records.runs(10, around: factor, seed: 2)]
            )
            #expect(comparison.answer == answer, "\(factor)")
        }
    }

    /// Whatever the noise, a change as large as the one called detectable is mostly detected.
    @Test(arguments: ["normal", "heavy", "two modes"], [8, 12])
    func changeOfTheDetectableSizeIsFound(kind: String, count: Int) throws {
        var options = Comparison.Options(deciding: [try #require(Metric.named("cpu"))])
        options.draws = 400
        var random = SplitMix64(seed: UInt64(count))
        func normal() -> Double {
            let radius = (-2 * log(Double.random(in: 1e-12...1, using: &random))).squareRoot()
            return radius * cos(2 * .pi * Double.random(in: 0...1, using: &random))
        }
        func runs(_ shift: Double) -> [RunRecord] {
            (0..<count).map { _ in
                let noise =
                    switch kind {
                    case "normal": normal()
                    case "heavy": 0.7 * normal() / max(0.3, abs(normal()))
                    default: (Bool.random(using: &random) ? 1 : -1) + 0.2 * normal()
                    }
                return Records.bareRun(exp(shift + 0.02 * noise))
            }
        }
        func effect(_ shift: Double) throws -> Effect {
            let comparison = try Comparison(base: runs(0), new: runs(shift), options: options)
            return try #require(comparison.metrics.first).effect
        }
        let effects = try (0..<21).map { _ in try effect(0).minimumDetectableEffect ?? .infinity }
        let usual = Sorting.median(effects)
        let found = try (0..<50).count { _ in
            let effect = try effect(log(1 + usual))
            return effect.adjustedPValue <= 0.01 && effect.low > 1
        }
        // Nine of ten are promised; fifty tries may miss that by four.
        #expect(found >= 41, "\(found) of 50 at \(usual)")
    }

    @Test(arguments: [1, 3, 5])
    func tooFewRunsSayHowManyWouldDo(count: Int) throws {
        let comparison = try Comparison(
            base: try Records.runs(count, seed: 1),
            new: try Records.runs(count, around: 1.5, seed: 2)
        )
        #expect(comparison.answer == .inconclusive)
        // Two in C(12, 6) = 924 arrangements, four metrics, 1%.
        #expect(comparison.leastRuns == 6)
        for item in comparison.metrics where item.decides {
            #expect(item.runsNeeded == 6)
            #expect(item.effect.minimumDetectableEffect == nil)
        }
    }

    @Test func wideSpreadIsInconclusiveAndTellsTheEffectThatCouldBeSeen() throws {
        let comparison = try Comparison(
            base: try Records.runs(8, spread: 0.3, seed: 1),
            new: try Records.runs(8, around: 1.02, spread: 0.3, seed: 2)
        )
        #expect(comparison.answer == .inconclusive)
        let cpu = try #require(comparison.metrics.first { $0.metric.name == "cpu" })
        #expect((cpu.effect.minimumDetectableEffect ?? 0) > cpu.threshold)
        #expect((cpu.runsNeeded ?? 0) > 8)
    }

    /// All runs of a result share its minutes: more of them do not tell what results differ by.
    @Test func noNumberOfRunsIsToldWhereOnlyMoreResultsWouldDo() throws {
        for (spread, isTold) in [(0.005, true), (0.05, false)] {
            let comparison = try Comparison(
                base: [try Records.runs(10, spread: spread, seed: 1)],
                new: [try Records.runs(10, spread: spread, seed: 2)],
                options: Comparison.Options(deciding: [try #require(Metric.named("cpu"))])
            )
            let cpu = try #require(comparison.metrics.first)
            if isTold {
                #expect(cpu.answer == .same || (cpu.runsNeeded ?? 0) > 10)
            } else {
                #expect(cpu.answer == .inconclusive && cpu.runsNeeded == nil)
            }
        }
    }

    /// Results of a side that differ far more than their runs are no ground for an alarm.
    @Test(arguments: [(2, 2), (5, 1)])
    func fewResultsThatDifferGiveNoAlarm(ofBase: Int, ofNew: Int) throws {
        var options = Comparison.Options(deciding: [try #require(Metric.named("cpu"))])
        options.draws = 400
        var random = SplitMix64(seed: 11)
        var alarms = 0
        for _ in 0..<200 {
            let results = (0..<ofBase + ofNew).map { _ in
                let center = Double.random(in: -0.08...0.08, using: &random)
                return (0..<10).map { _ in
                    Records.bareRun(exp(center + .random(in: -0.015...0.015, using: &random)))
                }
            }
            let (base, new) = (Array(results.prefix(ofBase)), Array(results.suffix(ofNew)))
            if try Comparison(base: base, new: new, options: options).answer != .inconclusive {
                alarms += 1
            }
        }
        #expect(alarms <= 4, "\(alarms) alarms")
    }

    @Test func oneImperfectRunAmongPerfectOnesIsNoReasonToDoubt() throws {
        let options = Comparison.Options(deciding: [try #require(Metric.named("errors"))])
        let perfect = try (0..<20).map { _ in try Records.run(1, errors: 0) }
        let other = try Array(perfect.dropLast()) + [Records.run(1, errors: 1)]
        #expect(try Comparison(base: perfect, new: other, options: options).answer == .same)
    }

    @Test func changeBelowTheThresholdIsTheSameHoweverSure() throws {
        let comparison = try Comparison(
            base: try Records.runs(20, spread: 0.002, seed: 1),
            new: try Records.runs(20, around: 1.01, spread: 0.002, seed: 2)
        )
        let cpu = try #require(comparison.metrics.first { $0.metric.name == "cpu" })
        #expect(cpu.effect.adjustedPValue < 0.001)
        #expect(cpu.answer == .same)
        #expect(comparison.answer == .same)
    }

    @Test func metricThatIsZeroOnBothSidesIsTheSame() throws {
        let runs = try (0..<8).map { _ in try Records.run(1, errors: 0) }
        let errors = try #require(Metric.named("errors"))
        let options = Comparison.Options(deciding: [errors])
        #expect(try Comparison(base: runs, new: runs, options: options).answer == .same)
        let bad = try (0..<8).map { _ in try Records.run(1, errors: 50) }
        let worse = try Comparison(base: runs, new: bad, options: options)
        #expect(worse.answer == .worse)
        #expect(worse.metrics[0].effect.ratio == .infinity)
        #expect(try Comparison(base: bad, new: runs, options: options).answer == .better)
    }

    @Test func onlyWhatBothSidesMeasuredIsCompared() throws {
        var runs = try Records.runs(6, seed: 1)
        runs[3].cost.allocationsPerPush = nil
        let comparison = try Comparison(base: runs, new: runs)
        #expect(!comparison.metrics.contains { $0.metric.name == "allocations" })
        let allocations = try #require(Metric.named("allocations"))
        #expect(throws: RegressionError.nothingMeasured(["allocations"])) {
            try Comparison(base: runs, new: runs, options: .init(deciding: [allocations]))
        }
        runs[3].cost.cpuNanosecondsPerPush = .infinity
        #expect(throws: RegressionError.noNumber(metric: "cpu")) {
            try Comparison(base: runs, new: runs)
        }
    }

    @Test(arguments: [
        ([Answer.same, .worse, .inconclusive], Answer.worse),
        ([.same, .inconclusive], .inconclusive),
        ([.same, .better], .better), ([.better, .worse], .worse), ([.same, .same], .same),
        ([], .inconclusive),
    ])
    func answersTogether(answers: [Answer], whole: Answer) {
        #expect(Answer(all: answers) == whole)
    }

    @Test func thresholdsAreReadAndRefused() throws {
        var thresholds = Thresholds(standard: 0.1)
        try thresholds.add("5%")
        try thresholds.add("cpu=1.5%")
        try thresholds.add("p97=20%")
        let expected = ["cpu": 0.015, "p97": 0.2]
        #expect(thresholds == Thresholds(standard: 0.05, byMetric: expected))
        for text in ["5", "", "cpu=", "cpu=5", "-5%", "0%", "nan%", "x=5%", "cpu=5%%"] {
            var thresholds = Thresholds(standard: 0.1)
            #expect(throws: RegressionError.self, "\(text)") { try thresholds.add(text) }
        }
    }

    @Test func looksAreFewAndEndWithTheLastPair() {
        #expect(PairedDesign(pairs: 100).looks == [10, 15, 22, 33, 49, 73, 100])
        #expect(PairedDesign(pairs: 12).looks == [12])
        #expect(PairedDesign(pairs: 1).looks == [1])
        for pairs in 1...300 {
            let design = PairedDesign(pairs: pairs)
            #expect(design.looks == Array(Set(design.looks)).sorted() && design.looks.last == pairs)
            #expect(abs(design.alphaPerLook * Double(design.looks.count) - design.alpha) < 1e-12)
        }
    }
}
