import HTTP2
import PushModel

/// The course of one connection under a personality: what meets its next push, and what follows from
/// its answers.
///
/// Pure: knows no socket and no clock. The plan is given to each call, since all connections share
/// one.
struct ConnectionBehaviour {
    /// What a processed push, or time, leads to.
    struct Consequence: OptionSet {
        let rawValue: UInt8
        /// ``ConnectionBehaviour/settings`` are to be announced.
        static let settings = Consequence(rawValue: 1)
        /// So many pushes have come that the connection is told to go.
        static let goodbye = Consequence(rawValue: 2)
        /// So much was refused that it is.
        static let disconnection = Consequence(rawValue: 4)
    }

    /// What is announced now.
    private(set) var settings: SessionSettings
    /// Random bits of the last push.
    private(set) var draw: UInt64 = 0
    private var numbers: SplitMix64
    private var pushes: UInt64 = 0
    private var errors: UInt64 = 0
    private var nextCountedStep = 0
    private var nextTimedStep = 0
    private var isLimited: Bool
    private var normalLimit: UInt32
    /// Whether nothing more follows: it was told to go.
    private var isOver = false

    /// The course of a new connection.
    ///
    /// - Parameters:
    ///   - plan: The personality.
    ///   - base: What the mock announces where the personality says nothing.
    ///   - number: The connection's, which its random numbers follow from.
    ///   - hasClientCertificate: Whether the sender has proved itself already.
    ///   - elapsed: Nanoseconds since the mock's first push; nil where none came.
    init(
        _ plan: PersonalityPlan,
        base: SessionSettings,
        number: UInt64,
        hasClientCertificate: Bool,
        elapsed: UInt64?
    ) {
        let personality = plan.personality
        numbers = SplitMix64(seed: SplitMix64.mix(personality.seed) ^ SplitMix64.mix(~number))
        settings = base
        personality.settings.start.apply(to: &settings)
        normalLimit = personality.streamLimit?.normal ?? settings.maxConcurrentStreams
        isLimited = personality.streamLimit != nil && !hasClientCertificate
        if let limit = personality.streamLimit {
            settings.maxConcurrentStreams = isLimited ? limit.untilFirstSuccess : normalLimit
        }
        if let elapsed { _ = reach(elapsed, plan) }
    }

    /// What meets the next push.
    @inline(__always)
    mutating func arrival(_ plan: PersonalityPlan) -> PersonalityPlan.Arrival {
        pushes &+= 1
        guard plan.needsDraw else { return .process }
        let bits = numbers.next()
        draw = SplitMix64.mix(bits)
        return plan.arrival(bits)
    }

    /// Notes the answer to a request that was processed.
    ///
    /// - Parameters:
    ///   - reason: Why it is refused; nil where it is accepted.
    ///   - status: The answer's.
    ///   - plan: The personality.
    /// - Returns: What follows.
    @inline(__always)
    mutating func processed(
        _ reason: ReasonCode?,
        status: UInt16,
        _ plan: PersonalityPlan
    ) -> Consequence {
        var consequence: Consequence = []
        if let reason {
            if status != 410 { consequence = noteRejection(reason, plan) }
        } else if isLimited {
            isLimited = false
            consequence = limit(to: normalLimit)
        }
        if nextCountedStep < plan.countedSteps.count { consequence.formUnion(reachCount(plan)) }
        let every = plan.personality.goodbye.everyPushes
        if every > 0, pushes >= every, !isOver {
            isOver = true
            consequence.insert(.goodbye)
        }
        return consequence
    }

    /// Notes that so many nanoseconds have passed since the mock's first push.
    mutating func reach(_ elapsed: UInt64, _ plan: PersonalityPlan) -> Consequence {
        var consequence: Consequence = []
        while nextTimedStep < plan.timedSteps.count, plan.timedSteps[nextTimedStep].at <= elapsed {
            consequence.formUnion(apply(plan.timedSteps[nextTimedStep].change))
            nextTimedStep += 1
        }
        return consequence
    }

    @inline(never)
    private mutating func noteRejection(
        _ reason: ReasonCode,
        _ plan: PersonalityPlan
    ) -> Consequence {
        var consequence: Consequence = []
        let rule = plan.personality.disconnection
        errors += reason == ReasonCode(.badDeviceToken) ? rule.badDeviceTokenWeight : 1
        if rule.errors > 0, errors >= rule.errors, !isOver {
            isOver = true
            consequence.insert(.disconnection)
        }
        if let afterRejection = plan.personality.streamLimit?.afterRejection, !isLimited {
            isLimited = true
            consequence.formUnion(limit(to: afterRejection))
        }
        return consequence
    }

    @inline(never)
    private mutating func reachCount(_ plan: PersonalityPlan) -> Consequence {
        var consequence: Consequence = []
        while nextCountedStep < plan.countedSteps.count,
            plan.countedSteps[nextCountedStep].after <= pushes
        {
            consequence.formUnion(apply(plan.countedSteps[nextCountedStep].change))
            nextCountedStep += 1
        }
        return consequence
    }

    private mutating func apply(_ change: SettingsChange) -> Consequence {
        let before = settings
        change.apply(to: &settings)
        if let streams = change.maxConcurrentStreams {
            normalLimit = streams
            // The limit after a rejection, or before the first success, is the lower one.
            if isLimited {
                settings.maxConcurrentStreams = min(before.maxConcurrentStreams, streams)
            }
        }
        return settings == before ? [] : .settings
    }

    @inline(never)
    private mutating func limit(to streams: UInt32) -> Consequence {
        guard settings.maxConcurrentStreams != streams else { return [] }
        settings.maxConcurrentStreams = streams
        return .settings
    }
}
