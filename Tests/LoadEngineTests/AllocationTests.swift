import CAllocCounter
import HTTP2
import MockAPNs
import NetIO
import PushCrypto
import Testing

@testable import LoadEngine

/// The loop's thread allocates at its start, and nothing per push after.
@Suite(.timeLimit(.minutes(5)), .serialized, .ownThreads)
struct AllocationTests {
    /// Allocations of the loop's own thread while it makes `pushes`.
    private func allocations(pushes: Int, journal: RunJournal? = nil) throws -> UInt64 {
        let fixture = try LoadFixture(installs: journal == nil ? 1000 : pushes)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        var configuration = try fixture.configuration(port: mock.port, goal: .pushes(pushes))
        configuration.engine = .wire
        configuration.journal = journal
        let fanOut = FanOut(
            installs: fixture.installs,
            payload: fixture.payload,
            keys: PublicKeyStore(),
            prepared: nil,
            configuration: configuration
        )
        let ledger = journal.map { _ in Ledger(pushes: pushes) }
        let keeper = journal.map { journal in
            JournalKeeper(
                journal: journal,
                ledger: ledger ?? Ledger(pushes: 0),
                refusals: RefusalLog(),
                fanOuts: [fanOut]
            )
        }
        defer { keeper?.finish() }
        let loop = try ClientLoop(
            number: 0,
            configuration: configuration,
            shares: [
                ClientLoop.Share(
                    endpoint: configuration.endpoint(for: nil),
                    fanOut: fanOut,
                    stage: try RenderStage(queues: 1, fanOut: fanOut)
                )
            ],
            ledger: ledger,
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
        // An unoptimised build allocates where a loop turns; a push must not.
        let limit = few + 100_000 / 20
        #expect(many <= limit, "\(few) allocations for 20,000 pushes, \(many) for 120,000")
    }

    @Test func journalAllocatesPerChunkAndNotPerPush() throws {
        let (first, second) = (try RunJournalTests.Place(), try RunJournalTests.Place())
        let few = try allocations(pushes: 20_000, journal: first.open(pushes: 20_000))
        let start = MonotonicInstant.now()
        let many = try allocations(pushes: 120_000, journal: second.open(pushes: 120_000))
        let looks = Int(MonotonicInstant.now().nanoseconds(since: start) / 20_000_000)
        let limit = few + 100_000 / 20
        #expect(many <= limit, "\(few) allocations for 20,000 pushes, \(many) for 120,000")
        // The writes are what costs: a line for a chunk of pushes, in which many end together. A slow
        // machine needs longer, and has more: it is written 50 times a second.
        let lines = try second.read().count { $0 == UInt8(ascii: "\n") }
        #expect(lines < max(120_000 / 50, 5 * looks))
    }
}
