import HTTP2
import NetIO
import PushModel
import Synchronization
import Testing

@testable import LoadEngine

/// Pushes whose answer is lost, and those that a peer refuses in its own words.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct LostPushTests {
    /// A target that takes what `isLost` names without a word and closes the connection.
    private static func losing(
        _ notes: Notes,
        _ isLost: @escaping @Sendable (Int) -> Bool
    ) -> ScriptedTarget.Script {
        .answering { number, handle, session in
            let path = session.text(.path, of: handle)
            notes.count("\(path) \(session.text(.apnsID, of: handle))")
            guard !isLost(number) else { return .close }
            session.accept(handle)
            return .goOn
        }
    }

    @Test(arguments: HTTP2Engine.allCases)
    func lostPushIsUnknownAndNotSentAgain(_ engine: HTTP2Engine) throws {
        let notes = Notes()
        let (report, _) = try LoadFixture.run(
            Self.losing(notes) { $0 == 50 },
            engine: engine,
            pushes: 400
        )
        #expect(report.account.unknown > 0)
        #expect(report.account.accepted + report.account.unknown == 400)
        #expect(notes.all.values.allSatisfy { $0 == 1 })
        #expect(notes.all.keys.allSatisfy { $0.hasSuffix(" ") }, "no apns-id unless it is needed")
    }

    @Test(arguments: HTTP2Engine.allCases)
    func lostPushThatMayGoOutAgainCarriesTheSameID(_ engine: HTTP2Engine) throws {
        let notes = Notes()
        let (report, connections) = try LoadFixture.run(
            Self.losing(notes) { $0 == 50 },
            engine: engine,
            pushes: 400
        ) {
            $0.retries.resendsUnknown = true
            $0.retries.limit = 100
        }
        #expect(report.account.accepted == 400)
        #expect(report.resent > 0)
        #expect(connections > 1)
        let keys = notes.all.keys.map { $0.split(separator: " ") }
        #expect(keys.allSatisfy { $0.count == 2 && $0[1].utf8.count == 36 })
        #expect(Set(keys.map { $0.first }).count == 400)
        #expect(keys.count == 400, "a token was pushed to under two ids")
        #expect(notes.all.values.contains { $0 > 1 })
    }

    @Test(arguments: HTTP2Engine.allCases)
    func lostPushWhoseSecondCopyIsRefusedForNowIsUnknown(_ engine: HTTP2Engine) throws {
        let notes = Notes()
        let (report, _) = try LoadFixture.run(
            .answering { _, handle, session in
                guard notes.count("requests") > 1 else { return .close }
                session.refuse(handle, .serviceUnavailable)
                return .goOn
            },
            engine: engine,
            pushes: 1
        ) {
            $0.retries.resendsUnknown = true
            $0.retries.limit = 1
        }
        #expect(report.account.unknown == 1)
        #expect(report.account.rejected.isEmpty)
    }

    @Test func lostPushGoesOutAgainAsOftenAsTheLimitSays() throws {
        let notes = Notes()
        let (report, _) = try LoadFixture.run(
            Self.losing(notes) { $0 == 2 },
            engine: .wire,
            pushes: 2
        ) {
            $0.retries.resendsUnknown = true
            $0.retries.limit = 1
            $0.streams = 2
        }
        // Both are lost, or one is answered first; then the other is alone on its connection.
        #expect(report.account.accepted + report.account.unknown == 2)
        #expect(notes.all.values.allSatisfy { $0 <= 2 })
    }

    @Test(arguments: HTTP2Engine.allCases)
    func resetForTheProtocolsSakeBelowTheLimitIsUnknown(_ engine: HTTP2Engine) throws {
        var script = ScriptedTarget.Script.answering { number, handle, session in
            if number == 3 {
                session.reset(handle, errorCode: .protocolError)
            } else {
                session.accept(handle)
            }
            return .goOn
        }
        script.settings.maxConcurrentStreams = 1000
        let (report, _) = try LoadFixture.run(script, engine: engine, pushes: 100) {
            $0.streams = 10
        }
        #expect(report.account.unknown == 1)
        #expect(report.account.accepted == 99)
        #expect(report.resent == 0)
    }

    /// A target that lets pushes pile up to its limit, resets one of them as though it were over it,
    /// and then notes whether more are ever open than the margin leaves.
    private final class Counter: Sendable {
        struct State {
            var held: [RequestHandle] = []
            var hasReset = false
            var answered = 0
            var most = 0
        }
        let state = Mutex(State())
        let limit: Int
        let pushes: Int

        init(limit: Int, pushes: Int) {
            self.limit = limit
            self.pushes = pushes
        }

        func take(_ handle: RequestHandle, _ session: WireServerSession) {
            state.withLock { state in
                state.held.append(handle)
                let left = pushes - state.answered
                if !state.hasReset {
                    guard state.held.count == limit else { return }
                    state.hasReset = true
                    session.reset(state.held.removeLast(), errorCode: .protocolError)
                } else {
                    state.most = max(state.most, state.held.count)
                    guard state.held.count == min(left, limit - limit / 8) else { return }
                }
                for held in state.held { session.accept(held) }
                state.answered += state.held.count
                state.held = []
            }
        }
    }

    @Test(arguments: HTTP2Engine.allCases)
    func resetAtTheLimitIsSentAgainAndAMarginKept(_ engine: HTTP2Engine) throws {
        let counter = Counter(limit: 16, pushes: 500)
        var script = ScriptedTarget.Script.answering { _, handle, session in
            counter.take(handle, session)
            return .goOn
        }
        script.settings.maxConcurrentStreams = 16
        let (report, connections) = try LoadFixture.run(script, engine: engine, pushes: 500)
        #expect(report.account.accepted == 500)
        #expect(report.account.unknown == 0)
        #expect(report.resent == 1)
        #expect(connections == 1)
        #expect(counter.state.withLock { $0.most } == 14)
    }
}
