import Testing

@testable import LoadEngine

@Suite struct LedgerTests {
    @Test func aPushEndsOnce() {
        let ledger = Ledger(pushes: 3)
        #expect(ledger.settle(0, as: .accepted))
        #expect(ledger.settle(1, as: .rejected))
        #expect(!ledger.settle(0, as: .unknown))
        #expect(ledger.count(of: .accepted) == 1)
        #expect(ledger.count(of: .rejected) == 1)
        #expect(ledger.count(of: .unknown) == 0)
        #expect(ledger.count(of: .neverSent) == 1)
    }
}
