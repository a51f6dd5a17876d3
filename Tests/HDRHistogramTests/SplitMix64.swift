import Foundation

/// A small seeded generator, so that every failing property names a seed that repeats it.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// The shapes of latency that percentiles are checked against.
enum Distribution: CaseIterable, Sendable {
    case uniform, logNormal, twoPoint

    /// Draws a time in nanoseconds.
    func draw(_ random: inout SplitMix64) -> Int64 {
        switch self {
        case .uniform:
            Int64.random(in: 0...5_000_000, using: &random)
        case .logNormal:
            // Median 0.3 ms with a long tail: what a service's response times look like.
            Int64(300_000 * exp(1.2 * normal(&random)))
        case .twoPoint:
            Int64.random(in: 0..<1_000, using: &random) < 985 ? 300_000 : 250_000_000
        }
    }

    private func normal(_ random: inout SplitMix64) -> Double {
        let radius = sqrt(-2 * log(Double.random(in: Double.ulpOfOne...1, using: &random)))
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
}
