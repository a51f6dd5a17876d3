import Testing

@testable import HTTP2

/// The one event of each stream, however the stream or the connection ends.
@Suite struct StreamEndTests {
    @Test(
        arguments: ClientEngine.all,
        [
            (0x0, ClientEvent.Kind.reset), (0x1, .reset), (0x2, .reset), (0x7, .unprocessed),
            (0x8, .reset), (0xB, .reset), (0x1234, .reset),
        ] as [(UInt32, ClientEvent.Kind)]
    )
    func aResetIsToldByItsCode(
        _ engine: ClientEngine,
        reset: (code: UInt32, kind: ClientEvent.Kind)
    ) {
        let server = RawServer(engine.make())
        server.client.submit(tag: 5)
        server.exchange()
        server.send(.reset(1, reset.code))
        let events = server.client.events()
        #expect(events.map(\.kind) == [reset.kind])
        #expect(events.first?.tag == 5)
        #expect(events.first?.errorCode.rawValue == reset.code)
        #expect(server.client.streamsInFlight == 0)
        #expect(server.client.state == .open)
    }

    @Test(arguments: ClientEngine.all)
    func aResetAfterHeadersHasNoStatus(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        server.client.submit(tag: 5)
        server.exchange()
        server.send(.headers(1, RawServer.ok), .reset(1, 0x8))
        #expect(server.client.events().map(\.kind) == [.reset])
    }

    @Test(arguments: ClientEngine.all)
    func anAnswerBeforeTheEndOfTheBodyIsAnAnswer(_ engine: ClientEngine) {
        // Initial window 100: the 320 bytes of the body cannot all leave.
        let server = RawServer(engine.make(), settings: [(0x4, 100)])
        server.client.submit(tag: 5)
        server.exchange()
        #expect(server.endedStreams.isEmpty)
        server.send(.headers(1, [0x8D], end: true))  // :status 404
        let events = server.client.events()
        #expect(events.map(\.kind) == [.responded])
        #expect(events.map(\.status) == [404])
        server.send(.reset(1, 0x0))
        server.exchange()
        #expect(server.client.events().isEmpty)
        #expect(server.client.streamsInFlight == 0)
        #expect(server.client.submit(tag: 6))
        #expect(server.client.state == .open)
    }

    @Test(arguments: ClientEngine.all)
    func interimResponsesAreSkipped(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        server.client.submit(tag: 5)
        server.exchange()
        server.send(
            .headers(1, literalBlock([(":status", "103"), ("retry-after", "9")])),
            .headers(1, literalBlock([(":status", "100")]))
        )
        #expect(server.client.events().isEmpty)
        server.send(
            .headers(1, literalBlock([(":status", "410")])),
            .data(1, [0x7B, 0x7D], end: true)
        )
        let events = server.client.events()
        #expect(events.map(\.status) == [410])
        #expect(events.first?.retryAfterSeconds == nil)
        #expect(events.first.map(server.client.responseBody(of:)) == [0x7B, 0x7D])
    }

    @Test(arguments: ClientEngine.all)
    func trailersDoNotDisturbAnAnswer(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        server.client.submit(tag: 5)
        server.exchange()
        server.send(
            .headers(1, RawServer.ok),
            .data(1, [0x7B, 0x7D]),
            .headers(1, literalBlock([("x-checksum", "1")]), end: true)
        )
        let events = server.client.events()
        #expect(events.map(\.status) == [200])
        #expect(events.first.map(server.client.responseBody(of:)) == [0x7B, 0x7D])
    }

