import Glibc
import PushModel

/// The due times of one loop's pushes, as a pure sequence: no clock, no state but its position.
///
/// Each of `loops` loops takes its share of the rate. Constant arrivals of several loops interleave
/// evenly; Poisson arrivals of several loops add up to a Poisson process of the whole rate.
struct Pacer: Sendable {
    private let meanGap: Double
    private let phase: Double
    private let arrivals: LoadModel.Arrivals
    private var position: UInt64 = 0
    private var elapsed: Double = 0
    private var generator: SplitMix64

    /// Makes the schedule of loop `loop` of `loops`.
    init(rate: Double, arrivals: LoadModel.Arrivals, seed: UInt64, loop: Int, loops: Int) {
        meanGap = 1e9 * Double(loops) / rate
        phase = 1e9 * Double(loop) / rate
        self.arrivals = arrivals
        generator = SplitMix64(seed: seed &+ 0x5EED &* UInt64(loop + 1))
    }

    /// The next due time, in nanoseconds after the start of the run; never decreasing.
    mutating func next() -> UInt64 {
        switch arrivals {
        case .constant:
            // From the position, not from the last time: no rounding adds up.
            let offset = phase + Double(position) * meanGap
            position += 1
            return UInt64(offset)
        case .poisson:
            let uniform = Double(generator.next() >> 11) * 0x1p-53
            elapsed -= log1p(-uniform) * meanGap
            return UInt64(elapsed)
        }
    }
}
