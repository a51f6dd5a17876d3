import NetIO
import PushModel
import Testing

@testable import LoadEngine

@Suite struct InFlightTableTests {
    private func push(_ sequence: Int) -> InFlightPush {
        InFlightPush(
            sequence: sequence,
            intended: MonotonicInstant(nanoseconds: 1),
            sent: MonotonicInstant(nanoseconds: 2),
            refusals: 1,
            retries: 2
        )
    }

    @Test func tagsAreUniqueWhileInFlightAndTheTableIsBounded() throws {
        let table = InFlightTable(capacity: 100)
        var tags: [UInt32: Int] = [:]
        for sequence in 0..<100 {
            let tag = try #require(table.insert(push(sequence)))
            #expect(tags.updateValue(sequence, forKey: tag) == nil)
        }
        #expect(table.insert(push(100)) == nil)
        #expect(table.count == 100)
        for (tag, sequence) in tags { #expect(table.remove(tag).sequence == sequence) }
        #expect(table.count == 0)
    }

    @Test func aRandomHistoryKeepsEveryPush() throws {
        var generator = SplitMix64(seed: 7)
        let table = InFlightTable(capacity: 16)
        var expected: [UInt32: Int] = [:]
        for sequence in 0..<10_000 {
            if Bool.random(using: &generator), let tag = table.insert(push(sequence)) {
                expected[tag] = sequence
            } else if let tag = expected.keys.sorted().randomElement(using: &generator) {
                #expect(table.remove(tag).sequence == expected.removeValue(forKey: tag))
            }
            #expect(table.count == expected.count)
        }
    }
}
