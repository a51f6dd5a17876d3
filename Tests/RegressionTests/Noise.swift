import Foundation
import PushModel

@testable import Regression

/// A machine that is never quiet, as a seeded sequence of measurements.
///
/// Shaped after rows of real runs: the level drifts by 10 to 20% within minutes and now and then
/// jumps, what is left from run to run is correlated, has heavy tails and bursts.
struct Noise {
    private var random: SplitMix64
    private var drift = 0.0
    private var step = 0.0
    private var wave = 0.0
    private var burst = 0
    private let scale: Double

    /// Makes a machine; `scale` is the usual spread of one run about the level of its minute.
    init(seed: UInt64, scale: Double = 0.02) {
        random = SplitMix64(seed: seed)
        self.scale = scale
        wave = Double.random(in: 0...6, using: &random)
    }

    /// The logarithm of what the next run's measurement is multiplied by.
    mutating func next() -> Double {
        // A wave of some minutes, 15% from crest to trough, and a slow walk.
        wave += 2 * .pi / 150
        drift = 0.995 * drift + 0.004 * normal()
        if Int.random(in: 0..<80, using: &random) == 0 { step = 0.05 * normal() }
        // A neighbour that takes the machine for some runs.
        if burst > 0 {
            burst -= 1
        } else if Int.random(in: 0..<60, using: &random) == 0 {
            burst = 6
        }
        let heavy = normal() / max(0.35, abs(normal() * normal()).squareRoot())
        let quiet = scale * (burst > 0 ? 4 : 1) * 0.6 * heavy
        return 0.075 * sin(wave) + drift + step + quiet + (burst > 0 ? abs(quiet) : 0)
    }

    private mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12...1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0...1, using: &random))
    }

    /// Whether the new build runs first in the next pair.
    mutating func coin() -> Bool { random.next() & 1 == 1 }
}

/// One trial on such a machine.
struct SimulatedTrial {
    let answer: Answer
    let pairs: Int
    let comparisons: [MetricComparison]

    /// Runs a trial of a build that needs `slowdown` times the CPU, and loses as much of the rate.
    init(
        slowdown: Double,
        seed: UInt64,
        scale: Double = 0.02,
        design: PairedDesign = PairedDesign()
    ) {
        var noise = Noise(seed: seed, scale: scale)
        // By the clock everything is three times as wild.
        var clock = Noise(seed: seed &+ 1_000_003, scale: scale * 3)
        var trial = PairedTrial(design)
        while !trial.isOver {
            let newFirst = noise.coin()
            let (first, second) = (noise.next(), noise.next())
            let (early, late) = (clock.next(), clock.next())
            func value(_ isNew: Bool, _ one: Double, _ other: Double) -> Double {
                exp(isNew == newFirst ? one : other)
            }
            trial.add([
                "cpu": (
                    700 * value(false, first, second),
                    700 * slowdown * value(true, first, second)
                ),
                "rate": (
                    900_000 / value(false, early, late),
                    900_000 / slowdown / value(true, early, late)
                ),
            ])
        }
        answer = trial.answer
        pairs = trial.series.map(\.count).reduce(0, +)
        comparisons = trial.comparisons
    }
}
