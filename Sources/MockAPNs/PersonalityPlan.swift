import PushModel
import Synchronization

/// A personality made ready for the loops, which all share one; immutable but for what is atomic.
final class PersonalityPlan: Sendable {
    /// What becomes of a push when it comes.
    enum Arrival: UInt8, Sendable {
        /// It is processed and answered.
        case process
        /// It is processed, and its stream is reset in place of an answer.
        case fail
        /// Its stream is refused before it is processed.
        case refuse
        /// Its connection is reset before it is processed.
        case reset
        /// Its connection dies before it is processed.
        case die

        /// Whether the push counts as one that the mock has seen.
        var isProcessed: Bool { self == .process || self == .fail }
    }

    private static let throttleSalt: UInt64 = 0x7468_726F_7474_6C65

    let personality: Personality
    private let faults: ShareTable
    /// Whether every push needs random bits.
    let needsDraw: Bool
    let isDelayed: Bool
    let hasThrottles: Bool
    /// The steps that happen at a time, by time.
    let timedSteps: [(at: UInt64, change: SettingsChange)]
    /// The steps that happen after a number of pushes, by number.
    let countedSteps: [(after: UInt64, change: SettingsChange)]
    private let throttles: ShareTable
    private let throttleSeed: UInt64
    private let throttled: ThrottleTable?
    /// When the first push came, on the monotonic clock in nanoseconds; 0 before.
    private let firstPush = Atomic<UInt64>(0)
    private let connections = Atomic<UInt64>(0)

    init(_ personality: Personality) {
        self.personality = personality
        let rates = personality.faults
        faults = ShareTable([
            rates.silentDeath, rates.reset, rates.refusedStream, rates.internalError,
        ])
        isDelayed = !personality.delay.isNone
        needsDraw = !faults.isEmpty || isDelayed
        throttles = ShareTable(personality.throttles.map(\.share))
        hasThrottles = !throttles.isEmpty
        throttled = hasThrottles ? ThrottleTable() : nil
        throttleSeed = SplitMix64.mix(personality.seed ^ Self.throttleSalt)
        var timed: [(at: UInt64, change: SettingsChange)] = []
        var counted: [(after: UInt64, change: SettingsChange)] = []
        for step in personality.settings.steps {
            switch step.moment {
            case .at(let at): timed.append((at, step.change))
            case .afterPushes(let after): counted.append((after, step.change))
            }
        }
        // By place second, so that those of one moment stay in order.
        timedSteps = timed.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        countedSteps = counted.enumerated()
            .sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }
            .map(\.element)
    }

    /// What meets a push that has these random bits.
    func arrival(_ bits: UInt64) -> Arrival {
        switch faults.place(bits) {
        case 0: .die
        case 1: .reset
        case 2: .refuse
        case 3: .fail
        default: .process
        }
    }

    /// The number of the next connection.
    func nextConnection() -> UInt64 {
        connections.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    /// Notes that a push came at `now`, which is not 0.
    ///
    /// - Returns: When the first one came.
    func start(_ now: UInt64) -> UInt64 {
        let (isFirst, original) = firstPush.compareExchange(
            expected: 0,
            desired: now,
            ordering: .relaxed
        )
        return isFirst ? now : original
    }

    /// When the first push came; 0 where none did.
    var startedAt: UInt64 { firstPush.load(ordering: .relaxed) }

    /// What an accepted push to `token` is refused with all the same.
    func throttle(_ token: RawSpan) -> Throttle? {
        let hash = TokenHash.of(token)
        let draw = SplitMix64.mix(hash ^ throttleSeed)
        guard let place = throttles.place(draw), let throttled else { return nil }
        let throttle = personality.throttles[place]
        return throttled.refuses(draw, times: throttle.times) ? throttle : nil
    }

    /// What a call about an app, accepted otherwise, is refused with all the same.
    ///
    /// Path and channel stand in for the token. What a throttle says of a token, that is with a 4xx,
    /// does not concern a call; what it says of the server does.
    func throttle(_ path: RawSpan, channel: RawSpan, _ reasons: ReasonTable) -> Throttle? {
        let hash = TokenHash.of(path) ^ SplitMix64.mix(TokenHash.of(channel))
        let draw = SplitMix64.mix(hash ^ throttleSeed)
        guard let place = throttles.place(draw), let throttled else { return nil }
        let throttle = personality.throttles[place]
        guard reasons.status(of: throttle.reason) >= 500 else { return nil }
        return throttled.refuses(draw, times: throttle.times) ? throttle : nil
    }
}
