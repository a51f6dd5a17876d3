import Glibc
import HDRHistogram
import MockAPNs
import NetIO
import Testing

@testable import LoadEngine

/// Runs against targets that do not do what they should: every push is still accounted for.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct BadTargetTests {
    @Test func aRefusedConnectionEndsTheRunAtOnce() throws {
        let fixture = try LoadFixture(installs: 100)
        let nobody = try LoadFixture.addressOfNobody()
        var configuration = try fixture.configuration(port: nobody.port)
        configuration.target.addresses = [nobody]
        let report = try fixture.run(configuration)
        #expect(report.account.neverSent == 100)
        #expect(report.account.addsUp)
        #expect(report.firstFailure?.contains("refused") == true)
    }

    @Test func nothingIsSentToATargetThatNeverSpeaks() throws {
        let fixture = try LoadFixture(installs: 5000)
        // The kernel completes the connections; nobody ever reads from them.
        let listener = try Listener(host: "127.0.0.1", port: 0)
        var configuration = try fixture.configuration(port: listener.port)
        configuration.streams = 50
        configuration.timeouts.connect = 100_000_000
        let report = try fixture.run(configuration)
        withExtendedLifetime(listener) {}
        #expect(report.account.accepted == 0)
        #expect(report.account.neverSent == 5000)
        #expect(report.account.addsUp)
        #expect(report.firstFailure?.contains("did not begin HTTP/2") == true)
        #expect(report.latency.service.count == 0)
    }

    @Test func aPoliteStopKeepsTheAccount() throws {
        let fixture = try LoadFixture(installs: 5000)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        var configuration = try fixture.configuration(port: mock.port)
        // Not over before it is stopped, however busy the machine is.
        configuration.load = .openLoop(rate: 100, arrivals: .constant)
        let run = try LoadRun(
            payload: fixture.payload,
            installs: fixture.installs,
            configuration: configuration
        )
        while run.progress.answered == 0 { sched_yield() }
        run.stop()
        let report = run.finish()
        #expect(report.wasInterrupted)
        #expect(report.account.addsUp)
        #expect(report.account.accepted > 0)
        #expect(report.account.neverSent > 0)
        #expect(report.account.unknown == 0)
    }

    @Test func anAudienceWithoutInstallsIsRefused() throws {
        let fixture = try LoadFixture(installs: 0)
        #expect(throws: LoadError.emptyAudience) {
            try fixture.run(try fixture.configuration(port: 1))
        }
    }
}
