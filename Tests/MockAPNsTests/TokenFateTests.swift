import CAllocCounter
import PushModel
import Testing

@testable import MockAPNs

/// What meets tokens by shares: reason mixes and throttles.
@Suite struct TokenFateTests {
    private static func token(_ number: UInt64) -> String {
        var random = SplitMix64(seed: number)
        return (0..<4).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func mix(seed: UInt64) -> ReasonMix {
        ReasonMix(
            [
                .init(reason: ReasonCode(.badDeviceToken), share: Share(fraction: 0.02)),
                .init(reason: ReasonCode(.unregistered), share: Share(fraction: 0.05)),
                .init(reason: ReasonCode(.internalServerError), share: Share(fraction: 0.1)),
            ],
            seed: seed
        )
    }

    private static func answers(seed: UInt64, _ tokens: some Sequence<UInt64>) -> [String] {
        let connection = RuleConnection()
        connection.rules.script.mix = mix(seed: seed)
        return tokens.map { connection.answer(PushRequest(token: token($0))) }
    }

    @Test func sharesOfTheTokensMeetTheirReasonWhateverTheOrder() {
        let answers = Self.answers(seed: 1, 0..<10_000)
        let counts = Dictionary(answers.map { ($0, 1) }, uniquingKeysWith: +)
        #expect((144...256).contains(counts["400 BadDeviceToken"] ?? 0))
        #expect((413...587).contains(counts["410 Unregistered"] ?? 0))
        #expect((880...1120).contains(counts["500 InternalServerError"] ?? 0))
        #expect(counts.count == 4)
        // A retry, and another order, on another connection.
        #expect(Self.answers(seed: 1, (0..<10_000).reversed()) == answers.reversed())
        #expect(Self.answers(seed: 2, 0..<10_000) != answers)
    }

    @Test func lettersOfEitherCaseAreTheSameToken() {
        let connection = RuleConnection()
        connection.rules.script.mix = ReasonMix(
            [.init(reason: ReasonCode(.badDeviceToken), share: Share(fraction: 0.5))]
        )
        for number in 0..<200 as Range<UInt64> {
            let token = Self.token(number)
            #expect(
                connection.answer(PushRequest(token: token))
                    == connection.answer(PushRequest(token: token.uppercased()))
            )
        }
    }

    @Test func aTokenThatIsGoneHasItsTimestampEachTime() {
        let connection = RuleConnection()
        connection.rules.script.mix = ReasonMix(
            [.init(reason: ReasonCode(.unregistered), share: Share(fraction: 1))]
        )
        let first = connection.decide(PushRequest(token: Self.token(1)))
        let second = connection.decide(PushRequest(token: Self.token(1)))
        let other = connection.decide(PushRequest(token: Self.token(2)))
        #expect(first.timestampMilliseconds == second.timestampMilliseconds)
        #expect(first.timestampMilliseconds != other.timestampMilliseconds)
        let range: Range<UInt64> = 1_700_000_000_000..<1_731_536_000_000
        #expect(first.timestampMilliseconds.map(range.contains) == true)
    }

    @Test func theMixAllocatesNothing() {
        var script = TokenScript()
        script.mix = Self.mix(seed: 3)
        let tokens = (0..<200 as Range<UInt64>).map { Array(Self.token($0).utf8) }
        var met = 0
        let before = pb_thread_allocations()
        // By index: an array's iterator allocates in a build without optimisation.
        for index in 0..<200 {
            let token = tokens[index]
            if script.fate(of: token.span.bytes) != nil { met += 1 }
        }
        #expect(pb_thread_allocations() - before == 0)
        #expect((10...70).contains(met))
    }

    // MARK: - Throttles

    @Test(arguments: [1, 2, 255] as [UInt8])
    func aThrottledTokenIsRefusedSoOftenAndThenTaken(_ times: UInt8) {
        let table = ThrottleTable(sets: 16)
        for _ in 0..<2 {
            for _ in 0..<times { #expect(table.refuses(0x1234_5678_9ABC_DEF0, times: times)) }
            #expect(!table.refuses(0x1234_5678_9ABC_DEF0, times: times))
        }
    }

    @Test func tokensAreCountedApart() {
        let table = ThrottleTable(sets: 1 << 10)
        let hashes = (0..<500 as Range<UInt64>).map(SplitMix64.mix)
        #expect(hashes.allSatisfy { table.refuses($0, times: 1) })
        #expect(hashes.allSatisfy { !table.refuses($0, times: 1) })
    }

    @Test func aFullTableForgetsAndGoesOn() {
        let table = ThrottleTable(sets: 1)
        // Each is taken at the latest when no other comes between.
        for hash in (0..<10_000 as Range<UInt64>).map(SplitMix64.mix) {
            #expect(table.refuses(hash, times: 1))
        }
        let hash = SplitMix64.mix(9999)
        #expect(!table.refuses(hash, times: 1))
    }

    @Test func throttlesMeetAShareOfTheTokensForEachSeed() {
        func throttled(_ seed: UInt64) -> [Bool] {
            var personality = Personality()
            personality.seed = seed
            personality.throttles = [
                Throttle(
                    reason: ReasonCode(.tooManyRequests),
                    share: Share(fraction: 0.05),
                    times: 2
                )
            ]
            let plan = PersonalityPlan(personality)
            return (0..<10_000 as Range<UInt64>).map { number in
                let path = Array("/3/device/\(Self.token(number))".utf8)
                return plan.throttle(path.span.bytes) != nil
            }
        }
        let first = throttled(1)
        #expect((413...587).contains(first.count { $0 }))
        #expect(first == throttled(1))
        #expect(first != throttled(2))
    }
}
