import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// The course of connections under personalities, without sockets.
@Suite struct ConnectionBehaviourTests {
    /// A connection's behaviour with its plan.
    private struct Course {
        let plan: PersonalityPlan
        var behaviour: ConnectionBehaviour

        init(
            _ personality: Personality,
            number: UInt64 = 0,
            hasClientCertificate: Bool = false,
            elapsed: UInt64? = nil
        ) {
            plan = PersonalityPlan(personality)
            behaviour = ConnectionBehaviour(
                plan,
                base: SessionSettings(),
                number: number,
                hasClientCertificate: hasClientCertificate,
                elapsed: elapsed
            )
        }

        var limit: UInt32 { behaviour.settings.maxConcurrentStreams }

        mutating func push(_ reason: APNsReason? = nil) -> ConnectionBehaviour.Consequence {
            guard behaviour.arrival(plan).isProcessed else { return [] }
            var decision = PushDecision(apnsID: ServerResponse.UUIDText(repeating: 0x30))
            if let reason {
                decision.reason = ReasonCode(reason)
                decision.status = UInt16(reason.status)
            }
            return behaviour.processed(decision.reason, status: decision.status, plan)
        }

        mutating func arrivals(_ count: Int) -> [PersonalityPlan.Arrival] {
            (0..<count).map { _ in behaviour.arrival(plan) }
        }
    }

    private static func personality(_ change: (inout Personality) -> Void) -> Personality {
        var personality = Personality()
        change(&personality)
        return personality
    }

    private static let apple = personality {
        $0.streamLimit = Personality.StreamLimit()
        $0.streamLimit?.afterRejection = 1
    }

    @Test func limitIsOneUntilTheFirstSuccessAndAfterARejection() {
        var course = Course(Self.apple)
        #expect(course.limit == 1)
        #expect(course.push(.missingProviderToken) == [])
        #expect(course.limit == 1)
        #expect(course.push() == .settings)
        #expect(course.limit == 1000)
        #expect(course.push() == [])
        #expect(course.push(.badDeviceToken) == .settings)
        #expect(course.limit == 1)
        #expect(course.push(.badTopic) == [])
        #expect(course.push() == .settings)
        #expect(course.limit == 1000)
    }

    @Test(arguments: [APNsReason.unregistered, .expiredToken])
    func aTokenThatIsGoneIsNoError(_ reason: APNsReason) {
        var course = Course(Self.apple)
        _ = course.push()
        #expect(course.push(reason) == [])
        #expect(course.limit == 1000)
    }

    @Test func aClientCertificateStartsHigh() {
        var course = Course(Self.apple, hasClientCertificate: true)
        #expect(course.limit == 1000)
        #expect(course.push() == [])
        #expect(course.push(.topicDisallowed) == .settings)
        #expect(course.limit == 1)
    }

    @Test func manyErrorsDisconnectOnceAndBadTokensSooner() {
        let personality = Self.personality {
            $0.disconnection.errors = 10
            $0.disconnection.badDeviceTokenWeight = 5
        }
        var mild = Course(personality)
        for _ in 0..<9 { #expect(mild.push(.badTopic) == []) }
        for _ in 0..<20 { #expect(mild.push(.unregistered) == []) }
        #expect(mild.push(.payloadEmpty) == .disconnection)
        #expect(mild.push(.payloadEmpty) == [])
        var bad = Course(personality)
        #expect(bad.push(.badDeviceToken) == [])
        #expect(bad.push(.badDeviceToken) == .disconnection)
    }

    @Test func everySoManyPushesTheConnectionIsToldToGoOnce() {
        var course = Course(Self.personality { $0.goodbye.everyPushes = 3 })
        let told = (0..<9).map { _ in course.push() }
        #expect(told == [[], [], .goodbye, [], [], [], [], [], []])
    }

    @Test func faultsFollowFromSeedAndConnectionAlone() {
        let personality = Self.personality {
            $0.seed = 7
            $0.faults.refusedStream = Share(fraction: 0.2)
            $0.faults.internalError = Share(fraction: 0.1)
            $0.faults.reset = Share(fraction: 0.05)
        }
        var first = Course(personality, number: 3)
        var again = Course(personality, number: 3)
        let arrivals = first.arrivals(10_000)
        #expect(arrivals == again.arrivals(10_000))
        var other = Course(personality, number: 4)
        #expect(arrivals != other.arrivals(10_000))
        var seed = Course(
            Self.personality {
                $0.seed = 8; $0.faults = personality.faults
            },
            number: 3
        )
        #expect(arrivals != seed.arrivals(10_000))
        // Four standard deviations around the shares.
        #expect((1840...2160).contains(arrivals.count { $0 == .refuse }))
        #expect((880...1120).contains(arrivals.count { $0 == .fail }))
        #expect((412...588).contains(arrivals.count { $0 == .reset }))
        #expect(!arrivals.contains(.die))
    }

    @Test func settingsChangeAfterPushesAndAtTimes() {
        var course = Course(
            Self.personality {
                var streams = SettingsChange()
                streams.maxConcurrentStreams = 7
                var window = SettingsChange()
                window.initialWindowSize = 100
                var frame = SettingsChange()
                frame.maxFrameSize = 20_000
                $0.settings.start.headerTableSize = 0
                $0.settings.steps = [
                    .init(moment: .afterPushes(2), change: streams),
                    .init(moment: .at(5_000_000_000), change: frame),
                    .init(moment: .at(1_000_000_000), change: window),
                ]
            }
        )
        #expect(course.behaviour.settings.headerTableSize == 0)
        #expect(course.push() == [])
        #expect(course.push() == .settings)
        #expect(course.limit == 7)
        #expect(course.behaviour.reach(999_999_999, course.plan) == [])
        #expect(course.behaviour.reach(1_000_000_000, course.plan) == .settings)
        #expect(course.behaviour.settings.initialWindowSize == 100)
        #expect(course.behaviour.reach(60_000_000_000, course.plan) == .settings)
        #expect(course.behaviour.settings.maxFrameSize == 20_000)
        // Who comes later has all of it from the start.
        let late = Course(course.plan.personality, elapsed: 2_000_000_000)
        #expect(late.behaviour.settings.initialWindowSize == 100)
        #expect(late.behaviour.settings.maxFrameSize == 16_384)
    }

    @Test func aScriptedLimitHoldsBackALimitedConnectionToo() {
        var personality = Self.apple
        var change = SettingsChange()
        change.maxConcurrentStreams = 20
        personality.settings.steps = [.init(moment: .afterPushes(1), change: change)]
        var course = Course(personality)
        #expect(course.push(.badTopic) == [])
        #expect(course.limit == 1)
        #expect(course.push() == .settings)
        #expect(course.limit == 20)
    }
}