    @Test(arguments: ClientEngine.all)
    func streamsAboveTheLastIDOfGoAwayAreUnprocessed(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        let client = server.client
        for tag in 0..<10 as Range<UInt32> { client.submit(tag: tag) }
        server.exchange()
        // Stream 9 is the fifth.
        server.send(.goAway(last: 9, code: 0x2, debug: "{\"reason\":\"InternalServerError\"}"))
        #expect(client.state == .draining)
        #expect(client.availableStreams == 0)
        #expect(!client.submit(tag: 99))
        let events = client.events()
        #expect(events.first?.kind == .goAway)
        #expect(events.first?.errorCode == .internalError)
        #expect(
            events.first.map { String(decoding: client.responseBody(of: $0), as: UTF8.self) }
                == "{\"reason\":\"InternalServerError\"}"
        )
        let others = events.dropFirst()
        #expect(others.allSatisfy { $0.kind == .unprocessed })
        #expect(Set(others.map(\.tag)) == Set(5..<10))
        #expect(client.streamsInFlight == 5)
        for streamID in [1, 3, 5, 7, 9] as [UInt32] {
            server.send(.headers(streamID, RawServer.ok, end: true))
        }
        #expect(client.events().map(\.tag) == Array(0..<5))
        #expect(client.streamsInFlight == 0)
    }

    @Test(arguments: ClientEngine.all)
    func goAwayComesInTwoSteps(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        let client = server.client
        for tag in 0..<4 as Range<UInt32> { client.submit(tag: tag) }
        server.exchange()
        server.send(.goAway(last: 0x7FFF_FFFF, code: 0))
        #expect(client.events().map(\.kind) == [.goAway])
        #expect(client.streamsInFlight == 4)
        server.send(.goAway(last: 3, code: 0))
        let events = client.events()
        #expect(events.map(\.kind) == [.goAway, .unprocessed, .unprocessed])
        #expect(Set(events.dropFirst().map(\.tag)) == [2, 3])
    }

    @Test(arguments: ClientEngine.all)
    func requestsThatWereNotWrittenAreUnprocessedAfterGoAway(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        let client = server.client
        client.submit(tag: 0)
        server.exchange()
        for tag in 1..<5 as Range<UInt32> { client.submit(tag: tag) }
        server.send(.goAway(last: 1, code: 0))
        let events = client.events()
        #expect(events.map(\.kind) == [.goAway] + Array(repeating: .unprocessed, count: 4))
        #expect(Set(events.dropFirst().map(\.tag)) == [1, 2, 3, 4])
        // They may be written all the same: the peer has said that it drops them.
        server.exchange()
        server.send(.headers(1, RawServer.ok, end: true))
        #expect(client.events().map(\.tag) == [0])
    }

    @Test(arguments: Pairing.all)
    func aServersGoAwaySparesTheStreamsBelow(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.pump()
        for tag in 0..<6 as Range<UInt32> { wire.client.submit(tag: tag) }
        wire.pump()
        server.goAway(
            errorCode: .noError,
            lastStreamID: 5,
            debugData: Array("{\"reason\":\"Shutdown\"}".utf8)
        )
        #expect(server.state == .draining)
        wire.pump()
        wire.answerWaiting { .accepted(server.request($0).tag ?? 0) }
        wire.pump()
        let events = wire.takeEvents()
        #expect(events.first?.kind == .goAway)
        #expect(events.filter { $0.kind == .responded }.map(\.tag) == [0, 1, 2])
        #expect(Set(events.filter { $0.kind == .unprocessed }.map(\.tag)) == [3, 4, 5])
        #expect(events.count == 7)
        #expect(server.state == .draining)
    }

    @Test(arguments: Pairing.all)
    func shutdownLetsStreamsInFlightEnd(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.pump()
        for tag in 0..<3 as Range<UInt32> { wire.client.submit(tag: tag) }
        wire.client.shutdown()
        #expect(wire.client.state == .draining)
        #expect(!wire.client.submit(tag: 9))
        wire.pump()
        wire.answerWaiting { .accepted(server.request($0).tag ?? 0) }
        wire.pump()
        #expect(wire.takeEvents().map(\.kind) == [.responded, .responded, .responded])
        #expect(wire.client.state == .draining)
        #expect(wire.clientFrames.contains { $0.isGoAway && $0.number(at: 4) == 0 })
    }

    @Test(arguments: ClientEngine.all)
    func aLostConnectionTellsWrittenFromUnwrittenRequests(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        let client = server.client
        client.submit(tag: 0)
        client.submit(tag: 1)
        server.exchange()
        server.send(.headers(1, RawServer.ok, end: true))
        // One request of which all but the last byte is taken, one that is not begun.
        client.submit(tag: 2, bodyCount: 4096)
        client.submit(tag: 3)
        var taken = 0
        while taken < 4096 { taken += client.drain(capacity: 512).count }
        client.connectionLost()
        client.connectionLost()
        let events = client.events()
        #expect(events.first?.kind == .responded)
        let kinds = Dictionary(uniqueKeysWithValues: events.map { ($0.tag, $0.kind) })
        #expect(
            kinds == [0: .responded, 1: .connectionLost, 2: .unprocessed, 3: .unprocessed]
        )
        #expect(client.streamsInFlight == 0)
        #expect(client.availableStreams == 0)
        #expect(!client.submit(tag: 4))
        #expect(!client.hasOutput)
        #expect(client.drainAll().isEmpty)
    }

    @Test(arguments: ClientEngine.all)
    func aRequestCountsAsWrittenAtItsLastByte(_ engine: ClientEngine) {
        // How many bytes the request has on the wire, from a session like it.
        let measured = RawServer(engine.make())
        measured.client.submit(tag: 1)
        let size = measured.client.drainAll().count
        for missing in [0, 1, 2, 300, size] {
            let server = RawServer(engine.make())
            server.client.submit(tag: 1)
            _ = server.client.drain(capacity: size - missing)
            server.client.connectionLost()
            let kind: ClientEvent.Kind = missing == 0 ? .connectionLost : .unprocessed
            #expect(server.client.events().map(\.kind) == [kind], "\(missing) bytes missing")
        }
    }
}
