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
    func targetNeverReachedHasOneChanceForEachAddress(addresses: Int) {
        var pool = ConnectionPool(wanted: 1, seed: 1)
        var now = start
        var attempts = 0
        while pool.missing(now: now, addresses: addresses) > 0 {
            attempts += 1
            pool.noteFailure(openedAt: now, now: now)
            // Past any back-off.
            now = now.advanced(by: 10_000_000_000)
        }
        #expect(attempts == addresses)
        #expect(pool.isGivenUp(now: now, addresses: addresses))
    }

    @Test func connectionsThatFallTogetherAreOneFailure() {
        var pool = ConnectionPool(wanted: 8, seed: 1)
        pool.noteOpened()
        pool.noteAnswer()
        for index in 0..<8 {
            pool.noteFailure(openedAt: start, now: after(1000 + UInt64(index) * 50))
        }
        #expect(!pool.isGivenUp(now: after(1400), addresses: 1))
        #expect(pool.missing(now: after(1049), addresses: 1) == 0, "it counts from the first one")
        #expect(pool.missing(now: after(1100), addresses: 1) == 8)
    }

    @Test func connectionThatWasOfUseIsReplacedAtOnceAndTheNextOneIsNot() {
        var pool = ConnectionPool(wanted: 1, seed: 1)
        pool.noteOpened()
        pool.noteAnswer()
        pool.noteFailure(openedAt: start, now: after(10), hadAnswered: true)
        #expect(pool.missing(now: after(10), addresses: 1) == 1)
        pool.noteFailure(openedAt: after(10), now: after(20))
        #expect(pool.missing(now: after(20), addresses: 1) == 0)
        #expect(pool.missing(now: after(1000), addresses: 1) == 1)
    }

    @Test func pausesOfManyPoolsDiffer() {
        let pauses = (0..<50 as Range<UInt64>).map { seed in
            var pool = ConnectionPool(wanted: 1, seed: seed)
            pool.noteFailure(openedAt: start, now: start)
            return pool.opensNotBefore.nanoseconds(since: start)
        }
        #expect(pauses.allSatisfy { (50_000_000...100_000_000).contains($0) })
        #expect(Set(pauses).count > 40)
    }

    @Test func targetThatWasThereIsAwaitedForThreeSeconds() {
        var pool = ConnectionPool(wanted: 1, seed: 1)
        pool.noteOpened()
        pool.noteAnswer()
        pool.noteFailure(openedAt: start, now: after(0))
        var attempts = 0
        var milliseconds: UInt64 = 0
        while !pool.isGivenUp(now: after(milliseconds), addresses: 1) {
            if pool.missing(now: after(milliseconds), addresses: 1) > 0 {
                attempts += 1
                pool.noteFailure(openedAt: after(milliseconds), now: after(milliseconds))
            }
            milliseconds += 10
        }
        #expect(milliseconds == 3000)
        #expect((4...5).contains(attempts), "after 0.1, 0.3, 0.7 and 1.5 seconds at most")
    }

    @Test func targetThatNeverAnsweredHasThreeChances() {
        var pool = ConnectionPool(wanted: 1, seed: 1)
        pool.noteOpened()
        for attempt in 0..<3 as Range<UInt64> {
            let now = after(attempt * 10_000)
            #expect(!pool.isGivenUp(now: now, addresses: 1))
            pool.noteFailure(openedAt: now, now: now)
        }
        #expect(pool.isGivenUp(now: after(20_001), addresses: 1))
    }

    @Test func answerMakesFailuresForgotten() {
        var pool = ConnectionPool(wanted: 1, seed: 1)
        pool.noteOpened()
        for attempt in 0..<100 as Range<UInt64> {
            let now = after(attempt * 10_000)
            pool.noteAnswer()
            pool.noteFailure(openedAt: now, now: now)
            let later = now.advanced(by: 5_000_000_000)
            #expect(!pool.isGivenUp(now: later, addresses: 1))
        }
    }
}
