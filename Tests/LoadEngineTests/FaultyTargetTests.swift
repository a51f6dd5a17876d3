import Glibc
import HTTP2
import NetIO
import Synchronization
import Testing

@testable import LoadEngine

/// Runs against targets that refuse, leave, move their limits and talk nonsense: whatever they do, the
/// run ends and each push is accounted for once.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct FaultyTargetTests {
    private func run(
        _ script: ScriptedTarget.Script,
        engine: HTTP2Engine = .wire,
        pushes: Int = 2000,
        _ change: (inout RunConfiguration) -> Void = { _ in }
    ) throws -> (report: RunReport, connections: Int) {
        try LoadFixture.run(script, engine: engine, pushes: pushes, change)
    }

    /// For targets that give no answer on purpose.
    private static func isSoonTiredOfSilence(_ configuration: inout RunConfiguration) {
        configuration.timeouts.answer = 300_000_000
    }

    private static func script(
        _ requested:
            @escaping @Sendable (Int, RequestHandle, WireServerSession) -> ScriptedTarget.After
    ) -> ScriptedTarget.Script {
        var script = ScriptedTarget.Script()
        script.requested = requested
        return script
    }

    private static let accepted = ServerResponse(status: 200)

    @Test(arguments: HTTP2Engine.allCases)
    func pushesRefusedByAGoAwayGoOutOnTheNextConnection(_ engine: HTTP2Engine) throws {
        // Seven pushes a connection; those behind are not processed and say so.
        let (report, connections) = try run(
            Self.script { number, handle, session in
                session.respond(to: handle, with: Self.accepted)
                guard number == 7 else { return .goOn }
                session.goAway(errorCode: .noError, lastStreamID: handle.streamID, debugData: [])
                return .close
            },
            engine: engine,
            pushes: 700
        )
        #expect(report.account.accepted == 700)
        #expect(report.account.duplicates == 0)
        #expect(connections >= 100)
        #expect(report.resent > 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aConnectionThatClosesWithoutAWordLeavesItsPushesUnknown(_ engine: HTTP2Engine) throws {
        let (report, _) = try run(
            Self.script { number, handle, session in
                session.respond(to: handle, with: Self.accepted)
                return number == 40 ? .close : .goOn
            },
            engine: engine,
            pushes: 400
        )
        #expect(report.account.accepted > 0)
        #expect(report.account.unknown > 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func refusedStreamsAreSentAgainUntilTheyAreTaken(_ engine: HTTP2Engine) throws {
        let (report, _) = try run(
            Self.script { number, handle, session in
                if number % 3 == 0 {
                    session.respond(to: handle, with: Self.accepted)
                } else {
                    session.reset(handle, errorCode: .refusedStream)
                }
                return .goOn
            },
            engine: engine,
            pushes: 300
        )
        #expect(report.account.accepted + report.account.neverSent == 300)
        #expect(report.account.accepted > 250)
        #expect(report.account.unknown == 0)
        #expect(report.resent > 300)
    }

    @Test func aPushThatIsAlwaysRefusedIsGivenUp() throws {
        let (report, _) = try run(
            Self.script { _, handle, session in
                session.reset(handle, errorCode: .refusedStream)
                return .goOn
            },
            pushes: 5
        )
        #expect(report.account.neverSent == 5)
        #expect(report.resent == 5 * (Int(ClientLoop.refusalLimit) - 1))
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aResetForAnotherReasonIsUnknown(_ engine: HTTP2Engine) throws {
        let (report, _) = try run(
            Self.script { number, handle, session in
                if number % 2 == 0 {
                    session.reset(handle, errorCode: .internalError)
                } else {
                    session.respond(to: handle, with: Self.accepted)
                }
                return .goOn
            },
            engine: engine,
            pushes: 500
        )
        #expect(report.account.unknown == 250)
        #expect(report.account.accepted == 250)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aLimitThatMovesWithEachAnswerIsObeyed(_ engine: HTTP2Engine) throws {
        var script = Self.script { number, handle, session in
            session.respond(to: handle, with: Self.accepted)
            var settings = SessionSettings()
            settings.maxConcurrentStreams = number % 2 == 0 ? 500 : 1
            session.update(settings: settings)
            return .goOn
        }
        script.settings.maxConcurrentStreams = 1
        let (report, connections) = try run(script, engine: engine)
        #expect(report.account.accepted == 2000)
        #expect(report.firstFailure == nil)
        #expect(connections == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aLimitOfZeroForEverEndsTheRun(_ engine: HTTP2Engine) throws {
        var script = ScriptedTarget.Script()
        script.settings.maxConcurrentStreams = 0
        let (report, connections) = try run(script, engine: engine, Self.isSoonTiredOfSilence)
        #expect(report.account.neverSent == 2000)
        #expect(report.firstFailure?.contains("allowed no stream") == true)
        #expect(connections <= 3)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aLimitLoweredToZeroInFlightEndsTheRun(_ engine: HTTP2Engine) throws {
        let (report, _) = try run(
            Self.script { number, handle, session in
                session.respond(to: handle, with: Self.accepted)
                if number == 150 {
                    var settings = SessionSettings()
                    settings.maxConcurrentStreams = 0
                    session.update(settings: settings)
                }
                return .goOn
            },
            engine: engine
        ) {
            // While it still answers, it has this long for each.
            $0.timeouts.answer = 3_000_000_000
        }
        #expect(report.account.accepted >= 150)
        #expect(report.firstFailure?.contains("allowed no stream") == true)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aTargetThatOnlySaysGoodbyeIsNotCalledForEver(_ engine: HTTP2Engine) throws {
        var script = ScriptedTarget.Script()
        script.opened = { session in
            session.goAway(errorCode: .noError, lastStreamID: nil, debugData: [])
            return .goOn
        }
        let (report, connections) = try run(script, engine: engine)
        #expect(report.account.neverSent == 2000)
        #expect(connections <= 3)
        #expect(report.firstFailure?.contains("GOAWAY") == true)
    }

    @Test func connectionsThatRetireWithoutAnAnswerDoNotPileUp() throws {
        // Everything is taken and nothing answered, with a goodbye after each first push.
        let (report, connections) = try run(
            Self.script { number, handle, session in
                if number == 1 {
                    session.goAway(
                        errorCode: .noError,
                        lastStreamID: 0x7FFF_FFFF,
                        debugData: Array(#"{"reason":"Shutdown"}"#.utf8)
                    )
                }
                return .goOn
            },
            Self.isSoonTiredOfSilence
        )
        #expect(report.account.accepted == 0)
        #expect(report.account.unknown > 0)
        #expect(connections <= 4)
        #expect(report.connections.contains { $0.reason?.contains("no answer") == true })
    }

    @Test(
        arguments: HTTP2Engine.allCases,
        [
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
            "\u{15}\u{3}\u{1}\0\u{2}\u{2}F",
            "SSH-2.0-OpenSSH_9.2p1\r\n",
            "\0\0",
        ]
    )
    func nonsenseEndsTheRun(_ engine: HTTP2Engine, _ noise: String) throws {
        var script = ScriptedTarget.Script()
        script.noise = Array(noise.utf8)
        let (report, connections) = try run(script, engine: engine) {
            // Some of it is too little to be wrong.
            $0.timeouts.connect = 300_000_000
        }
        #expect(report.account.accepted == 0)
        #expect(report.account.neverSent == 2000)
        #expect(report.firstFailure != nil)
        #expect(connections <= 3)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func halfAFrameAndThenSilenceEndsTheRun(_ engine: HTTP2Engine) throws {
        var script = ScriptedTarget.Script()
        // SETTINGS, then a PING that is cut off.
        script.noise = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0, 0]
        let (report, connections) = try run(script, engine: engine, Self.isSoonTiredOfSilence)
        #expect(report.account.unknown > 0)
        #expect(report.account.accepted == 0)
        #expect(report.firstFailure?.contains("no answer") == true)
        #expect(connections == 3)
    }

    @Test func aDeadFirstAddressIsPassedOver() throws {
        let fixture = try LoadFixture(installs: 500)
        let target = try ScriptedTarget(ScriptedTarget.Script())
        defer { target.stop() }
        var configuration = try fixture.configuration(port: target.port)
        let alive = configuration.target.addresses[0]
        let dead = try LoadFixture.addressOfNobody()
        configuration.target.addresses = [dead, dead, dead, dead, alive]
        for connections in [1, 3] {
            configuration.connections = connections
            let report = try fixture.run(configuration)
            #expect(report.account.accepted == 500)
            #expect(report.account.addsUp)
        }
    }

    @Test func stoppingAtAnyMomentKeepsTheAccount() throws {
        let fixture = try LoadFixture(installs: 20_000)
        let target = try ScriptedTarget(
            Self.script { number, handle, session in
                if number % 5 == 0 {
                    session.reset(handle, errorCode: .refusedStream)
                } else {
                    session.respond(to: handle, with: Self.accepted)
                }
                return .goOn
            }
        )
        defer { target.stop() }
        for turn in 0..<20 {
            var configuration = try fixture.configuration(port: target.port)
            configuration.connections = 2
            configuration.loops = 2
            configuration.renderQueues = 2
            let run = try LoadRun(
                payload: fixture.payload,
                installs: fixture.installs,
                configuration: configuration
            )
            while run.progress.sent < turn * 200, !run.isOver { sched_yield() }
            run.stop()
            let report = run.finish()
            #expect(report.account.addsUp, "\(report.account)")
            #expect(report.account.audience == 20_000)
            #expect(report.account.unknown == 0)
        }
    }

    @Test func aRunThatNobodyFinishesEndsByItself() throws {
        let fixture = try LoadFixture(installs: 3000)
        let target = try ScriptedTarget(ScriptedTarget.Script())
        defer { target.stop() }
        for _ in 0..<10 {
            let run = try LoadRun(
                payload: fixture.payload,
                installs: fixture.installs,
                configuration: try fixture.configuration(port: target.port)
            )
            run.stop()
        }
    }
}
