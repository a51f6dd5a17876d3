import Glibc
import NetIO
import PushCrypto
import Synchronization
import Testing

@testable import LoadEngine

/// When provider tokens are made anew (contract 1.4), on clocks that the tests set.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct ProviderTokenSourceTests {
    private static let minute: UInt64 = 60_000_000_000

    private final class TestClock: Sendable {
        let monotonic = Atomic<UInt64>(1_000_000_000_000)
        let unix = Atomic<Int64>(1_700_000_000)

        func advance(minutes: UInt64) {
            monotonic.add(minutes * ProviderTokenSourceTests.minute, ordering: .relaxed)
            unix.add(Int64(minutes) * 60, ordering: .relaxed)
        }

        var clocks: ProviderTokenSource.Clocks {
            ProviderTokenSource.Clocks(
                monotonicNanoseconds: { [self] in monotonic.load(ordering: .relaxed) },
                unixSeconds: { [self] in unix.load(ordering: .relaxed) }
            )
        }
    }

    private func source(
        _ clock: TestClock,
        lifetime: UInt64 = 50
    ) throws -> ProviderTokenSource {
        var ages = ProviderTokenSource.Ages()
        ages.lifetime = lifetime * Self.minute
        let signer = try ProviderTokenSigner.generate(keyID: "ABCDEFGHIJ", teamID: "TEAMTEAM00")
        return try ProviderTokenSource(signer: signer, ages: ages, clocks: clock.clocks)
    }

    /// Waits for the Dispatch queue to have made a token.
    private func awaitVersion(_ version: Int, of source: ProviderTokenSource) {
        while source.version < version { sched_yield() }
    }

    @Test func tokenIsMadeAnewAtItsAgeAndNotBefore() throws {
        let clock = TestClock()
        let source = try source(clock)
        let first = source.authorization
        #expect(first.hasPrefix("bearer "))
        clock.advance(minutes: 49)
        source.renewIfDue()
        #expect(source.replaceExpired(version: 0) == .done, "another one than the present")
        clock.advance(minutes: 1)
        source.renewIfDue()
        source.renewIfDue()
        awaitVersion(2, of: source)
        #expect(source.authorization != first)
        let renewals = source.renewals(since: MonotonicInstant(nanoseconds: 0))
        #expect(renewals == [MonotonicInstant(nanoseconds: 1_000_000_000_000 + 50 * Self.minute)])
        clock.advance(minutes: 49)
        source.renewIfDue()
        #expect(source.version == 2)
    }

    @Test(arguments: [-86_400, -3600, 3600, 86_400] as [Int64])
    func wallClockThatJumpsRenewsNothing(_ seconds: Int64) throws {
        let clock = TestClock()
        let source = try source(clock)
        clock.unix.add(seconds, ordering: .relaxed)
        source.renewIfDue()
        clock.advance(minutes: 19)
        source.renewIfDue()
        #expect(source.replaceExpired(version: 1) == .tooYoung(19 * Self.minute))
        #expect(source.version == 1)
    }

    @Test func expiredTokenIsReplacedOnceItIsTwentyMinutesOld() throws {
        let clock = TestClock()
        let source = try source(clock)
        clock.advance(minutes: 20)
        #expect(source.replaceExpired(version: 1) == .underWay(version: 2))
        awaitVersion(2, of: source)
        // The pushes that went out with the old one go out with the new one; nothing is renewed again.
        #expect(source.replaceExpired(version: 1) == .done)
        #expect(source.replaceExpired(version: 2) == .tooYoung(0))
        clock.advance(minutes: 30)
        source.renewIfDue()
        #expect(source.replaceExpired(version: 2) == .underWay(version: 3))
        awaitVersion(3, of: source)
        #expect(source.version == 3)
    }

    @Test func noTokenIsMadeAnewWithinTwentyMinutesWhateverTheLifetime() throws {
        let clock = TestClock()
        let source = try source(clock, lifetime: 1)
        clock.advance(minutes: 19)
        source.renewIfDue()
        #expect(source.replaceExpired(version: 1) == .tooYoung(19 * Self.minute))
        clock.advance(minutes: 1)
        source.renewIfDue()
        awaitVersion(2, of: source)
    }
}
