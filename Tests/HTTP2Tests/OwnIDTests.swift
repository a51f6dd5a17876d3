import Testing

@testable import HTTP2

/// Requests that each carry an `apns-id` of their own.
@Suite struct OwnIDTests {
    private func id(_ tag: UInt32) -> [UInt8] {
        let digits = String(tag, radix: 16)
        let last = String(repeating: "0", count: 12 - digits.count) + digits
        return Array("123e4567-e89b-82d3-a456-\(last)".utf8)
    }

    private func profile(_ indexing: RequestProfile.Indexing) -> RequestProfile {
        var profile = RequestProfile.forTests
        profile.indexing = indexing
        profile.hasOwnIDs = true
        profile.fields.append(RequestProfile.Field(name: "apns-id", value: "never sent"))
        return profile
    }

    private func submit(
        _ tag: UInt32,
        id: [UInt8],
        bodyCount: Int = 320,
        to client: any ClientSession
    ) -> Bool {
        client.submit(
            token: token(for: tag).span.bytes,
            apnsID: id.span.bytes,
            body: body(for: tag, count: bodyCount).span.bytes,
            tag: tag
        )
    }

    /// Table sizes with room for all fields, for some, and for none.
    @Test(arguments: Pairing.all, [UInt32(4096), 400, 64, 0])
    func eachRequestCarriesItsOwn(_ pair: Pairing, tableSize: UInt32) {
        for indexing in RequestProfile.Indexing.allCases {
            let server = pair.server.make(
                .with {
                    $0.headerTableSize = tableSize
                    $0.initialWindowSize = 1024
                    $0.maxConcurrentStreams = 20
                }
            )
            let wire = MemoryWire(client: pair.client.make(profile(indexing)), server: server)
            var seen: [UInt32: ReceivedRequest] = [:]
            var next: UInt32 = 0
            var answered = 0
            while answered < 200 {
                // Some bodies have to wait for a window, so that their block is written alone.
                while next < 200,
                    submit(
                        next,
                        id: id(next),
                        bodyCount: next % 7 == 0 ? 3000 : 320,
                        to: wire.client
                    )
                {
                    next += 1
                    if next == 100 { wire.client.setAuthorization("bearer another") }
                }
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
                let request = seen[tag]
                #expect(request?.fields[.apnsID] == String(decoding: id(tag), as: UTF8.self))
                #expect(request?.fields[.apnsTopic] == "com.example.app")
                #expect(request?.duplicatedField == nil)
                #expect(request?.body == body(for: tag, count: tag % 7 == 0 ? 3000 : 320))
            }
            #expect(seen[150]?.fields[.authorization] == "bearer another")
        }
    }

    @Test(arguments: ClientEngine.all)
    func idThatIsMissingUnwantedOrOfAnotherSizeIsRefused(_ engine: ClientEngine) {
        let server = WireServerSession(settings: SessionSettings())
        let with = MemoryWire(client: engine.make(profile(.indexedAuth)), server: server)
        with.pump()
        #expect(!with.client.submit(tag: 1))
        #expect(!submit(1, id: Array("short".utf8), to: with.client))
        #expect(!submit(1, id: [], to: with.client))
        #expect(with.client.streamsInFlight == 0)
        #expect(submit(1, id: id(1), to: with.client))

        let without = MemoryWire(
            client: engine.make(),
            server: WireServerSession(settings: SessionSettings())
        )
        without.pump()
        #expect(!submit(1, id: id(1), to: without.client))
        #expect(without.client.submit(tag: 1))
    }

    @Test func namesTheFieldByTheTableFromTheSecondRequestOn() throws {
        let wire = MemoryWire(
            client: WireClientSession(
                profile: profile(.indexedAuth),
                settings: SessionSettings(),
                maxStreams: 10
            ),
            server: WireServerSession(settings: SessionSettings())
        )
        for tag in 0..<3 as Range<UInt32> { #expect(submit(tag, id: id(tag), to: wire.client)) }
        wire.pump()
        let blocks = wire.clientFrames.filter { $0.type == 1 }.map(\.payload)
        #expect(blocks.count == 3)
        // Path, id and length are all that is spelled out: index octets for the rest.
        #expect(blocks[1].count == blocks[2].count)
        #expect(blocks[1].count < 2 + 74 + 2 + 36 + 6 + 16)
        #expect(!String(decoding: blocks[1], as: UTF8.self).contains("apns-id"))
    }

    @Test(arguments: ClientEngine.all)
    func resetByThePeerIsToldFromOneByThisSide(_ engine: ClientEngine) throws {
        let server = WireServerSession(settings: SessionSettings())
        let wire = MemoryWire(client: engine.make(), server: server)
        wire.pump()
        wire.client.submit(tag: 1)
        wire.pump()
        server.reset(wire.waiting[0], errorCode: .protocolError)
        wire.pump()
        let event = try #require(wire.takeEvents().first)
        #expect(event.kind == .reset)
        #expect(event.isPeerReset)
        #expect(event.status == 0)
    }

    @Test(arguments: ClientEngine.all)
    func resetByThisSideForABadResponseIsNotThePeers(_ engine: ClientEngine) throws {
        let server = RawServer(engine.make())
        server.client.submit(tag: 1)
        server.exchange()
        // A response that begins with a field, not with its status: accept-charset, indexed.
        server.send(.headers(1, [0x8F], end: true))
        let event = try #require(server.client.events().first)
        #expect(event.kind == .reset)
        #expect(event.errorCode == .protocolError)
        #expect(!event.isPeerReset)
    }
}
