import Glibc
import PushModel

/// How long answers take: a law, its drift over time, and stalls.
public struct AnswerDelay: Equatable, Sendable {
    /// How single answer times are spread; times in nanoseconds.
    public enum Law: Equatable, Sendable {
        /// All the same; 0 answers at once.
        case constant(UInt64)
        /// Evenly between the two.
        case uniform(UInt64, UInt64)
        /// By a mean, without memory.
        case exponential(mean: UInt64)
        /// By a median and the standard deviation of the logarithm.
        case logNormal(median: UInt64, sigma: Double)
        /// Mostly the first, for a share the second.
        case twoPoint(fast: UInt64, slow: UInt64, slowShare: Share)
    }

    /// A while without any answer; times in nanoseconds.
    public struct Stall: Equatable, Sendable {
        /// When it begins, since the mock's first push.
        public var start: UInt64
        /// How long it lasts.
        public var length: UInt64

        /// Makes a stall.
        public init(start: UInt64, length: UInt64) {
            self.start = start
            self.length = length
        }
    }

    /// No answer takes longer than this, in nanoseconds, but for stalls.
    static let longest = 3600.0 * 1e9
    private static let minute = 60.0 * 1e9

    /// The law at the start.
    public var law = Law.constant(0)
    /// By how much times grow in a minute: 1 leaves them as they are.
    public var driftPerMinute = 1.0
    /// The stalls, in any order.
    public var stalls: [Stall] = []

    /// Makes one that answers at once.
    public init() {}

    /// Whether every answer goes out at once.
    public var isNone: Bool { law == .constant(0) && stalls.isEmpty }

    /// How long the answer to one push takes.
    ///
    /// - Parameters:
    ///   - draw: 64 random bits of the push.
    ///   - elapsed: When the push came, in nanoseconds since the first one.
    /// - Returns: The time in nanoseconds; one that ends in a stall lasts until the stall's end.
    func nanoseconds(draw: UInt64, elapsed: UInt64) -> UInt64 {
        var time = base(draw)
        // Not infinite: that times no time at all is no number.
        if driftPerMinute != 1 {
            let growth = pow(driftPerMinute, Double(elapsed) / Self.minute)
            time *= min(growth, .greatestFiniteMagnitude)
        }
        var delay = UInt64(min(max(time, 0), Self.longest))
        for stall in stalls {
            let due = elapsed &+ delay
            if due >= stall.start, due - stall.start < stall.length {
                delay = stall.start &+ stall.length &- elapsed
            }
        }
        return delay
    }

    private func base(_ draw: UInt64) -> Double {
        switch law {
        case .constant(let time): return Double(time)
        case .uniform(let low, let high):
            return Double(low) + (Double(high) - Double(low)) * Self.unit(draw)
        case .exponential(let mean): return -log(1 - Self.unit(draw)) * Double(mean)
        case .logNormal(let median, let sigma):
            // Box and Muller's: a normal number of two even ones, the second from other bits.
            let radius = (-2 * log(1 - Self.unit(draw))).squareRoot()
            let angle = 2 * Double.pi * Self.unit(SplitMix64.mix(draw))
            return Double(median) * exp(sigma * radius * cos(angle))
        case .twoPoint(let fast, let slow, let share):
            return Double(Self.unit(draw) < share.fraction ? slow : fast)
        }
    }

    /// An even number from 0 up to but not 1.
    private static func unit(_ draw: UInt64) -> Double { Double(draw >> 11) * 0x1p-53 }
}
