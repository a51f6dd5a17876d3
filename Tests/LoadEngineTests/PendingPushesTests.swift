import PushModel
import Testing

@testable import LoadEngine

@Suite struct PendingPushesTests {
    @Test func placesCountTheNumbersThatAreLeftWithoutGaps() {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<200 {
            var pending = PendingPushes()
            var numbers: [Int] = []
            var next = 0
            for _ in 0..<Int(generator.next() % 20) {
                next += Int(generator.next() % 5)
                let end = next + Int(generator.next() % 7)
                pending.append(next..<end)
                numbers += next..<end
                next = end
            }
            #expect(pending.count == numbers.count)
            for (place, number) in numbers.enumerated() {
                #expect(pending.number(at: place) == number)
            }
            let first = numbers.isEmpty ? 0 : Int(generator.next() % UInt64(numbers.count))
            let end = first + Int(generator.next() % UInt64(numbers.count - first + 1))
            var found: [Int] = []
            pending.forEachRange(in: first..<end) { found += $0 }
            #expect(found == Array(numbers[first..<end]))
        }
    }
}
