import Testing

@testable import HTTP2

/// What a peer can make a server's session keep, on both engines.
@Suite struct ServerMemoryTests {
    private static let bodyCount = 6000

    @Test(arguments: ServerEngine.all)
    func headersOfUnfinishedRequestsCount(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()))
        let token = String(repeating: "t", count: 6000)
        let block = literalBlock(RawClient.request + [("authorization", token)])
        for streamID in stride(from: 1, to: 200, by: 2) as StrideTo<UInt32> {
            client.send(.headers(streamID, block))
        }
        #expect(client.server.unfinishedByteCount >= 100 * token.count)
        for streamID in stride(from: 1, to: 200, by: 2) as StrideTo<UInt32> {
            client.send(streamID % 4 == 1 ? .data(streamID, [], end: true) : .reset(streamID, 8))
        }
        #expect(client.server.unfinishedByteCount == 0)
    }

    @Test(arguments: ServerEngine.all)
    func anUnfinishedRequestCountsForWhatItHas(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()))
        let values = RawClient.request.reduce(0) { $0 + $1.1.utf8.count }
        let block = literalBlock(RawClient.request)
        for streamID in stride(from: 1, to: 200, by: 2) as StrideTo<UInt32> {
            client.send(.headers(streamID, block), .data(streamID, [UInt8](repeating: 1, count: 9)))
        }
        #expect(client.server.unfinishedByteCount == 100 * (values + 9))
    }

    @Test(arguments: ServerEngine.all)
    func aBodyThatNobodyNeedsIsGivenBackBeforeTheAnswer(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(.with { $0.connectionWindowSize = 1 << 24 }))
        let server = client.server
        let body = [UInt8](repeating: 0x20, count: 16_000)
        client.send(.headers(1, literalBlock(RawClient.request)))
        for last in [false, false, true] { client.send(.data(1, body, end: last)) }
        let handle = try #require(server.nextRequest())
        #expect(server.request(handle).body.count == 48_000)
        server.dropBody(of: handle)
        #expect(server.request(handle).body.isEmpty)
        #expect(server.request(handle).fields[.path] == "/3/device/00")
        server.respond(to: handle, with: .accepted(1))
        server.dropBody(of: handle)
        #expect(client.exchange().contains { $0.isHeaders && $0.endsStream })
        #expect(server.streamsInFlight == 0)
        #expect(server.unfinishedByteCount == 0)
    }

    @Test(arguments: ServerEngine.all)
    func refusalsThatNobodyReadsEndTheSession(_ engine: ServerEngine) {
        let client = RawClient(engine.make(.with { $0.maxConcurrentStreams = 1 }))
        let block = literalBlock(RawClient.request)
        client.send(.headers(1, block))
        var streamID: UInt32 = 3
        // Who reads them may go on.
        while streamID < 10_000 {
            client.send(.headers(streamID, block))
            if streamID % 1000 == 1 { client.exchange() }
            streamID += 2
        }
        client.exchange()
        #expect(client.server.state == .open)
        let before = client.server.refusedStreamCount
        while client.server.state == .open, streamID < 20_000 {
            client.send(.headers(streamID, block))
            streamID += 2
        }
        #expect(client.server.state == .failed(.enhanceYourCalm))
        #expect((1001...1002).contains(client.server.refusedStreamCount - before))
        let told = client.exchange().last
        #expect(told?.isGoAway == true)
        #expect(told?.number(at: 4) == HTTP2ErrorCode.enhanceYourCalm.rawValue)
    }

    @Test(arguments: ServerEngine.all)
    func settingsThatAreNeverAcknowledgedEndTheSession(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()))
        var updates = 0
        while client.server.state == .open, updates < 3000 {
            client.server.update(settings: .with { $0.maxConcurrentStreams = UInt32(updates) })
            updates += 1
            if client.server.state == .open { client.exchange() }
        }
        #expect(updates == 1001)
        #expect(client.server.state == .failed(.settingsTimeout))
        let told = client.exchange().last
        #expect(told?.isGoAway == true)
        #expect(told?.number(at: 4) == HTTP2ErrorCode.settingsTimeout.rawValue)
    }

    @Test(arguments: ServerEngine.all)
    func answersThatWaitForAWindowCount(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        // Streams whose windows are closed.
        client.send(.setting(4, 0))
        client.exchange()
        let block = literalBlock(RawClient.request)
        let answer = ServerResponse(status: 200, body: [UInt8](repeating: 0x20, count: 10_000))
        for streamID in [1, 3] as [UInt32] {
            client.send(.headers(streamID, block, end: true))
            client.server.respond(to: try #require(client.server.nextRequest()), with: answer)
        }
        #expect(client.server.unfinishedByteCount == 20_000)
        client.send(.reset(1, 8), .windowUpdate(3, 20_000))
        let sent = client.exchange().filter(\.isData).reduce(0) { $0 + $1.payload.count }
        #expect(sent == 10_000)
        #expect(client.server.unfinishedByteCount == 0)
    }

    @Test func answersThatNobodyTakesEndTheSession() {
        let session = WireServerSession(settings: SessionSettings())
        let client = RawClient(session)
        client.send(.setting(4, 0))
        let block = literalBlock(RawClient.request)
        let answer = ServerResponse(status: 200, body: [UInt8](repeating: 0x20, count: 100_000))
        var streamID: UInt32 = 1
        while session.state == .open, streamID < 1000 {
            client.send(.headers(streamID, block, end: true))
            if let handle = session.nextRequest() { session.respond(to: handle, with: answer) }
            streamID += 2
        }
        #expect(session.state == .failed(.enhanceYourCalm))
        #expect(session.unfinishedByteCount <= WireServerCore.unfinishedLimit + 100_000)
    }

    @Test(arguments: ServerEngine.all)
    func whatStreamsLeaveIsGivenBack(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(.with { $0.connectionWindowSize = 1 << 24 }))
        let server = client.server
        #expect(!server.trim())
        let block = literalBlock(RawClient.request)
        let body = [UInt8](repeating: 0x20, count: Self.bodyCount)
        for round in 0..<3 as Range<UInt32> {
            let ids = (0..<200 as Range<UInt32>).map { (round * 200 + $0) * 2 + 1 }
            for id in ids { client.send(.headers(id, block), .data(id, body)) }
            // While they are in use, nothing is taken from them.
            #expect(!server.trim())
            for id in ids { client.send(.data(id, [], end: true)) }
            var handles: [RequestHandle] = []
            while let handle = server.nextRequest() { handles.append(handle) }
            #expect(handles.count == 200)
            for handle in handles.dropLast() { server.respond(to: handle, with: .accepted(1)) }
            client.exchange()
            // One is still held: its request stays, the others' memory goes.
            #expect(server.trim())
            #expect(!server.trim())
            let last = try #require(handles.last)
            #expect(server.request(last).body == body)
            server.respond(to: last, with: .accepted(2))
            client.exchange()
            #expect(server.streamsInFlight == 0)
            #expect(server.trim())
            #expect(!server.trim())
            // A handle from before names nothing.
            #expect(server.request(last).fields.isEmpty)
        }
        #expect(server.unfinishedByteCount == 0)
        #expect(server.state == .open)
    }
}
