import CAllocCounter
import PushModel
import Testing

@testable import MockAPNs

@Suite struct TimerHeapTests {
    private struct Entry: Equatable {
        var due: UInt64
        var number: UInt64
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func givesWhatIsDueInOrderOfTimeAndArrival(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var heap = TimerHeap(capacity: 2)
        var model: [Entry] = []
        var number: UInt64 = 0
        for now in 0..<2000 as Range<UInt64> {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let entry = Entry(
                    due: now + UInt64.random(in: 0...50, using: &random),
                    number: number
                )
                number += 1
                heap.add(LoopTimer(connection: entry.number, action: .close), due: entry.due)
                model.append(entry)
            }
            if Int.random(in: 0..<100, using: &random) == 0 {
                heap.removeAll { $0.connection % 3 == 0 }
                model.removeAll { $0.number % 3 == 0 }
            }
            model.sort { ($0.due, $0.number) < ($1.due, $1.number) }
            #expect(heap.count == model.count)
            #expect(heap.nextDue == model.first?.due)
            while let timer = heap.popDue(at: now) {
                #expect(timer.connection == model.first?.number)
                model.removeFirst()
            }
            #expect(model.first.map { $0.due > now } ?? true)
        }
    }

    @Test func allocatesNothingWhileThereIsRoom() {
        var heap = TimerHeap(capacity: 1024)
        var taken = 0
        var now: UInt64 = 0
        let timer = LoopTimer(connection: 1, action: .close)
        let before = pb_thread_allocations()
        while now < 100_000 {
            heap.add(timer, due: now + 1000)
            if heap.popDue(at: now) != nil { taken += 1 }
            now += 1
        }
        #expect(pb_thread_allocations() - before == 0)
        #expect(taken == 99_000)
    }
}
