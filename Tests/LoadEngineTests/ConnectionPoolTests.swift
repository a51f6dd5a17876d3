import NetIO
import Testing

@testable import LoadEngine

/// When a pool opens connections, and when it gives the target up.
@Suite struct ConnectionPoolTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func after(_ milliseconds: UInt64) -> MonotonicInstant {
        start.advanced(by: milliseconds * 1_000_000)
    }

    @Test(arguments: [1, 2, 5])
    func eachAddressOfATargetNeverReachedHasItsChance(addresses: Int) {
        var pool = ConnectionPool(wanted: 1, firstAddress: 0, addresses: addresses)
        var now = start
        var tried: Set<Int> = []
        while pool.missing(now: now) > 0 {
            tried.insert(pool.nextSlot().address)
            pool.noteFailure(openedAt: now, now: now)
            // Past any back-off.
            now = now.advanced(by: 10_000_000_000)
        }
        #expect(tried == Set(0..<addresses))
        #expect(pool.isGivenUp(now: now))
    }

    @Test func connectionsThatFallTogetherAreOneFailure() {
        var pool = ConnectionPool(wanted: 8, firstAddress: 0, addresses: 1)
        pool.noteOpened()
        pool.noteAnswer()
        for index in 0..<8 {
            pool.noteFailure(openedAt: start, now: after(1000 + UInt64(index) * 50))
        }
        #expect(!pool.isGivenUp(now: after(1400)))
        #expect(pool.missing(now: after(1050)) == 0, "the back-off counts from the first one")
        #expect(pool.missing(now: after(1100)) == 8)
    }

    @Test func targetThatWasThereIsAwaitedForThreeSeconds() {
        var pool = ConnectionPool(wanted: 1, firstAddress: 0, addresses: 1)
        pool.noteOpened()
        pool.noteAnswer()
        pool.noteFailure(openedAt: start, now: after(0))
        var attempts = 0
        var milliseconds: UInt64 = 0
        while !pool.isGivenUp(now: after(milliseconds)) {
            if pool.missing(now: after(milliseconds)) > 0 {
                attempts += 1
                pool.noteFailure(openedAt: after(milliseconds), now: after(milliseconds))
            }
            milliseconds += 10
        }
        #expect(milliseconds == 3000)
        #expect(attempts == 4, "after 0.1, 0.3, 0.7 and 1.5 seconds")
    }

    @Test func targetThatNeverAnsweredHasThreeChances() {
        var pool = ConnectionPool(wanted: 1, firstAddress: 0, addresses: 1)
        pool.noteOpened()
        for attempt in 0..<3 as Range<UInt64> {
            let now = after(attempt * 10_000)
            #expect(!pool.isGivenUp(now: now))
            pool.noteFailure(openedAt: now, now: now)
        }
        #expect(pool.isGivenUp(now: after(20_001)))
    }

    @Test func answerMakesFailuresForgotten() {
        var pool = ConnectionPool(wanted: 1, firstAddress: 0, addresses: 1)
        pool.noteOpened()
        for attempt in 0..<100 as Range<UInt64> {
            let now = after(attempt * 10_000)
            pool.noteAnswer()
            pool.noteFailure(openedAt: now, now: now)
            #expect(!pool.isGivenUp(now: now.advanced(by: 5_000_000_000)))
        }
    }
}
