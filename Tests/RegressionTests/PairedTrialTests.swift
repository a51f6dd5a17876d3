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
        let answers = (0..<60).map { SimulatedTrial(slowdown: 1, seed: 40 + $0, scale: 0.008).answer }
        #expect(answers.count { $0 == .same } >= 54, "\(answers.count { $0 == .same }) the same")
        #expect(answers.count { $0 == .worse } == 0)
    }

    @Test func wildMachineGivesNoAlarmEither() {
        let answers = (0..<200).map { SimulatedTrial(slowdown: 1, seed: $0, scale: 0.15).answer }
        #expect(answers.count { $0 == .worse } <= 2)
        #expect(answers.count { $0 == .same } <= 2, "it cannot know")
    }

    @Test func slowdownOfFivePercentIsFound() {
        let found = (0..<60).count {
            SimulatedTrial(slowdown: 1.05, seed: 500 + $0).answer == .worse
        }
        #expect(found >= 57, "\(found) of 60")
    }

    @Test func slowdownOfTwoPercentIsNeverTheSame() {
        for seed in 0..<60 as Range<UInt64> {
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
}
