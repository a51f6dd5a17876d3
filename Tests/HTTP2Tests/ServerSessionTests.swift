import Testing

@testable import HTTP2

/// A client of bare frames against a server session.
final class RawClient {
    let server: any ServerSession
    private var reader = FrameReader(hasPreface: false)
    private(set) var frames: [RawFrame] = []

    static let request = [
        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00"),
        (":authority", "localhost"),
    ]

    init(_ server: any ServerSession, hasPreface: Bool = true) {
        self.server = server
        if hasPreface {
            server.receive(RawFrame.preface)
            send(.settings(), .settingsAck)
        }
        exchange()
    }

    func send(_ frames: RawFrame...) { server.receive(frames.flatMap(\.bytes)) }

    /// Takes what the server has to say.
    @discardableResult
    func exchange() -> [RawFrame] {
        let new = reader.frames(in: server.drainAll())
        frames += new
        return new
    }
}

@Suite struct ServerSessionTests {
    @Test(arguments: ServerEngine.all)
    func knownFieldsAreFoundAndOthersIgnored(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        let known = RequestField.allCases.map { field in
            let value =
                switch field {
                case .method: "POST"
                case .scheme: "https"
                case .contentLength: "2"
                default: "value.of.\(field)"
                }
            return (field.wireName.description, field == .path ? "/3/device/00" : value)
        }
        // Same lengths as known names, and longer.
        let unknown = [("apns-ex", "x"), ("x-request-identity", "y"), ("apns-collapse-ix", "z")]
        client.send(.headers(1, literalBlock(known + unknown)), .data(1, [1, 2], end: true))
        let handle = try #require(client.server.nextRequest())
        let request = client.server.request(handle)
        #expect(request.fields.count == RequestField.allCases.count)
        for (name, value) in known {
            let field = RequestField.allCases.first { $0.wireName.description == name }
            #expect(field.flatMap { request.fields[$0] } == value)
        }
        #expect(request.duplicatedField == nil)
        #expect(request.body == [1, 2])
    }

    @Test(arguments: ServerEngine.all, RequestField.allCases.filter { $0.rawValue > 3 })
    func aFieldThatComesTwiceIsMarked(_ engine: ServerEngine, field: RequestField) throws {
        if field == .contentLength { return }
        let client = RawClient(engine.make(SessionSettings()))
        let name = field.wireName.description
        let block = literalBlock(
            RawClient.request + [(name, "first"), ("x", "1"), (name, "second")]
        )
        client.send(.headers(1, block, end: true))
        let request = client.server.request(try #require(client.server.nextRequest()))
        #expect(request.duplicatedField == field)
        #expect(request.fields[field] == "first")
    }

    @Test(arguments: ServerEngine.all)
    func emptyFieldsAndBodiesArePresent(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        let block = literalBlock(RawClient.request + [("apns-topic", "")])
        client.send(.headers(1, block), .data(1, [], end: true))
        let request = client.server.request(try #require(client.server.nextRequest()))
        #expect(request.fields[.apnsTopic] == "")
        #expect(request.fields[.apnsID] == nil)
        #expect(request.body.isEmpty)
        #expect(request.bodyByteCount == 0)
    }

    @Test(arguments: ServerEngine.all)
    func requestsComeInOrderOfTheirEnd(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()))
        let block = literalBlock(RawClient.request)
        client.send(.headers(1, block), .headers(3, block), .headers(5, block))
        #expect(client.server.streamsInFlight == 3)
        #expect(client.server.nextRequest() == nil)
        client.send(.data(5, [5], end: true), .data(1, [1]), .data(3, [3], end: true))
        client.send(.data(1, [1], end: true))
        #expect(client.server.requests().map(\.streamID) == [5, 3, 1])
    }

