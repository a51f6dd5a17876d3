import Dispatch
import Glibc
import HTTP2
import MockAPNs
import NetIO
import Synchronization
import Testing

@testable import LoadEngine

/// Targets that die without a word, and the ways around them.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct LivenessTests {
    /// Stops a target's thread at a request, as SIGSTOP would, until it is let go.
    private final class Freezer: Sendable {
        private let group = DispatchGroup()

        init() { group.enter() }

        func freeze() { group.wait() }

        func thaw() { group.leave() }
    }

    private static func freezing(at request: Int, _ freezer: Freezer) -> ScriptedTarget.Script {
        .answering { number, handle, session in
            if number == request { freezer.freeze() }
            session.accept(handle)
            return .goOn
        }
    }

    private static func quicken(_ configuration: inout RunConfiguration) {
        configuration.streams = 100
        configuration.retries.delay = 1_000_000
        configuration.timeouts.pingInterval = 200_000_000
        // Those that live have this long, however busy the machine is.
        configuration.timeouts.pong = 3_000_000_000
        configuration.timeouts.connect = 2_000_000_000
        // Not what ends it.
        configuration.timeouts.answer = 50_000_000_000
    }

    @Test(arguments: HTTP2Engine.allCases)
    func frozenTargetIsFoundByItsSilence(_ engine: HTTP2Engine) throws {
        let fixture = try LoadFixture(installs: 2000)
        let freezer = Freezer()
        let target = try ScriptedTarget(Self.freezing(at: 500, freezer))
        var configuration = try fixture.configuration(port: target.port)
        configuration.engine = engine
        Self.quicken(&configuration)
        let report = try fixture.run(configuration)
        freezer.thaw()
        target.stop()
        #expect(report.account.addsUp)
        #expect(report.account.accepted >= 300)
        #expect((1...100).contains(report.account.unknown))
        #expect(report.account.neverSent > 0)
        #expect(report.connections.first?.reason?.contains("PING") == true)
        #expect(report.firstFailure?.contains("PING") == true)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func ofTwoAddressesTheLivingOneGetsAllPushes(_ engine: HTTP2Engine) throws {
        let fixture = try LoadFixture(installs: 2000)
        let alive = try ScriptedTarget(ScriptedTarget.Script())
        defer { alive.stop() }
        // Takes connections and never says a word: nothing is sent there.
        let silent = try Listener(host: "127.0.0.1", port: 0)
        var configuration = try fixture.configuration(port: alive.port)
        configuration.engine = engine
        Self.quicken(&configuration)
        let dead = try SocketAddress.resolve(host: "127.0.0.1", port: silent.port)[0]
        configuration.target.addresses.insert(dead, at: 0)
        for connections in [1, 2, 3] {
            configuration.connections = connections
            let report = try fixture.run(configuration)
            #expect(report.account.accepted == 2000)
            #expect(report.account.addsUp)
        }
        withExtendedLifetime(silent) {}
    }

    @Test(arguments: HTTP2Engine.allCases)
    func addressThatFreezesInFlightLosesNothingButWhatWasInFlight(_ engine: HTTP2Engine) throws {
        let fixture = try LoadFixture(installs: 5000)
        let freezer = Freezer()
        let alive = try ScriptedTarget(ScriptedTarget.Script())
        defer { alive.stop() }
        let frozen = try ScriptedTarget(Self.freezing(at: 200, freezer))
        var configuration = try fixture.configuration(port: alive.port)
        configuration.engine = engine
        configuration.connections = 2
        Self.quicken(&configuration)
        configuration.target.addresses +=
            try SocketAddress.resolve(host: "127.0.0.1", port: frozen.port)
        let report = try fixture.run(configuration)
        freezer.thaw()
        frozen.stop()
        #expect(report.account.addsUp)
        #expect(report.account.neverSent == 0)
        #expect((1...100).contains(report.account.unknown))
        #expect(report.account.accepted == 5000 - report.account.unknown)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func targetThatIsSlowButAnswersPingsIsNotGivenUp(_ engine: HTTP2Engine) throws {
        let held = Mutex<[RequestHandle]>([])
        let pushes = 100
        // All answers wait for the last request, which comes after six seconds.
        let script = ScriptedTarget.Script.answering { number, handle, session in
            held.withLock { $0.append(handle) }
            if number == pushes {
                held.withLock { handles in handles.forEach { session.accept($0) } }
            }
            return .goOn
        }
        let (report, connections) = try LoadFixture.run(script, engine: engine, pushes: pushes) {
            Self.quicken(&$0)
            $0.load = .openLoop(rate: 16, arrivals: .constant)
            $0.timeouts.pingInterval = 50_000_000
        }
        #expect(report.account.accepted == pushes)
        #expect(connections == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func whatATargetThatAnswersNothingWasSentIsNotTakenBack(_ engine: HTTP2Engine) throws {
        let fixture = try LoadFixture(installs: 50)
        let freezer = Freezer()
        let requests = Atomic(0)
        // What comes behind the first requests waits in the kernel until all is over.
        let target = try ScriptedTarget(
            .answering { _, _, _ in
                if requests.add(1, ordering: .relaxed).newValue == 10 { freezer.freeze() }
                return .goOn
            }
        )
        var configuration = try fixture.configuration(port: target.port)
        configuration.engine = engine
        Self.quicken(&configuration)
        configuration.load = .openLoop(rate: 200, arrivals: .constant)
        configuration.timeouts.answer = 1_000_000_000
        configuration.timeouts.pingInterval = 50_000_000_000
        let report = try fixture.run(configuration)
        freezer.thaw()
        // It reads on in its own time; what was taken back never comes.
        let start = MonotonicInstant.now()
        while requests.load(ordering: .relaxed) < report.account.unknown,
            MonotonicInstant.now().nanoseconds(since: start) < 10_000_000_000
        {
            sched_yield()
        }
        target.stop()
        #expect(report.account.addsUp)
        #expect(report.account.accepted == 0)
        #expect(report.account.unknown > 10)
        #expect(report.connections.first?.reason?.contains("gave no answer") == true)
        let read = requests.load(ordering: .relaxed)
        #expect(read == report.account.unknown)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func hostIsResolvedAfreshBeforeEachConnection(_ engine: HTTP2Engine) throws {
        let fixture = try LoadFixture(installs: 1000)
        let second = try ScriptedTarget(ScriptedTarget.Script())
        defer { second.stop() }
        let first = try ScriptedTarget(
            .answering { number, handle, session in
                session.accept(handle)
                guard number == 100 else { return .goOn }
                session.goAway(
                    errorCode: .noError,
                    lastStreamID: handle.streamID,
                    debugData: []
                )
                return .close
            }
        )
        defer { first.stop() }
        let moved = try SocketAddress.resolve(host: "127.0.0.1", port: second.port)
        do {
            var configuration = try fixture.configuration(port: first.port)
            configuration.engine = engine
            configuration.timeouts.addressFreshness = 0
            let notes = Notes()
            let original = configuration.target.addresses
            configuration.target.lookUp = { () throws(NetIOError) in
                notes.count("look-up") == 1 ? original : moved
            }
            let report = try fixture.run(configuration)
            #expect(report.account.accepted == 1000)
            #expect(notes.all["look-up"] == 2)
            #expect(first.connectionCount.load(ordering: .relaxed) == 1)
            #expect(second.connectionCount.load(ordering: .relaxed) == 1)
        }
    }

    /// Each connection is answered a few pushes and then ignored, again and again.
    @Test(arguments: HTTP2Engine.allCases)
    func aThousandDeathsLeaveNothingBehind(_ engine: HTTP2Engine) throws {
        let fixture = try LoadFixture(installs: 20_000)
        let mock = try LoadFixture.mock {
            $0.personality.faults.silentDeath = Share(fraction: 0.2)
        }
        defer { mock.stop() }
        let before = try Self.openDescriptors()
        var configuration = try fixture.configuration(port: mock.port)
        configuration.engine = engine
        configuration.streams = 8
        configuration.connections = 20
        configuration.timeouts.pingInterval = 1_000_000
        configuration.timeouts.pong = 1_000_000
        let run = try LoadRun(
            payload: fixture.payload,
            installs: fixture.installs,
            configuration: configuration
        )
        var most = 0
        while !run.isOver { most = max(most, try Self.openDescriptors()) }
        let report = run.finish()
        #expect(report.account.addsUp)
        #expect(report.account.neverSent == 0)
        #expect(report.connectionsOpened > 1000)
        #expect(report.connections.count == 1000, "more are not kept in detail")
        let dead = report.connections.count { $0.reason?.contains("PING") == true }
        #expect(dead > 500)
        // At both ends of four connections a wanted one, with some for the loop and the other tests.
        #expect(most < before + 2 * 4 * 20 + 100, "\(before) before, then up to \(most)")
        let ends = report.moreConnections.reduce(0) { $0 + $1.pushes }
        let pushes = report.connections.reduce(ends) { $0 + $1.pushes }
        #expect(pushes == report.account.accepted)
    }

    private static func openDescriptors() throws -> Int {
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    @Test func nameServiceThatFailsLeavesTheKnownAddressesInUse() throws {
        let fixture = try LoadFixture(installs: 300)
        let target = try ScriptedTarget(ScriptedTarget.Script())
        defer { target.stop() }
        var configuration = try fixture.configuration(port: target.port)
        configuration.timeouts.addressFreshness = 0
        configuration.target.lookUp = { () throws(NetIOError) in
            throw .cannotResolve(host: "push.example", reason: "no answer")
        }
        let report = try fixture.run(configuration)
        #expect(report.account.accepted == 300)
        #expect(report.firstFailure?.contains("push.example") == true)
    }
}
