import Foundation
import PushModel
import Testing

@testable import Regression
@testable import Results

/// Interleaved pairs on a simulated machine that is as restless as a shared one.
@Suite struct PairedTrialTests {
    @Test func twoHundredTrialsOfEqualBuildsGiveAtMostTwoAlarms() {
        let answers = (0..<200).map { SimulatedTrial(slowdown: 1, seed: $0).answer }
        let alarms = answers.count { $0 == .worse }
        #expect(alarms <= 2, "\(alarms) alarms")
        #expect(answers.count { $0 == .better } <= 10)
    }

    /// A gate that never answers would raise no alarm either.
    @Test func equalBuildsAreCalledSoWhereTheMachineAllows() {
        let answers = (0..<60).map {
            SimulatedTrial(slowdown: 1, seed: 40 + $0, scale: 0.008).answer
        }
        #expect(answers.count { $0 == .same } >= 27, "\(answers.count { $0 == .same }) the same")
        #expect(answers.count { $0 == .worse } == 0)
    }

    @Test func wildMachineGivesNoAlarmEither() {
        let answers = (0..<20).map { SimulatedTrial(slowdown: 1, seed: $0, scale: 0.15).answer }
        #expect(answers.count { $0 == .worse } == 0)
        #expect(answers.count { $0 == .same } == 0, "it cannot know")
    }

    @Test func slowdownOfFivePercentIsFound() {
        let found = (0..<60).count {
            SimulatedTrial(slowdown: 1.05, seed: 500 + $0).answer == .worse
        }
        #expect(found >= 19, "\(found) of 20")
    }

    @Test func slowdownOfTwoPercentIsNeverTheSame() {
        for seed in 0..<20 as Range<UInt64> {
            let trial = SimulatedTrial(slowdown: 1.02, seed: 900 + seed)
            #expect([.worse, .inconclusive].contains(trial.answer), "\(seed): \(trial.answer)")
        }
    }

    @Test func gainOfFivePercentIsFound() {
        let found = (0..<20).count {
            SimulatedTrial(slowdown: 1 / 1.05, seed: 300 + $0).answer == .better
        }
        #expect(found >= 19, "\(found) of 20")
    }

    /// Trials on noise that was recorded on a busy machine, a seventh of the value from run to run.
    private func recorded(slowdown: Double, seed: UInt64) throws -> Answer {
        let cpu = try #require(Metric.named("cpu"))
        var trial = PairedTrial(PairedDesign(metrics: [cpu]))
        var random = SplitMix64(seed: seed)
        let noise = RecordedNoise.sequence(500, seed: seed &+ 77)
        var place = 0
        while !trial.isOver {
            let (one, other) = (exp(noise[place]), exp(noise[place + 1]))
            place += 2
            let newFirst = random.next() & 1 == 1
            trial.add([
                "cpu": (700 * (newFirst ? other : one), 700 * slowdown * (newFirst ? one : other))
            ])
        }
        return trial.answer
    }

    @Test func recordedNoiseOfABusyMachineGivesNoAlarmAndNoFalsePeace() throws {
        let equal = try (0..<60).map { try recorded(slowdown: 1, seed: $0) }
        #expect(equal.count { $0 == .worse } <= 1)
        for seed in 0..<20 as Range<UInt64> {
            let slow = try recorded(slowdown: 1.05, seed: seed)
            #expect([.worse, .inconclusive].contains(slow))
            let muchSlower = try recorded(slowdown: 1.3, seed: seed)
            #expect(muchSlower == .worse, "\(seed)")
        }
    }

    @Test func alarmThatIsNotRepeatedIsInconclusive() throws {
        let cpu = try #require(Metric.named("cpu"))
        var trial = PairedTrial(PairedDesign(metrics: [cpu], pairs: 20))
        // One pair in ten swings the other way, so that the spread is not nothing.
        for pair in 0..<40 where !trial.isConfirming {
            trial.add(["cpu": (100, pair % 10 == 9 ? 99.9 : 110 + Double(pair) / 100)])
        }
        #expect(trial.isConfirming && !trial.isOver)
        #expect(trial.answer == .inconclusive, "not yet")
        for pair in 0..<40 where !trial.isOver {
            trial.add(["cpu": (100, pair % 2 == 0 ? 100.1 + Double(pair) / 1_000 : 99.9)])
        }
        #expect(trial.isOver && trial.confirmed.isEmpty)
        #expect(trial.answer == .inconclusive)
    }

    @Test func runsOfSeveralRepetitionsCountByTheirMedian() throws {
        let cpu = try #require(Metric.named("cpu"))
        var series = PairedSeries(PairedDesign(metrics: [cpu], pairs: 10))
        for _ in 0..<10 {
            let runs = [try Records.run(1), try Records.run(1.01), try Records.run(9)]
            try series.add(base: runs, new: runs.reversed())
        }
        let found = try #require(series.comparisons().first)
        #expect(found.base.median == 808 && found.answer == .same)
        var broken = try Records.run()
        broken.cost.cpuNanosecondsPerPush = nil
        #expect(throws: RegressionError.noNumber(metric: "cpu")) {
            try series.add(base: [broken], new: [broken])
        }
    }
}
