import Testing

@testable import HTTP2

/// What a client does with the windows that a peer gives it.
@Suite struct FlowControlTests {
    private static let initialWindow: UInt16 = 0x4

    @Test(arguments: ClientEngine.all)
    func bodiesNeverPassTheWindows(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: [(Self.initialWindow, 1024)])
        for tag in 0..<3 as Range<UInt32> { server.client.submit(tag: tag, bodyCount: 4096) }
        server.exchange()
        var allowed: [UInt32: Int] = [1: 1024, 3: 1024, 5: 1024]
        while server.endedStreams.count < 3 {
            for (streamID, window) in allowed {
                #expect(server.dataCount(streamID) <= window)
                // Whatever was sent is given back, and a bit of slack.
                let increment = max(server.dataCount(streamID) + 1024 - window, 0)
                if increment > 0, window < 4096 {
                    server.send(.windowUpdate(streamID, UInt32(increment)))
                    allowed[streamID] = window + increment
                }
            }
            if server.exchange().isEmpty { break }
        }
        #expect(server.endedStreams.sorted() == [1, 3, 5])
        #expect(server.dataCount() == 3 * 4096)
    }

    @Test(arguments: ClientEngine.all)
    func aShrunkenInitialWindowMakesWindowsNegative(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: [(Self.initialWindow, 1000)])
        server.client.submit(tag: 1, bodyCount: 4096)
        server.exchange()
        let sent = server.dataCount(1)
        #expect(sent <= 1000)
        #expect(sent > 0)
        // The window is now 100 - sent; up to 0 nothing may leave.
        server.send(.setting(Self.initialWindow, 100))
        server.exchange()
        #expect(server.dataCount(1) == sent)
        server.send(.windowUpdate(1, UInt32(max(sent - 100, 1))))
        server.exchange()
        #expect(server.dataCount(1) == sent)
        // A larger initial window opens it again, by the difference.
        server.send(.setting(Self.initialWindow, 2100))
        server.exchange()
        #expect(server.dataCount(1) > sent)
        #expect(server.dataCount(1) <= sent + 2000)
        server.send(.windowUpdate(1, 4096))
        server.exchange()
        #expect(server.endedStreams == [1])
        #expect(server.dataCount(1) == 4096)
        #expect(server.client.state == .open)
    }

    @Test(arguments: ClientEngine.all)
    func theConnectionsWindowBoundsAllStreams(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        for tag in 0..<40 as Range<UInt32> { server.client.submit(tag: tag, bodyCount: 4096) }
        server.exchange()
        #expect(server.dataCount() <= 65_535)
        #expect(server.dataCount() >= 65_535 - 4096)
        #expect(server.openedStreams.count == 40)
        server.send(.windowUpdate(0, 200_000))
        server.exchange()
        #expect(server.endedStreams.count == 40)
        #expect(server.dataCount() == 40 * 4096)
    }

    @Test(arguments: ClientEngine.all, [4095, 4096, 4097, 65_534, 65_535, 65_536])
    func noCrumbsAreSentAtTheEdgeOfAWindow(_ engine: ClientEngine, bodyCount: Int) {
        let server = RawServer(engine.make())
        var tag: UInt32 = 0
        let total: UInt32 = 60
        var granted = 65_535
        var turns = 0
        while server.endedStreams.count < Int(total), turns < 5000 {
            turns += 1
            while tag < total, server.client.submit(tag: tag, bodyCount: bodyCount) { tag += 1 }
            server.exchange()
            #expect(server.dataCount() <= granted)
            // The peer answers what it has, and gives the window back in odd steps.
            for streamID in server.endedStreams.suffix(3) {
                server.send(.windowUpdate(streamID, 1))
            }
            let increment = min(4099, 65_535 + server.dataCount() - granted)
            if increment > 0 {
                server.send(.windowUpdate(0, UInt32(increment)))
                granted += increment
            }
            for streamID in server.openedStreams where bodyCount > 60_000 {
                server.send(.windowUpdate(streamID, 1 << 16))
            }
        }
        let crumbs = server.frames.filter { $0.isData && $0.payload.count < 16 }
        #expect(crumbs.isEmpty)
        #expect(server.dataCount() == Int(total) * bodyCount)
    }

    @Test(arguments: ClientEngine.all)
    func aWindowThatOpensByteByByteDoesNotStall(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: [(Self.initialWindow, 0)])
        server.client.submit(tag: 0, bodyCount: 40)
        server.client.submit(tag: 1, bodyCount: 40)
        server.exchange()
        #expect(server.dataCount() == 0)
        for _ in 0..<40 {
            for streamID in [1, 3] as [UInt32] { server.send(.windowUpdate(streamID, 1)) }
            server.exchange()
        }
        #expect(server.endedStreams.sorted() == [1, 3])
    }

    @Test(arguments: ClientEngine.all)
    func aHeldBodyGoesOnWhenNoAnswerIsAwaited(_ engine: ClientEngine) {
        // 16 bodies of 4,095 bytes leave 15 bytes of the connection's window.
        let server = RawServer(engine.make())
        for tag in 0..<17 as Range<UInt32> { server.client.submit(tag: tag, bodyCount: 4095) }
        server.exchange()
        let ended = server.endedStreams
        #expect(ended.count >= 15)
        for streamID in ended { server.send(.headers(streamID, RawServer.ok, end: true)) }
        server.exchange()
        #expect(server.client.events().count == ended.count)
        server.send(.windowUpdate(0, 65_535))
        server.exchange()
        #expect(server.endedStreams.count == 17)
    }

    @Test(arguments: Pairing.all)
    func theClientsWindowsStayOpenForAnswers(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let client = pair.client.make(
            settings: .with {
                $0.initialWindowSize = 1000
                $0.connectionWindowSize = 70_000
            }
        )
        let wire = MemoryWire(client: client, server: server)
        wire.pump()
        for round in 0..<20 as Range<UInt32> {
            for tag in 0..<20 as Range<UInt32> { client.submit(tag: round * 20 + tag) }
            wire.pump { _ in ServerResponse(status: 500, body: body(for: 1, count: 3000)) }
        }
        let events = wire.takeEvents()
        #expect(events.count == 400)
        #expect(events.allSatisfy { $0.status == 500 })
        // The connection's window is wider from the start.
        #expect(wire.clientFrames.prefix(3).contains(.windowUpdate(0, 70_000 - 65_535)))
    }
}
