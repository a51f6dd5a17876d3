import PushCrypto
import Testing

@Suite struct RandomBytesTests {
    @Test func drawsAsManyAsAskedFor() throws {
        #expect(try randomBytes(0).isEmpty)
        #expect(try randomBytes(1).count == 1)
        // Equal by chance once in 2^256.
        #expect(try randomBytes(32) != randomBytes(32))
    }

    @Test func fillsASpanToItsEndAndLeavesWhatWasThere() throws {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { storage.deallocate() }
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        storage[0] = 7
        var span = OutputRawSpan(buffer: storage, initializedCount: 1)
        try fillWithRandomBytes(&span)
        #expect(span.finalize(for: storage) == 64)
        #expect(storage[0] == 7)
        #expect(storage[1...].contains { $0 != 0 })
    }
}
