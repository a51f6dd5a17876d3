import HDRHistogram
import HTTP2
import PushCrypto
import PushModel
import Testing

@testable import LoadEngine

/// What the engine does about each kind of answer (contract 1.6), against a target that gives it.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct ActionTableTests {
    /// A script that answers the first `times` requests for a token with `reason`, then with 200.
    private static func refusing(
        _ times: Int,
        _ reason: APNsReason,
        retryAfter: Int? = nil,
        _ notes: Notes
    ) -> ScriptedTarget.Script {
        .answering { _, handle, session in
            if notes.count(session.text(.path, of: handle)) <= times {
                session.refuse(handle, reason, retryAfter: retryAfter)
            } else {
                session.accept(handle)
            }
            return .goOn
        }
    }

    @Test(
        arguments: HTTP2Engine.allCases,
        [
            .tooManyRequests, .tooManyProviderTokenUpdates, .internalServerError,
            .serviceUnavailable, .shutdown,
        ] as [APNsReason]
    )
    func pushThatMayBeTriedAgainIsAndCountsOnce(
        _ engine: HTTP2Engine,
        _ reason: APNsReason
    ) throws {
        let notes = Notes()
        let (report, connections) = try LoadFixture.run(
            Self.refusing(1, reason, notes),
            engine: engine,
            pushes: 300
        )
        #expect(report.account.accepted == 300)
        #expect(report.account.rejected.isEmpty)
        #expect(report.retried == 300)
        #expect(report.resent == 0)
        #expect(report.retriedReasons == [reason.rawValue: 300])
        #expect(notes.all.count == 300)
        #expect(notes.all.values.allSatisfy { $0 == 2 })
        #expect(report.makespan.count == 300)
        #expect(report.latency.response.count == 300)
        #expect(report.latency.service.count == 300)
        #expect(report.series.reduce(0) { $0 + $1.accepted } == 300)
        #expect(connections == 1 || reason == .shutdown)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func pushThatIsRefusedTooOftenEndsWithItsLastReason(_ engine: HTTP2Engine) throws {
        let notes = Notes()
        let (report, _) = try LoadFixture.run(
            Self.refusing(.max, .serviceUnavailable, notes),
            engine: engine,
            pushes: 50
        ) { $0.retries.limit = 2 }
        #expect(report.account.rejected == ["ServiceUnavailable": 50])
        #expect(report.retried == 100)
        #expect(notes.all.values.allSatisfy { $0 == 3 })
    }

    @Test(arguments: HTTP2Engine.allCases)
    func withoutRetriesTheFirstAnswerIsTheLast(_ engine: HTTP2Engine) throws {
        let (report, _) = try LoadFixture.run(
            Self.refusing(.max, .tooManyRequests, Notes()),
            engine: engine,
            pushes: 50
        ) { $0.retries.limit = 0 }
        #expect(report.account.rejected == ["TooManyRequests": 50])
        #expect(report.retried == 0)
        #expect(report.retriedReasons.isEmpty)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func responseTimeCountsFromTheFirstAttemptThroughTheWaitThatTheTargetAsksFor(
        _ engine: HTTP2Engine
    ) throws {
        let (report, _) = try LoadFixture.run(
            Self.refusing(1, .serviceUnavailable, retryAfter: 1, Notes()),
            engine: engine,
            pushes: 20
        )
        #expect(report.account.accepted == 20)
        #expect(report.latency.response.min >= 990_000_000)
        #expect(report.latency.service.min < 990_000_000)
    }

    @Test func pushThatWouldHaveToWaitTooLongEndsAtOnce() throws {
        let (report, _) = try LoadFixture.run(
            Self.refusing(1, .serviceUnavailable, retryAfter: 86_400, Notes()),
            engine: .wire,
            pushes: 20
        )
        #expect(report.account.rejected == ["ServiceUnavailable": 20])
    }

    @Test(
        arguments: HTTP2Engine.allCases,
        [.badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered] as [APNsReason]
    )
    func badTokenIsListedAndNeverTriedAgain(_ engine: HTTP2Engine, _ reason: APNsReason) throws {
        let notes = Notes()
        let script = ScriptedTarget.Script.answering { number, handle, session in
            notes.count(session.text(.path, of: handle))
            if number % 10 == 0 {
                session.refuse(handle, reason, timestamp: 1_700_000_000_123)
            } else {
                session.accept(handle)
            }
            return .goOn
        }
        let (report, _) = try LoadFixture.run(script, engine: engine, pushes: 200)
        #expect(report.account.rejected == [reason.rawValue: 20])
        #expect(report.retried == 0)
        #expect(notes.all.values.allSatisfy { $0 == 1 })
        #expect(report.rejectedTokens.count == 20)
        #expect(Set(report.rejectedTokens.map(\.install)).count == 20)
        for token in report.rejectedTokens {
            #expect(token.reason == reason.rawValue)
            #expect(token.timestamp == 1_700_000_000_123)
        }
    }

    @Test func tokenThatIsBadInEachRoundIsListedOnce() throws {
        let script = ScriptedTarget.Script.answering { _, handle, session in
            session.refuse(handle, .unregistered)
            return .goOn
        }
        let (report, _) = try LoadFixture.run(script, engine: .wire, pushes: 30) {
            $0.goal = .pushes(100)
        }
        #expect(report.account.rejected == ["Unregistered": 100])
        #expect(report.rejectedTokens.map(\.install) == Array(0..<30))
        #expect(report.rejectedTokens.allSatisfy { $0.timestamp == nil })
    }

    @Test(
        arguments: HTTP2Engine.allCases,
        [.payloadTooLarge, .badPath, .methodNotAllowed, .missingTopic] as [APNsReason]
    )
    func requestThatIsWrongIsNotTriedAgain(_ engine: HTTP2Engine, _ reason: APNsReason) throws {
        let notes = Notes()
        let (report, _) = try LoadFixture.run(
            Self.refusing(.max, reason, notes),
            engine: engine,
            pushes: 50
        )
        #expect(report.account.rejected == [reason.rawValue: 50])
        #expect(notes.all.values.allSatisfy { $0 == 1 })
        #expect(report.rejectedTokens.isEmpty)
    }

    // MARK: - Credentials

    @Test(
        arguments: HTTP2Engine.allCases,
        [.invalidProviderToken, .badCertificate, .forbidden] as [APNsReason]
    )
    func refusedCredentialsStopThePool(_ engine: HTTP2Engine, _ reason: APNsReason) throws {
        let (report, connections) = try LoadFixture.run(
            Self.refusing(.max, reason, Notes()),
            engine: engine,
            pushes: 5000
        )
        let rejected = report.account.rejected[reason.rawValue] ?? 0
        #expect((1...1000).contains(rejected))
        #expect(report.account.neverSent == 5000 - rejected)
        #expect(report.firstFailure?.contains(reason.rawValue) == true)
        #expect(report.firstFailure?.contains("credentials") == true)
        #expect(connections == 1)
    }

    @Test func goodbyeThatBlamesTheCredentialsStopsThePool() throws {
        let script = ScriptedTarget.Script.answering { number, handle, session in
            session.accept(handle)
            guard number == 5 else { return .goOn }
            let text = #"{"reason":"BadCertificateEnvironment"}"#
            session.goAway(errorCode: .noError, lastStreamID: nil, debugData: Array(text.utf8))
            return .close
        }
        let (report, connections) = try LoadFixture.run(script, engine: .wire, pushes: 5000)
        #expect(report.firstFailure?.contains("BadCertificateEnvironment") == true)
        #expect(report.account.neverSent > 0)
        #expect(connections == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func expiredTokenIsReplacedAndThePushesGoOutAgain(_ engine: HTTP2Engine) throws {
        let tokens = try tokens(least: 0)
        let first = tokens.authorization
        let script = ScriptedTarget.Script.answering { _, handle, session in
            if session.text(.authorization, of: handle) == first {
                session.refuse(handle, .expiredProviderToken)
            } else {
                session.accept(handle)
            }
            return .goOn
        }
        let (report, connections) = try LoadFixture.run(script, engine: engine, pushes: 500) {
            $0.tokens = tokens
            // Sent again all the same.
            $0.retries.limit = 0
        }
        #expect(report.account.accepted == 500)
        #expect((1...100).contains(report.retried))
        #expect(report.renewals.count == 1)
        #expect(connections == 1)
    }

    @Test func expiredTokenThatIsYoungIsTheClocksFault() throws {
        let script = Self.refusing(.max, .expiredProviderToken, Notes())
        let (report, _) = try LoadFixture.run(script, engine: .wire, pushes: 500) {
            $0.tokens = try tokens(least: 1_200_000_000_000)
        }
        #expect(report.account.accepted == 0)
        #expect(report.account.neverSent > 0)
        #expect(report.firstFailure?.contains("clock") == true)
    }

    @Test func tokenThatIsCalledExpiredAgainStopsThePool() throws {
        let script = Self.refusing(.max, .expiredProviderToken, Notes())
        let (report, _) = try LoadFixture.run(script, engine: .wire, pushes: 500) {
            $0.tokens = try tokens(least: 0)
        }
        #expect(report.account.accepted == 0)
        #expect(report.firstFailure?.contains("ExpiredProviderToken") == true)
    }

    private func tokens(least: UInt64) throws -> ProviderTokenSource {
        var ages = ProviderTokenSource.Ages()
        ages.least = least
        let signer = try ProviderTokenSigner.generate(keyID: "ABCDEFGHIJ", teamID: "TEAMTEAM00")
        return try ProviderTokenSource(signer: signer, ages: ages)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func connectionsSwitchToEachNewTokenAtOnce(_ engine: HTTP2Engine) throws {
        var ages = ProviderTokenSource.Ages()
        // Within which even a busy machine sends something.
        ages.lifetime = 400_000_000
        ages.least = 400_000_000
        let signer = try ProviderTokenSigner.generate(keyID: "ABCDEFGHIJ", teamID: "TEAMTEAM00")
        let tokens = try ProviderTokenSource(signer: signer, ages: ages)
        let notes = Notes()
        let script = ScriptedTarget.Script.answering { _, handle, session in
            notes.count(session.text(.authorization, of: handle))
            session.accept(handle)
            return .goOn
        }
        let (report, connections) = try LoadFixture.run(script, engine: engine, pushes: 1000) {
            $0.tokens = tokens
            $0.connections = 2
            $0.goal = .duration(nanoseconds: 2_000_000_000)
        }
        #expect(report.account.rejected.isEmpty)
        #expect(report.renewals.count >= 2)
        // The last one may have come when nothing was sent any more.
        #expect((report.renewals.count...report.renewals.count + 1).contains(notes.all.count))
        #expect(connections == 2)
    }
}
