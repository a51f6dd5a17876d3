import CAllocCounter
import PushBuffers
import PushModel
import Testing

@Suite struct IOBufferTests {
    @Test func startsEmptyWithAllItsRoom() {
        let buffer = IOBuffer(capacity: 16)
        #expect(buffer.capacity == 16)
        #expect(buffer.readableCount == 0)
        #expect(buffer.writableCount == 16)
        #expect(buffer.isEmpty)
        #expect(buffer.readable.byteCount == 0)
    }

    @Test func givesBytesBackInOrder() {
        let buffer = IOBuffer(capacity: 8)
        append([1, 2, 3, 4, 5], to: buffer)
        buffer.consume(3)
        append([6, 7, 8, 9], to: buffer)
        #expect(contents(of: buffer) == [4, 5, 6, 7, 8, 9])
        #expect(buffer.writableCount == 2)
    }

    @Test func offersTheWholeFreeSpaceWhereverTheUnreadBytesStand() {
        let buffer = IOBuffer(capacity: 8)
        append([1, 2, 3, 4, 5, 6, 7, 8], to: buffer)
        buffer.consume(7)
        var offered = 0
        buffer.append { offered = $0.freeCapacity }
        #expect(offered == 7)
        #expect(contents(of: buffer) == [8])
    }

    @Test func offersNothingWhenFull() {
        let buffer = IOBuffer(capacity: 3)
        append([1, 2, 3], to: buffer)
        var offered = -1
        buffer.append { offered = $0.freeCapacity }
        #expect(offered == 0)
    }

    @Test func keepsWhatWasAppendedBeforeAnError() {
        let buffer = IOBuffer(capacity: 8)
        #expect(throws: SomeError()) {
            try buffer.append { (output: inout OutputRawSpan) throws(SomeError) in
                output.append(42)
                throw SomeError()
            }
        }
        #expect(contents(of: buffer) == [42])
    }

    @Test func clearDropsEverything() {
        let buffer = IOBuffer(capacity: 4)
        append([1, 2, 3], to: buffer)
        buffer.clear()
        #expect(buffer.isEmpty)
        #expect(buffer.writableCount == 4)
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4, 5])
    func behavesLikeAQueueOfBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let capacity = Int.random(in: 1...64, using: &random)
        let buffer = IOBuffer(capacity: capacity)
        var model: [UInt8] = []
        var next: UInt8 = 0
        for _ in 0..<2000 {
            if Bool.random(using: &random) {
                let count = Int.random(in: 0...capacity - model.count, using: &random)
                let bytes = (0..<count).map { _ in
                    next &+= 1
                    return next
                }
                append(bytes, to: buffer)
                model += bytes
            } else {
                let count = Int.random(in: 0...model.count, using: &random)
                buffer.consume(count)
                model.removeFirst(count)
            }
            #expect(contents(of: buffer) == model)
            #expect(buffer.readableCount + buffer.writableCount == capacity)
        }
    }

    @Test func allocatesNothingAfterItWasMade() {
        let buffer = IOBuffer(capacity: 1024)
        func rounds(_ count: Int) {
            for _ in 0..<count {
                buffer.append { output in
                    while !output.isFull { output.append(7) }
                }
                buffer.consume(buffer.readableCount / 2 + 1)
            }
        }
        // The first round makes the runtime's metadata.
        rounds(1)
        let before = pb_thread_allocations()
        rounds(100)
        #expect(pb_thread_allocations() - before == 0)
    }

    @Test func consumingMoreThanThereIsTraps() async {
        await #expect(processExitsWith: .failure) {
            let buffer = IOBuffer(capacity: 4)
            buffer.consume(1)
        }
    }

    private struct SomeError: Error, Equatable {}

    private func append(_ bytes: [UInt8], to buffer: IOBuffer) {
        buffer.append { $0.append(contentsOf: bytes.span.bytes) }
    }

    private func contents(of buffer: IOBuffer) -> [UInt8] {
        buffer.readable.withUnsafeBytes { Array($0) }
    }
}
