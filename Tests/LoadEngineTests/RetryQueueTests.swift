import NetIO
import PushModel
import Testing

@testable import LoadEngine

@Suite struct RetryQueueTests {
    private func push(_ sequence: Int) -> InFlightPush {
        let instant = MonotonicInstant(nanoseconds: 1)
        return InFlightPush(sequence: sequence, intended: instant, sent: instant)
    }

    @Test(arguments: [1, 7, 1024])
    func pushesComeOutInTheOrderInWhichTheyAreDueTheOldestFirst(capacity: Int) {
        var generator = SplitMix64(seed: 11)
        let queue = RetryQueue(capacity: capacity)
        var expected: [(due: UInt64, sequence: Int)] = []
        for sequence in 0..<3000 {
            let due = UInt64.random(in: 0..<500, using: &generator)
            expected.append((due, sequence))
            queue.insert(push(sequence), due: MonotonicInstant(nanoseconds: due))
        }
        expected.sort { ($0.due, $0.sequence) < ($1.due, $1.sequence) }
        for entry in expected {
            #expect(queue.nextDue?.nanoseconds == entry.due)
            #expect(queue.removeFirst().sequence == entry.sequence)
        }
        #expect(queue.isEmpty)
        #expect(queue.nextDue == nil)
    }

    @Test func aMixedHistoryKeepsEveryPush() {
        var generator = SplitMix64(seed: 5)
        let queue = RetryQueue(capacity: 4)
        var waiting: [Int: UInt64] = [:]
        for sequence in 0..<3000 {
            if Int.random(in: 0..<5, using: &generator) < 3 || waiting.isEmpty {
                let due = UInt64.random(in: 0..<1_000_000, using: &generator)
                waiting[sequence] = due
                queue.insert(push(sequence), due: MonotonicInstant(nanoseconds: due))
            } else {
                let least = waiting.values.min()
                #expect(queue.nextDue?.nanoseconds == least)
                #expect(waiting.removeValue(forKey: queue.removeFirst().sequence) == least)
            }
            #expect(queue.count == waiting.count)
        }
    }

    @Test func nothingComesOutBeforeItIsDue() {
        let queue = RetryQueue()
        queue.insert(push(3), due: MonotonicInstant(nanoseconds: 100))
        #expect(queue.first(dueAt: MonotonicInstant(nanoseconds: 99)) == nil)
        #expect(queue.first(dueAt: MonotonicInstant(nanoseconds: 100))?.sequence == 3)
    }

    @Test func aFullQueueSaysSo() {
        let queue = RetryQueue(capacity: 1)
        for sequence in 0..<RetryQueue.limit {
            #expect(!queue.isFull)
            queue.insert(push(sequence), due: MonotonicInstant(nanoseconds: 0))
        }
        #expect(queue.isFull)
    }
}
