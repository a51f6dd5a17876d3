import PushModel
import Testing

@testable import HTTP2

/// Settings that a server changes while pushes flow: up and down, on every pair of engines.
@Suite struct ServerSettingsTests {
    /// Exchanges pushes while `change` gives each round's settings.
    private func exchange(
        _ pair: Pairing,
        rounds: Int = 12,
        bodyCount: Int = 3000,
        seed: UInt64,
        _ change: (Int, inout SessionSettings) -> Void
    ) {
        var settings = SessionSettings()
        let server = pair.server.make(settings)
        let wire = MemoryWire(client: pair.client.make(maxStreams: 40), server: server, seed: seed)
        wire.pump()
        var tag: UInt32 = 0
        var seen: Set<UInt32> = []
        for round in 0..<rounds {
            // Part of the bodies is on its way while the settings change.
            for _ in 0..<30 where wire.client.submit(tag: tag, bodyCount: bodyCount) { tag += 1 }
            for _ in 0..<3 { _ = wire.pumpOnce() }
            change(round, &settings)
            server.update(settings: settings)
            for _ in 0..<30 where wire.client.submit(tag: tag, bodyCount: bodyCount) { tag += 1 }
            wire.pump()
            wire.answerWaiting {
                let request = server.request($0)
                if let tag = request.tag {
                    #expect(request.body == body(for: tag, count: bodyCount))
                    #expect(seen.insert(tag).inserted)
                }
                return .accepted(request.tag ?? 0)
            }
            wire.pump()
        }
        let events = wire.takeEvents()
        #expect(events.count == Int(tag))
        #expect(
            events.allSatisfy { $0.kind == .responded },
            "\(events.first { $0.kind != .responded }.debugDescription)"
        )
        #expect(seen.count == Int(tag))
        #expect(server.state == .open)
        #expect(wire.client.state == .open)
        #expect(server.unfinishedByteCount == 0)
    }

    @Test(arguments: Pairing.all, [1, 2, 3] as [UInt64])
    func theInitialWindowGrowsAndShrinksUnderBodies(_ pair: Pairing, _ seed: UInt64) {
        let sizes: [UInt32] = [65_535, 300, 16, 1 << 20, 0, 4000, 9, 65_535, 0, 100, 700, 699]
        exchange(pair, bodyCount: 700, seed: seed) { round, settings in
            settings.initialWindowSize = sizes[round]
            // At 0 nothing would ever move: the next round opens it.
            if sizes[round] == 0 { settings.initialWindowSize = 5 }
        }
    }

    @Test(arguments: Pairing.all, [1, 2] as [UInt64])
    func theHeaderTableGrowsAndShrinksUnderRequests(_ pair: Pairing, _ seed: UInt64) {
        let sizes: [UInt32] = [0, 4096, 64, 200, 65_536, 0, 1, 4095, 0, 4096, 100, 1 << 20]
        exchange(pair, bodyCount: 100, seed: seed) { $1.headerTableSize = sizes[$0] }
    }

    @Test(arguments: Pairing.all)
    func severalTableSizesBetweenTwoRequestsCount(_ pair: Pairing) {
        var settings = SessionSettings()
        let server = pair.server.make(settings)
        let wire = MemoryWire(client: pair.client.make(), server: server, seed: 9)
        wire.pump()
        for tag in 0..<200 as Range<UInt32> {
            // Down and up again: the smaller one empties the table all the same (RFC 7541 4.2).
            for size in [0, 4096, UInt32(tag) * 30] {
                settings.headerTableSize = size
                server.update(settings: settings)
            }
            if tag % 3 == 0 { wire.pump() }
            wire.client.submit(tag: tag)
            wire.pump()
            #expect(wire.waiting.map { server.request($0).tag } == [tag])
            wire.answerWaiting { .accepted(server.request($0).tag ?? 0) }
            wire.pump()
        }
        #expect(wire.takeEvents().allSatisfy { $0.kind == .responded })
        #expect(server.state == .open)
    }

    @Test(arguments: Pairing.all)
    func theFrameSizeGrowsAndShrinksUnderBodies(_ pair: Pairing) {
        let sizes: [UInt32] = [16_384, 1 << 20, 16_384, 20_000, 16_777_215, 16_384]
        exchange(pair, rounds: 6, bodyCount: 40_000, seed: 4) {
            $1.maxFrameSize = sizes[$0]
            $1.connectionWindowSize = 1 << 22
        }
    }

    @Test(arguments: ServerEngine.all)
    func aHeaderListLimitHoldsFromItsAcknowledgementOn(_ engine: ServerEngine) {
        // The client keeps to no limit: what it sends is larger than the last one.
        let server = engine.make(.with { $0.maxHeaderListSize = 8000 })
        let wire = MemoryWire(
            client: ClientEngine.all[1].make(.forTests),
            server: server,
            seed: 2
        )
        wire.pump()
        wire.client.submit(tag: 1)
        wire.pump()
        #expect(wire.waiting.count == 1)
        wire.answerWaiting { _ in .accepted(1) }
        server.update(settings: .with { $0.maxHeaderListSize = 100 })
        wire.pump()
        wire.client.submit(tag: 2)
        wire.pump()
        #expect(wire.waiting.isEmpty)
        server.update(settings: .with { $0.maxHeaderListSize = 100_000 })
        wire.pump()
        wire.client.submit(tag: 3)
        wire.pump()
        #expect(wire.waiting.map { server.request($0).tag } == [3])
        #expect(server.state == .open)
    }

    @Test(arguments: ServerEngine.all)
    func aRaisedLimitHoldsFromItsAnnouncementAndALoweredOneFromItsAcknowledgement(
        _ engine: ServerEngine
    ) {
        let client = RawClient(engine.make(.with { $0.maxConcurrentStreams = 1 }))
        let block = literalBlock(RawClient.request)
        let refused: UInt32 = 7
        #expect(client.frames.first?.streamLimit == 1)
        client.send(.headers(1, block), .headers(3, block))
        #expect(client.exchange() == [.reset(3, refused)])
        client.server.update(settings: .with { $0.maxConcurrentStreams = 3 })
        client.server.update(settings: .with { $0.maxConcurrentStreams = 2 })
        #expect(client.exchange().map(\.streamLimit) == [3, 2])
        // Three may be what the peer knows by now.
        client.send(.headers(5, block), .headers(7, block), .headers(9, block))
        #expect(client.exchange() == [.reset(9, refused)])
        client.send(.settingsAck, .reset(7, 8), .headers(11, block))
        #expect(client.exchange().isEmpty)
        client.send(.settingsAck, .reset(11, 8), .headers(13, block), .data(13, [1]))
        #expect(client.exchange() == [.reset(13, refused)])
        #expect(client.server.refusedStreamCount == 3)
        #expect(client.server.state == .open)
        // The table of fields has stayed in step, and the others are served.
        client.send(.data(1, [], end: true), .data(5, [], end: true))
        #expect(client.server.nextRequest()?.streamID == 1)
        #expect(client.server.nextRequest()?.streamID == 5)
        #expect(client.server.nextRequest() == nil)
    }

    @Test(arguments: ServerEngine.all)
    func streamsBeforeTheFirstAcknowledgementAreBounded(_ engine: ServerEngine) {
        let server = engine.make(.with { $0.maxConcurrentStreams = 2 })
        let client = RawClient(server, hasPreface: false)
        server.receive(RawFrame.preface)
        client.send(.settings())
        let block = literalBlock(RawClient.request)
        for streamID in stride(from: 1, to: 2 * 1030, by: 2) as StrideTo<UInt32> {
            client.send(.headers(streamID, block))
        }
        #expect(server.streamsInFlight == 1024)
        #expect(server.refusedStreamCount == 6)
        #expect(client.exchange().filter(\.isReset).count == 6)
        #expect(server.state == .open)
    }

    @Test(arguments: ServerEngine.all)
    func theWarningOfAGoAwayHasItsDebugData(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()))
        let block = literalBlock(RawClient.request)
        let debug = #"{"reason":"Shutdown"}"#
        client.send(.headers(1, block, end: true))
        client.server.goAway(
            errorCode: .noError,
            lastStreamID: 0x7FFF_FFFF,
            debugData: Array(debug.utf8)
        )
        #expect(client.exchange() == [.goAway(last: 0x7FFF_FFFF, code: 0, debug: debug)])
        #expect(client.server.state == .draining)
        client.send(.headers(3, block, end: true))
        client.server.goAway(errorCode: .noError, lastStreamID: nil, debugData: Array(debug.utf8))
        #expect(client.exchange() == [.goAway(last: 3, code: 0, debug: debug)])
        // No later one names more.
        client.server.goAway(errorCode: .noError, lastStreamID: 0x7FFF_FFFF, debugData: [])
        #expect(client.exchange().allSatisfy { $0.isGoAway && $0.number(at: 0) == 3 })
        client.send(.headers(5, block, end: true))
        #expect(client.server.nextRequest()?.streamID == 1)
        #expect(client.server.nextRequest()?.streamID == 3)
        #expect(client.server.nextRequest() == nil)
    }

    @Test(arguments: Pairing.all)
    func aGoAwayWarnsAndTheNextOneNamesTheLastStream(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server, seed: 3)
        wire.pump()
        wire.client.submit(tag: 0)
        wire.pump()
        // What the client has sent before it knows is taken.
        wire.client.submit(tag: 1)
        server.goAway(errorCode: .noError, lastStreamID: 0x7FFF_FFFF, debugData: [])
        wire.pump()
        #expect(server.state == .draining)
        #expect(wire.waiting.map { server.request($0).tag } == [0, 1])
        server.goAway(errorCode: .noError, lastStreamID: nil, debugData: Array("{}".utf8))
        wire.answerWaiting { .accepted(server.request($0).tag ?? 0) }
        wire.pump()
        let events = wire.takeEvents()
        #expect(events.filter { $0.kind == .responded }.map(\.tag) == [0, 1])
        #expect(events.filter { $0.kind == .goAway }.count == 2)
        #expect(server.streamsInFlight == 0)
    }
}