    @Test(arguments: ServerEngine.all)
    func aLongBodyIsCountedToItsEnd(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(.with { $0.initialWindowSize = 1 << 20 }))
        client.send(.headers(1, literalBlock(RawClient.request)))
        let piece = body(for: 3, count: 16_384)
        for index in 0..<12 { client.send(.data(1, piece, end: index == 11)) }
        let handle = try #require(client.server.nextRequest())
        let request = client.server.request(handle)
        #expect(request.bodyByteCount == 12 * 16_384)
        #expect(request.body.count >= 5120)
        #expect(request.body.count <= request.bodyByteCount)
        #expect(request.body.prefix(16_384) == piece[...])
        client.server.respond(to: handle, with: .rejected(413, "PayloadTooLarge"))
        #expect(client.exchange().contains { $0.isData && $0.endsStream })
    }

    @Test(arguments: ServerEngine.all)
    func anAcceptedPushIsAnsweredByHeadersAlone(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        client.send(.headers(1, literalBlock(RawClient.request), end: true))
        client.server.respond(to: try #require(client.server.nextRequest()), with: .accepted(1))
        let frames = client.exchange()
        #expect(frames.count == 1)
        #expect(frames.first?.isHeaders == true)
        #expect(frames.first?.endsStream == true)
        // :status 200 is index 8 of the static table.
        #expect(frames.first?.payload.first == 0x88)
        #expect(client.server.streamsInFlight == 0)
    }

    @Test(arguments: ServerEngine.all)
    func staleHandlesAreIgnored(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        let server = client.server
        client.send(.headers(1, literalBlock(RawClient.request), end: true))
        let old = try #require(server.nextRequest())
        server.respond(to: old, with: .accepted(1))
        #expect(client.exchange().count == 1)
        server.respond(to: old, with: .accepted(2))
        server.reset(old, errorCode: .cancel)
        #expect(client.exchange().isEmpty)

        // The next stream may have the same slot.
        client.send(.headers(3, literalBlock(RawClient.request), end: true))
        let new = try #require(server.nextRequest())
        server.respond(to: old, with: .accepted(3))
        #expect(client.exchange().isEmpty)
        #expect(server.request(old).fields.isEmpty)
        #expect(server.request(new).fields[.method] == "POST")
        server.respond(to: new, with: .accepted(4))
        #expect(client.exchange().map(\.streamID) == [3])

        let strange = RequestHandle(slot: 99_999, streamID: 3)
        server.respond(to: strange, with: .accepted(5))
        #expect(server.request(strange).fields.isEmpty)
        #expect(client.exchange().isEmpty)
    }

    @Test(arguments: ServerEngine.all)
    func aResetByThePeerIsTolerated(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        let server = client.server
        let block = literalBlock(RawClient.request)
        client.send(
            .headers(1, block, end: true),
            .headers(3, block),
            .headers(5, block, end: true)
        )
        let first = try #require(server.nextRequest())
        // Handed out, incomplete, and complete but not handed out.
        client.send(.reset(1, 8), .reset(3, 8), .reset(5, 8))
        #expect(server.streamsInFlight == 0)
        #expect(server.nextRequest() == nil)
        // Its storage is still there.
        #expect(server.request(first).fields[.path] == "/3/device/00")
        server.respond(to: first, with: .accepted(1))
        #expect(client.exchange().isEmpty)
        #expect(server.state == .open)
        client.send(.headers(7, block, end: true))
        server.respond(to: try #require(server.nextRequest()), with: .accepted(7))
        #expect(client.exchange().map(\.streamID) == [7])
    }

    @Test(arguments: ServerEngine.all)
    func aRequestCanBeReset(_ engine: ServerEngine) throws {
        let client = RawClient(engine.make(SessionSettings()))
        client.send(.headers(1, literalBlock(RawClient.request), end: true))
        client.server.reset(try #require(client.server.nextRequest()), errorCode: .enhanceYourCalm)
        #expect(client.exchange() == [.reset(1, 0xB)])
        #expect(client.server.streamsInFlight == 0)
    }

    @Test(arguments: ServerEngine.all)
    func goAwayCarriesDebugDataAndTheGivenStream(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()))
        let block = literalBlock(RawClient.request)
        client.send(.headers(1, block, end: true), .headers(3, block, end: true))
        let debug = "{\"reason\":\"ExpiredProviderToken\"}"
        client.server.goAway(
            errorCode: .noError,
            lastStreamID: nil,
            debugData: Array(debug.utf8)
        )
        #expect(client.exchange() == [.goAway(last: 3, code: 0, debug: debug)])
        client.server.goAway(errorCode: .enhanceYourCalm, lastStreamID: 1, debugData: [])
        #expect(client.exchange() == [.goAway(last: 1, code: 0xB)])
        #expect(client.server.state == .draining)
    }

    @Test(arguments: ServerEngine.all)
    func headerListsAboveTheLimitAreNotServed(_ engine: ServerEngine) {
        let client = RawClient(engine.make(.with { $0.maxHeaderListSize = 1000 }))
        let large = [("x-large", String(repeating: "v", count: 900))]
        client.send(.headers(1, literalBlock(RawClient.request + large), end: true))
        #expect(client.server.nextRequest() == nil)
        let frames = client.exchange()
        #expect(frames.contains { ($0.isReset || $0.isHeaders) && $0.streamID == 1 || $0.isGoAway })
    }

    @Test(arguments: ServerEngine.all)
    func malformedRequestsAreNotServed(_ engine: ServerEngine) {
        let base = RawClient.request
        let cases: [[(String, String)]] = [
            Array(base.dropFirst()),  // no :method
            base + [(":method", "POST")],
            [("apns-topic", "a")] + base,  // a pseudo field behind another
            base + [("Apns-Topic", "a")],
            base + [("connection", "close")],
            base + [(":unknown", "a")],
            base + [("content-length", "5")],  // and no body
        ]
        for fields in cases {
            let client = RawClient(engine.make(SessionSettings()))
            client.send(.headers(1, literalBlock(fields), end: true))
            #expect(client.server.nextRequest() == nil)
            #expect(client.exchange().contains { $0.isReset || $0.isGoAway }, "\(fields)")
            #expect(client.server.streamsInFlight == 0 || client.server.state != .open)
        }
    }
}
