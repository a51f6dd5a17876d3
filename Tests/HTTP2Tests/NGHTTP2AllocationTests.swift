import CAllocCounter
import CNghttp2
import Testing

@testable import HTTP2

/// What nghttp2's sessions ask of the system's allocator once they run.
@Suite struct NGHTTP2AllocationTests {
    /// Most allocations of 10,000 pushes after the warm-up.
    private static let expected: UInt64 = 0

    @Test func pushesInSteadyStateDoNotAllocate() {
        let client = NGHTTP2ClientSession(profile: .forTests, settings: .init(), maxStreams: 500)
        let server = NGHTTP2ServerSession(settings: .init())
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
        defer { buffer.deallocate() }
        let token = token(for: 1)
        let body = body(for: 1, count: 320)
        let response = ServerResponse.accepted(1)

        var clientAllocations: UInt64 = 0
        var serverAllocations: UInt64 = 0
        var responded = 0
        func round() {
            var before = pb_thread_allocations()
            var tag: UInt32 = 0
            // Not a `for`: without optimisation its iterator allocates.
            while tag < 100 {
                _ = client.submit(token: token.span.bytes, body: body.span.bytes, tag: tag)
                tag += 1
            }
            var count = drain(client, into: buffer)
            clientAllocations += pb_thread_allocations() - before

            before = pb_thread_allocations()
            server.receive(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            )
            while let handle = server.nextRequest() {
                server.respond(to: handle, with: response)
            }
            count = drain(server, into: buffer)
            serverAllocations += pb_thread_allocations() - before

            before = pb_thread_allocations()
            client.receive(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            )
            while let event = client.nextEvent() {
                if event.kind == .responded { responded += 1 }
            }
            clientAllocations += pb_thread_allocations() - before
        }
        for _ in 0..<20 { round() }
        clientAllocations = 0
        serverAllocations = 0
        responded = 0
        for _ in 0..<100 { round() }
        #expect(responded == 10_000)
        #expect(clientAllocations <= Self.expected)
        #expect(serverAllocations <= Self.expected)
    }

    @Test func manyFreeBlocksCanBeGivenBack() throws {
        let memory = NGHTTP2Memory.make()
        defer { NGHTTP2Memory.destroy(memory) }
        let functions = NGHTTP2Memory.functions(for: memory)
        let blocks = try (1...200).map { try #require(functions.malloc($0 * 5, memory)) }
        #expect(!memory.pointee.hasMuchFree)
        for block in blocks { functions.free(block, memory) }
        #expect(memory.pointee.hasMuchFree)
        memory.pointee.freeAll()
        #expect(!memory.pointee.hasMuchFree)
        functions.free(functions.malloc(100, memory), memory)
        #expect(!memory.pointee.hasMuchFree)
    }

    @Test func freedBlocksAreUsedAgain() throws {
        let memory = NGHTTP2Memory.make()
        defer { NGHTTP2Memory.destroy(memory) }
        let functions = NGHTTP2Memory.functions(for: memory)
        let small = try #require(functions.malloc(100, memory))
        functions.free(small, memory)
        #expect(functions.malloc(128, memory) == small)
        small.initializeMemory(as: UInt8.self, repeating: 0xAA, count: 128)
        // Zeroed, though used before.
        functions.free(small, memory)
        let zeroed = try #require(functions.calloc(2, 64, memory))
        #expect(zeroed == small)
        #expect((0..<128).allSatisfy { zeroed.load(fromByteOffset: $0, as: UInt8.self) == 0 })
        #expect(functions.calloc(.max, 2, memory) == nil)
        // Grown across classes and past the largest, with its bytes.
        zeroed.storeBytes(of: 0x1234_5678, as: UInt32.self)
        let larger = try #require(functions.realloc(zeroed, 1000, memory))
        #expect(larger != zeroed)
        let largest = try #require(functions.realloc(larger, 100_000, memory))
        #expect(largest.load(as: UInt32.self) == 0x1234_5678)
        #expect(functions.realloc(largest, 10, memory) == largest)
        functions.free(largest, memory)
        functions.free(nil, memory)
        #expect(functions.malloc(1024, memory) == larger)
        functions.free(larger, memory)
    }

    private func drain(
        _ session: some ClientSession,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var span = OutputRawSpan(buffer: buffer, initializedCount: 0)
        session.drain(into: &span)
        return span.byteCount
    }

    private func drain(
        _ session: some ServerSession,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var span = OutputRawSpan(buffer: buffer, initializedCount: 0)
        session.drain(into: &span)
        return span.byteCount
    }
}
