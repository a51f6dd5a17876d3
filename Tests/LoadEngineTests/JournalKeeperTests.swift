import PushCrypto
import Testing

@testable import LoadEngine

/// Looking at the ledger for a journal.
@Suite(.timeLimit(.minutes(1)))
struct JournalKeeperTests {
    @Test func keeperDoesNotLookAgainAtWhatIsLeftToTheNextRun() throws {
        let fixture = try LoadFixture(installs: 100)
        let place = try RunJournalTests.Place()
        let journal = try place.open()
        var configuration = try fixture.configuration(port: 9)
        configuration.journal = journal
        let fanOut = FanOut(
            installs: fixture.installs,
            payload: fixture.payload,
            keys: PublicKeyStore(),
            prepared: nil,
            configuration: configuration
        )
        while fanOut.takeBatch() != nil {}
        let ledger = Ledger(pushes: 100)
        for sequence in 0..<100 {
            #expect(ledger.settle(sequence, as: sequence < 30 ? .accepted : .deferred))
        }
        let keeper = JournalKeeper(
            journal: journal,
            ledger: ledger,
            refusals: RefusalLog(),
            fanOuts: [fanOut]
        )
        keeper.finish()
        #expect(keeper.open == [])
        journal.close()
        let next = try place.open()
        #expect(next.earlier.accepted == 30)
        #expect(next.earlier.perhapsTwice == 0, "it was certainly not processed")
    }
}
