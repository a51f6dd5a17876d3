import Foundation
import HDRHistogram
import HTTP2
import MockAPNs
import NetIO
import Testing

@testable import LoadEngine

/// Runs against a mock in this process: accounts, goals, limits.
@Suite(.timeLimit(.minutes(5)), .serialized, .ownThreads)
struct LoadRunTests {
    @Test(
        "The whole audience is pushed to once",
        arguments: HTTP2Engine.allCases,
        [(1, 1), (3, 1), (4, 2)]
    )
    func pushesToTheWholeAudienceOnce(
        engine: HTTP2Engine,
        shape: (connections: Int, loops: Int)
    ) throws {
        let fixture = try LoadFixture(installs: 20_000)
        let mock = try LoadFixture.mock { $0.engine = engine }
        defer { mock.stop() }
        var configuration = try fixture.configuration(port: mock.port)
        configuration.engine = engine
        configuration.connections = shape.connections
        configuration.loops = shape.loops
        configuration.renderQueues = 2
        let report = try fixture.run(configuration)
        #expect(report.account.addsUp)
        #expect(report.account.accepted == 20_000)
        #expect(report.latency.service.count == 20_000)
        #expect(report.makespan.count == 20_000)
        #expect(report.connections.count == shape.connections)
        #expect(report.connections.reduce(0) { $0 + $1.pushes } == 20_000)
        #expect(report.connections.allSatisfy { $0.reason == nil })
        #expect(mock.statistics.counts().accepted == 20_000)
        #expect(report.series.reduce(0) { $0 + $1.sent } == 20_000)
        #expect(report.series.reduce(0) { $0 + $1.accepted } == 20_000)
        #expect(!report.wasInterrupted)
        #expect(report.firstFailure == nil)
    }

    @Test func verifiesTheServerOverTLS() throws {
        let fixture = try LoadFixture(installs: 3000)
        let mock = try LoadFixture.mock { $0.transport = .tls(nil) }
        defer { mock.stop() }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let caFile = folder.appending(path: "ca.pem").path
        try #require(mock.certificatePEM).write(toFile: caFile, atomically: true, encoding: .utf8)
        let trusting = try TLSContext.client(TLSContext.ClientOptions(caFile: caFile))
        let report = try fixture.run(
            try fixture.configuration(port: mock.port, tls: trusting)
        )
        #expect(report.account.accepted == 3000)
        #expect(report.tlsVersion == "TLSv1.3")

        let suspicious = try TLSContext.client(TLSContext.ClientOptions())
        let refused = try fixture.run(
            try fixture.configuration(port: mock.port, tls: suspicious)
        )
        #expect(refused.account.neverSent == 3000)
        #expect(refused.account.addsUp)
        #expect(refused.firstFailure?.contains("certificate") == true)
    }

    @Test func takesTurnsWhenThereAreMorePushesThanInstalls() throws {
        let fixture = try LoadFixture(installs: 700)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        let report = try fixture.run(
            try fixture.configuration(port: mock.port, goal: .pushes(2500))
        )
        #expect(report.account.accepted == 2500)
        #expect(report.account.audience == 2500)
        #expect(report.account.addsUp)
    }

    @Test(arguments: [3, 7])
    func shardsCoverTheAudienceOnce(count: Int) throws {
        let fixture = try LoadFixture(installs: 1000)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        var accepted = 0
        for index in 0..<count {
            let size = (1000 - index + count - 1) / count
            var configuration = try fixture.configuration(port: mock.port, goal: .pushes(size))
            configuration.shard = (index, count)
            let report = try fixture.run(configuration)
            #expect(report.account.addsUp)
            accepted += report.account.accepted
        }
        #expect(accepted == 1000)
    }

    @Test func countsRejectionsByReason() throws {
        let fixture = try LoadFixture(installs: 1000)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        let report = try fixture.run(try fixture.configuration(port: mock.port, topic: nil))
        #expect(report.account.rejected == ["MissingTopic": 1000])
        #expect(report.account.accepted == 0)
        #expect(report.account.addsUp)
    }

    @Test(arguments: HTTP2Engine.allCases, [UInt32(1), 3])
    func obeysTheTargetsStreamLimit(engine: HTTP2Engine, limit: UInt32) throws {
        let fixture = try LoadFixture(installs: 2000)
        let mock = try LoadFixture.mock { $0.settings.maxConcurrentStreams = limit }
        defer { mock.stop() }
        var configuration = try fixture.configuration(port: mock.port)
        configuration.engine = engine
        let report = try fixture.run(configuration)
        #expect(report.account.accepted == 2000)
        #expect(report.account.addsUp)
    }

    @Test(arguments: LoadModel.Arrivals.allCases)
    func keepsAnOpenLoopsSchedule(arrivals: LoadModel.Arrivals) throws {
        let fixture = try LoadFixture(installs: 400)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        var configuration = try fixture.configuration(
            port: mock.port,
            goal: .duration(nanoseconds: 500_000_000)
        )
        configuration.load = .openLoop(rate: 2000, arrivals: arrivals)
        let report = try fixture.run(configuration)
        #expect(report.account.addsUp)
        // Every due push is in the account, whether it could be sent or not.
        if arrivals == .constant { #expect(report.account.audience == 1000) }
        #expect(report.latency.response.count == report.latency.service.count)
        #expect(report.latency.lateness.count == report.latency.service.count)
        // What is measured from the due time can never be shorter.
        #expect(report.latency.response.mean >= report.latency.service.mean)
        for point in report.series {
            #expect((point.response?.p99 ?? 0) >= (point.service?.p99 ?? 0))
            #expect((point.response == nil) == (point.accepted == 0))
        }
    }

    @Test func leavesTheWarmUpOutOfTheHistogramsAlone() throws {
        let fixture = try LoadFixture(installs: 500)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        var configuration = try fixture.configuration(port: mock.port)
        configuration.load = .openLoop(rate: 1000, arrivals: .constant)
        configuration.warmUpNanoseconds = 200_000_000
        let report = try fixture.run(configuration)
        #expect(report.account.accepted == 500)
        #expect(report.latency.response.count == 300)
        #expect(report.makespan.count == 500)
    }
}
