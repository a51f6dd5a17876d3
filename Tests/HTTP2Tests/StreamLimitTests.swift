import Testing

@testable import HTTP2

/// How many streams a client has open, whatever the peer announces.
@Suite struct StreamLimitTests {
    private static let limit: UInt16 = 0x3

    @Test(arguments: ClientEngine.all)
    func noStreamIsOpenedBeforeTheFirstSettings(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: nil)
        #expect(!server.client.hasPeerSettings)
        #expect(server.client.availableStreams == 0)
        #expect(server.client.peerMaxConcurrentStreams == 0)
        #expect(!server.client.submit(tag: 0))
        server.exchange()
        #expect(server.openedStreams.isEmpty)
        server.send(.setting(Self.limit, 1))
        #expect(server.client.hasPeerSettings)
        #expect(server.client.availableStreams == 1)
    }

    @Test(arguments: ClientEngine.all)
    func withoutALimitFromThePeerTheOwnOneHolds(_ engine: ClientEngine) {
        let server = RawServer(engine.make(maxStreams: 700), settings: [])
        #expect(server.client.peerMaxConcurrentStreams == .max)
        #expect(server.client.availableStreams == 700)
        var tag: UInt32 = 0
        while server.client.submit(tag: tag) { tag += 1 }
        server.exchange()
        #expect(server.openedStreams.count == 700)
    }

    @Test(arguments: ClientEngine.all)
    func aLimitOfZeroStopsRequests(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: [(Self.limit, 0)])
        #expect(server.client.availableStreams == 0)
        #expect(!server.client.submit(tag: 1))
        server.send(.setting(Self.limit, 3))
        #expect(server.client.availableStreams == 3)
    }

    @Test(arguments: ClientEngine.all)
    func theLimitGoesFromOneTo500AndBackInFlight(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: [(Self.limit, 1)])
        let client = server.client
        server.send(.windowUpdate(0, 1 << 20))
        var tag: UInt32 = 0
        func submitAll() {
            while client.submit(tag: tag) { tag += 1 }
            server.exchange()
        }
        submitAll()
        #expect(server.openedStreams == [1])
        server.send(.setting(Self.limit, 500))
        submitAll()
        #expect(server.openedStreams.count == 500)
        server.send(.setting(Self.limit, 1))
        #expect(client.availableStreams == 0)
        #expect(client.streamsInFlight == 500)

        // 499 answers make no room, the last one makes room for one.
        var answered = 0
        for streamID in server.endedStreams {
            submitAll()
            #expect(server.openedStreams.count == 500)
            server.send(.headers(streamID, RawServer.ok, end: true))
            answered += 1
            #expect(client.availableStreams == (answered == 500 ? 1 : 0))
        }
        submitAll()
        #expect(server.openedStreams.count == 501)
        #expect(client.events().map(\.tag) == Array(0..<500))
        #expect(client.state == .open)
    }

    @Test(arguments: ClientEngine.all)
    func requestsThatWereNotWrittenWaitForALoweredLimit(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: [(Self.limit, 50)])
        let client = server.client
        for tag in 0..<50 as Range<UInt32> { client.submit(tag: tag) }
        server.send(.setting(Self.limit, 2))
        var open = 0
        var isAcknowledged = false
        var ended = 0
        var events: [ClientEvent] = []
        while true {
            for frame in server.exchange() {
                if frame.isSettings { isAcknowledged = true }
                if !frame.isHeaders { continue }
                open += 1
                // What is written before the acknowledgement, the peer must expect.
                #expect(!isAcknowledged || open <= 2)
            }
            events += client.events()
            if open == 0 { break }
            server.send(.headers(server.endedStreams[ended], RawServer.ok, end: true))
            ended += 1
            open -= 1
        }
        events += client.events()
        #expect(Set(events.map(\.tag)) == Set(0..<50))
        #expect(events.count == 50)
        #expect(events.filter { $0.kind == .responded }.count == ended)
        #expect(events.allSatisfy { $0.kind == .responded || $0.kind == .unprocessed })
    }

    @Test(arguments: Pairing.all)
    func aServerMovesTheLimitWhilePushesFlow(_ pair: Pairing) {
        let server = pair.server.make(.with { $0.maxConcurrentStreams = 1 })
        let wire = MemoryWire(client: pair.client.make(), server: server, seed: 5)
        wire.pump()
        var tag: UInt32 = 0
        for limit in [1, 500, 1, 20, 1, 500, 3] as [UInt32] {
            server.update(settings: .with { $0.maxConcurrentStreams = limit })
            wire.pump()
            #expect(wire.client.peerMaxConcurrentStreams == limit)
            for _ in 0..<3 {
                while wire.client.submit(tag: tag) { tag += 1 }
                wire.pump()
                #expect(wire.waiting.count <= max(Int(limit), wire.client.streamsInFlight))
                wire.answerWaiting { .accepted(server.request($0).tag ?? 0) }
                wire.pump()
            }
        }
        let events = wire.takeEvents()
        #expect(events.count == Int(tag))
        #expect(events.allSatisfy { $0.kind == .responded })
        #expect(tag == 3 * (1 + 500 + 1 + 20 + 1 + 500 + 3))
    }

    @Test(arguments: Pairing.all)
    func streamsAboveTheLimitComeBackUnprocessed(_ pair: Pairing) {
        let server = pair.server.make(.with { $0.maxConcurrentStreams = 100 })
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.pump()
        // The client may open streams before it has seen that only one is allowed.
        server.update(settings: .with { $0.maxConcurrentStreams = 1 })
        var tag: UInt32 = 0
        while wire.client.submit(tag: tag) { tag += 1 }
        wire.pump()
        wire.answerWaiting { .accepted(server.request($0).tag ?? 0) }
        wire.pump()
        let events = wire.takeEvents()
        #expect(events.count == Int(tag))
        #expect(Set(events.map(\.tag)) == Set(0..<tag))
        #expect(events.contains { $0.kind == .responded && $0.tag == 0 })
        let refused = events.count { $0.kind == .unprocessed && $0.errorCode == .refusedStream }
        #expect(server.refusedStreamCount == refused)
        #expect(events.allSatisfy { $0.kind == .responded || $0.kind == .unprocessed })
        #expect(wire.client.state == .open)
        #expect(wire.client.availableStreams == 1)
    }

    @Test(arguments: ClientEngine.all)
    func theSessionDrainsBeforeStreamIDsRunOut(_ engine: ClientEngine) {
        let server = RawServer(engine.make(firstStreamID: Int32.max - 4))
        let client = server.client
        for tag in 0..<3 as Range<UInt32> { #expect(client.submit(tag: tag)) }
        #expect(client.state == .draining)
        #expect(client.availableStreams == 0)
        #expect(!client.submit(tag: 3))
        server.exchange()
        #expect(server.openedStreams == [0x7FFF_FFFB, 0x7FFF_FFFD, 0x7FFF_FFFF])
        for streamID in server.openedStreams {
            server.send(.headers(streamID, RawServer.ok, end: true))
        }
        #expect(client.events().map(\.kind) == [.responded, .responded, .responded])
        #expect(client.streamsInFlight == 0)
    }
}
