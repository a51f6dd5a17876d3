import Testing

@testable import HTTP2

/// The `content-length` of requests (RFC 9110 section 8.6, RFC 9113 section 8.1.1).
@Suite struct ContentLengthTests {
    /// Bodies of very different lengths, some of which wait for a window, and one that is empty.
    @Test(arguments: Pairing.all, [UInt32(4096), 0])
    func eachRequestTellsItsBodysLength(_ pair: Pairing, tableSize: UInt32) {
        let server = pair.server.make(
            .with {
                $0.headerTableSize = tableSize
                $0.initialWindowSize = 1024
                $0.maxConcurrentStreams = 20
            }
        )
        let wire = MemoryWire(client: pair.client.make(), server: server)
        func length(_ tag: UInt32) -> Int { tag == 7 ? 0 : Int(tag * tag * 31 % 5000) }
        var seen: [UInt32: ReceivedRequest] = [:]
        var next: UInt32 = 0
        var answered = 0
        while answered < 200 {
            while next < 200, wire.client.submit(tag: next, bodyCount: length(next)) { next += 1 }
            let moved = wire.pumpOnce { handle in
                let request = server.request(handle)
                guard let tag = request.tag else { return ServerResponse(status: 500) }
                seen[tag] = request
                return ServerResponse(status: 200)
            }
            let events = wire.takeEvents()
            answered += events.count
            if !moved, events.isEmpty { break }
        }
        #expect(answered == 200)
        for tag in 0..<200 as Range<UInt32> {
            #expect(seen[tag]?.fields[.contentLength] == String(length(tag)))
            #expect(seen[tag]?.bodyByteCount == length(tag))
        }
    }

    @Test func fieldEndsTheBlockOnTheWire() {
        let wire = MemoryWire(
            client: WireClientSession(
                profile: .forTests,
                settings: SessionSettings(),
                maxStreams: 10
            ),
            server: WireServerSession(settings: SessionSettings())
        )
        for tag in 0..<3 as Range<UInt32> {
            #expect(wire.client.submit(tag: tag, bodyCount: 320 + Int(tag) * 1000))
        }
        wire.pump()
        let blocks = wire.clientFrames.filter(\.isHeaders).map(\.payload)
        #expect(blocks.map { Array($0.suffix(6)) }[0] == [0x0F, 0x0D, 3] + Array("320".utf8))
        #expect(blocks.map { Array($0.suffix(7)) }[1] == [0x0F, 0x0D, 4] + Array("1320".utf8))
        #expect(blocks.map { Array($0.suffix(7)) }[2] == [0x0F, 0x0D, 4] + Array("2320".utf8))
    }

    /// A block whose `content-length` comes last, under the static table's name.
    private static func block(_ path: String, _ first: UInt8, _ length: [UInt8]) -> [UInt8] {
        literalBlock([(":method", "POST"), (":scheme", "https")]) + [0x04, UInt8(path.utf8.count)]
            + Array(path.utf8) + literalBlock([(":authority", "localhost"), ("apns-topic", "a.b")])
            + [first, 0x0D] + length
    }

    /// What is known of the request before lends nothing to the one after but its constant fields.
    @Test(arguments: ServerEngine.all, [UInt8(0x0F), 0x1F])
    func lengthsThatDifferAreEachHeldAgainstTheirBody(_ engine: ServerEngine, first: UInt8) throws {
        let client = RawClient(engine.make(SessionSettings()))
        // The last is a 2 in Huffman's code, padded with ones.
        let lengths: [(text: String, coded: [UInt8], body: Int)] = [
            ("2", [1, 0x32], 2), ("3", [1, 0x33], 3), ("12", [2, 0x31, 0x32], 12),
            ("002", [3, 0x30, 0x30, 0x32], 2), ("0", [1, 0x30], 0), ("2", [0x81, 0x17], 2),
        ]
        for (index, length) in lengths.enumerated() {
            let id = UInt32(2 * index + 1)
            let path = "/3/device/0\(String(repeating: "0", count: index))"
            client.send(
                .headers(id, Self.block(path, first, length.coded)),
                .data(id, [UInt8](repeating: 7, count: length.body), end: true)
            )
            let request = client.server.request(try #require(client.server.nextRequest()))
            #expect(request.fields[.path] == path)
            #expect(request.fields[.contentLength] == length.text)
            #expect(request.fields[.apnsTopic] == "a.b")
            #expect(request.fields[.authority] == "localhost")
            #expect(request.bodyByteCount == length.body)
        }
    }

    @Test(
        arguments: ServerEngine.all,
        [
            [1, 0x31], [1, 0x33], [2, 0x32, 0x30], [0], [1, 0x61], [2, 0x2D, 0x32], [0x81, 0x00],
            [20] + [UInt8](repeating: 0x39, count: 20),
        ]
    )
    func lengthThatIsNotTheBodysEndsTheStream(_ engine: ServerEngine, coded: [UInt8]) throws {
        let client = RawClient(engine.make(SessionSettings()))
        func send(_ id: UInt32, _ length: [UInt8]) {
            client.send(
                .headers(id, Self.block("/3/device/00", 0x0F, length)),
                .data(id, [7, 7], end: true)
            )
        }
        for id in [1, 3] as [UInt32] {
            send(id, [1, 0x32])
            let request = client.server.request(try #require(client.server.nextRequest()))
            #expect(request.fields[.contentLength] == "2")
        }
        send(5, coded)
        #expect(client.server.nextRequest() == nil)
        #expect(client.exchange().contains { $0.isReset && $0.streamID == 5 || $0.isGoAway })
    }
}
