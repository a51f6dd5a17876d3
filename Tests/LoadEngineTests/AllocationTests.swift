import CAllocCounter
import HTTP2
import MockAPNs
import NetIO
import PushCrypto
import Testing

@testable import LoadEngine

/// The loop's thread allocates at its start, and nothing per push after.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct AllocationTests {
    /// Allocations of the loop's own thread while it makes `pushes`.
    private func allocations(pushes: Int) throws -> UInt64 {
        let fixture = try LoadFixture(installs: 1000)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        var configuration = try fixture.configuration(port: mock.port, goal: .pushes(pushes))
        configuration.engine = .wire
        let fanOut = FanOut(
            installs: fixture.installs,
            payload: fixture.payload,
            keys: PublicKeyStore(),
            prepared: nil,
            configuration: configuration
        )
        let loop = try ClientLoop(
            number: 0,
            configuration: configuration,
            fanOut: fanOut,
            ledger: nil,
            stage: RenderStage(queues: 1, fanOut: fanOut),
            series: SeriesCollector(loops: 1),
            gauge: LoopGauge(),
            start: .now()
        )
        let before = pb_thread_allocations()
        loop.run()
        let made = pb_thread_allocations() - before
        #expect(loop.recorder.accepted == pushes)
        return made
    }

    @Test func aHundredThousandMorePushesAllocateNothingMore() throws {
        let few = try allocations(pushes: 20_000)
        let many = try allocations(pushes: 120_000)
        // A second that begins, a wake-up more: a handful, not one per push or per batch.
        #expect(many <= few + 100, "\(few) allocations for 20,000 pushes, \(many) for 120,000")
    }
}
