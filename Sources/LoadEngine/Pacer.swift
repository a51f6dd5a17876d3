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
            let offset = offset(of: position)
            position += 1
            return Self.nanoseconds(offset)
        case .poisson:
            let uniform = Double(generator.next() >> 11) * 0x1p-53
            elapsed -= log1p(-uniform) * meanGap
            return Self.nanoseconds(elapsed)
        }
    }

    /// How many of the due times that ``next()`` would give lie before `end`.
    ///
    /// Constant arrivals are counted exactly; of Poisson arrivals so many at most are drawn, and the
    /// rest is what the rate makes of the time left.
    func count(before end: UInt64) -> Int {
        switch arrivals {
        case .constant:
            let estimate = (Double(end) - phase) / meanGap
            guard estimate < 1e15 else { return 1_000_000_000_000_000 }
            var count = estimate > 0 ? UInt64(estimate) : 0
            // Rounding may be off by one in either direction.
            while Self.nanoseconds(offset(of: count)) < end { count += 1 }
            while count > 0, Self.nanoseconds(offset(of: count - 1)) >= end { count -= 1 }
            return Int(max(count, position) - position)
        case .poisson:
            var pacer = self
            for drawn in 0..<Self.mostDrawn where pacer.next() >= end { return drawn }
            return Self.mostDrawn
                + Int(min(max(0, Double(end) - pacer.elapsed) / meanGap, 1e15))
        }
    }

    private static let mostDrawn = 1_000_000

    /// From the position, not from the last time: no rounding adds up.
    private func offset(of position: UInt64) -> Double { phase + Double(position) * meanGap }

    /// Thirty years at most: an instant that far off can still be added to another.
    private static func nanoseconds(_ offset: Double) -> UInt64 {
        offset < 1e18 ? UInt64(offset) : 1_000_000_000_000_000_000
    }
}
