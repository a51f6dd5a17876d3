import HTTP2
import NetIO
import PushModel
import Testing

@testable import LoadEngine

/// Each environment has connections of its own where the sandbox has a target of its own.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct EnvironmentTests {
    private static let sandboxMark = "5a"

    /// Installs of which every third is of the sandbox, told by how its token begins.
    private func fixture(_ count: Int) throws -> LoadFixture {
        let fixture = try LoadFixture(installs: 0)
        for index in 0..<count {
            let isSandbox = index % 3 == 0
            let number = String(index, radix: 16)
            let start = isSandbox ? Self.sandboxMark : "00"
            let token = start + String(repeating: "0", count: 62 - number.utf8.count) + number
            let bytes = Array(token.utf8)
            try bytes.withUnsafeBytes { bytes in
                try fixture.installs.append(
                    token: RawSpan(_unsafeBytes: bytes),
                    languageIndex: 0,
                    environment: isSandbox ? .sandbox : .production,
                    badge: nil,
                    uid: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: nil, count: 0))
                )
            }
        }
        return fixture
    }

    private func configuration(
        _ fixture: LoadFixture,
        production: UInt16,
        sandbox: UInt16
    ) throws -> RunConfiguration {
        var configuration = try fixture.configuration(port: production)
        let other = try fixture.configuration(port: sandbox)
        configuration.sandbox = other.endpoint(for: nil)
        configuration.streams = 50
        return configuration
    }

    private static func noting(_ notes: Notes) -> ScriptedTarget.Script {
        .answering { _, handle, session in
            notes.count(session.text(.path, of: handle))
            session.accept(handle)
            return .goOn
        }
    }

    @Test(
        arguments: HTTP2Engine.allCases,
        [LoadModel.closedLoop, .openLoop(rate: 20_000, arrivals: .constant)]
    )
    func eachInstallIsPushedToThroughItsOwnEnvironment(
        _ engine: HTTP2Engine,
        _ load: LoadModel
    ) throws {
        let fixture = try fixture(3001)
        let (production, sandbox) = (Notes(), Notes())
        let first = try ScriptedTarget(Self.noting(production))
        defer { first.stop() }
        let second = try ScriptedTarget(Self.noting(sandbox))
        defer { second.stop() }
        for loops in [1, 2] {
            var configuration = try configuration(
                fixture,
                production: first.port,
                sandbox: second.port
            )
            configuration.engine = engine
            configuration.load = load
            configuration.loops = loops
            configuration.connections = 2
            let report = try fixture.run(configuration)
            #expect(report.account.addsUp)
            #expect(report.account.accepted == 3001)
            #expect(production.all.count == 2000)
            #expect(sandbox.all.count == 1001)
            #expect(production.all.values.allSatisfy { $0 == loops })
            #expect(sandbox.all.values.allSatisfy { $0 == loops })
            #expect(sandbox.all.keys.allSatisfy { $0.hasPrefix("/3/device/\(Self.sandboxMark)") })
            #expect(report.connections.count == 4)
        }
    }

    @Test func roundsAndShardsKeepToTheirEnvironment() throws {
        let fixture = try fixture(100)
        let (production, sandbox) = (Notes(), Notes())
        let first = try ScriptedTarget(Self.noting(production))
        defer { first.stop() }
        let second = try ScriptedTarget(Self.noting(sandbox))
        defer { second.stop() }
        var configuration = try configuration(
            fixture,
            production: first.port,
            sandbox: second.port
        )
        configuration.shard = (index: 1, count: 2)
        configuration.goal = .pushes(325)
        let report = try fixture.run(configuration)
        #expect(report.account.addsUp)
        #expect(report.account.accepted == 325)
        // Of the odd installs, 50, those divisible by three are of the sandbox: 17.
        #expect(sandbox.all.count == 17)
        #expect(production.all.count == 33)
        let sent = production.all.values.reduce(0, +) + sandbox.all.values.reduce(0, +)
        #expect(sent == 325)
    }

    @Test(arguments: [APNsEnvironment.production, .sandbox])
    func deadEnvironmentDoesNotStopTheOther(_ dead: APNsEnvironment) throws {
        let fixture = try fixture(3000)
        let alive = try ScriptedTarget(ScriptedTarget.Script())
        defer { alive.stop() }
        let nobody = try LoadFixture.addressOfNobody()
        for loops in [1, 2] {
            var configuration = try configuration(
                fixture,
                production: alive.port,
                sandbox: alive.port
            )
            if dead == .production {
                configuration.target.addresses = [nobody]
            } else {
                configuration.sandbox?.target.addresses = [nobody]
            }
            configuration.loops = loops
            configuration.connections = 2
            let report = try fixture.run(configuration)
            #expect(report.account.addsUp)
            #expect(report.account.neverSent == (dead == .production ? 2000 : 1000))
            #expect(report.account.accepted == (dead == .production ? 1000 : 2000))
            #expect(report.firstFailure?.contains("refused") == true)
        }
    }

    @Test func refusedCredentialsOfOneEnvironmentStopThatOneAlone() throws {
        let fixture = try fixture(3000)
        let alive = try ScriptedTarget(ScriptedTarget.Script())
        defer { alive.stop() }
        let refusing = try ScriptedTarget(
            .answering { _, handle, session in
                session.refuse(handle, .badEnvironmentKeyIDInToken)
                return .goOn
            }
        )
        defer { refusing.stop() }
        let configuration = try configuration(
            fixture,
            production: alive.port,
            sandbox: refusing.port
        )
        let report = try fixture.run(configuration)
        #expect(report.account.addsUp)
        #expect(report.account.accepted == 2000)
        let rejected = report.account.rejected["BadEnvironmentKeyIdInToken"] ?? 0
        #expect(rejected > 0)
        #expect(report.account.neverSent == 1000 - rejected)
    }

    @Test func environmentWithoutInstallsNeedsNoTarget() throws {
        let fixture = try LoadFixture(installs: 500)
        let target = try ScriptedTarget(ScriptedTarget.Script())
        defer { target.stop() }
        var configuration = try configuration(
            fixture,
            production: target.port,
            sandbox: target.port
        )
        configuration.sandbox?.target.addresses = [try LoadFixture.addressOfNobody()]
        let report = try fixture.run(configuration)
        #expect(report.account.accepted == 500)
        #expect(report.firstFailure == nil)
    }
}
