import Testing

@testable import HTTP2

/// Peers that are unusual, and peers that are wrong.
@Suite struct RawPeerTests {
    /// A 200 answer in the ways that RFC 9113 allows.
    static let unusualAnswers: [(name: String, frames: [RawFrame])] = [
        ("padded headers", [RawFrame.headers(1, RawServer.ok, end: true).padded(100)]),
        (
            "padded data",
            [.headers(1, RawServer.ok), RawFrame.data(1, [0x7B, 0x7D], end: true).padded(255)]
        ),
        (
            "padding alone",
            [.headers(1, RawServer.ok), RawFrame.data(1, []).padded(9), .data(1, [], end: true)]
        ),
        ("empty data", [.headers(1, RawServer.ok), .data(1, []), .data(1, [], end: true)]),
        (
            "continuation",
            [
                RawFrame(type: 0x1, flags: RawFrame.endStream, streamID: 1, payload: []),
                .continuation(1, [], end: false),
                .continuation(1, RawServer.ok, end: true),
            ]
        ),
        (
            "priority in headers",
            [
                RawFrame(
                    type: 0x1,
                    flags: 0x20 | RawFrame.endHeaders | RawFrame.endStream,
                    streamID: 1,
                    payload: [0, 0, 0, 0, 16] + RawServer.ok
                )
            ]
        ),
        (
            "unknown frames and flags between",
            [
                RawFrame(type: 0xFB, flags: 0xFF, streamID: 1, payload: [1, 2, 3]),
                .headers(1, RawServer.ok),
                RawFrame(type: 0x2, streamID: 1, payload: [0, 0, 0, 0, 16]),
                RawFrame(type: 0xFA, flags: 0, streamID: 0, payload: []),
                RawFrame(type: 0x0, flags: 0x1 | 0x40, streamID: 1, payload: []),
            ]
        ),
        (
            "table size update to 0 first",
            [.headers(1, [0x20] + RawServer.ok, end: true)]
        ),
        (
            "settings of unknown kind first",
            [.settings([(0x99, 7), (0xF000, .max)]), .headers(1, RawServer.ok, end: true)]
        ),
    ]

    @Test(arguments: ClientEngine.all, ["000", "099", "101", "20", "2000", "abc", "1e2"])
    func aStatusThatNoAnswerHasIsABreach(_ engine: ClientEngine, status: String) {
        let server = RawServer(engine.make())
        server.client.submit(tag: 7)
        server.exchange()
        server.send(.headers(1, literalBlock([(":status", status)]), end: true))
        #expect(server.exchange().contains(.reset(1, 1)))
        let events = server.client.events()
        #expect(events.map(\.kind) == [.reset])
        #expect(events.first?.errorCode == .protocolError)
        #expect(server.client.state == .open)
    }

    @Test(arguments: ClientEngine.all, unusualAnswers.indices)
    func unusualAnswersAreUnderstood(_ engine: ClientEngine, index: Int) {
        let answer = Self.unusualAnswers[index]
        // Whole, and in pieces of 4 bytes: Debian's nghttp2 takes each piece of a CONTINUATION's
        // header for one more CONTINUATION, and 9 are an attack.
        for isCut in [false, true] {
            let server = RawServer(engine.make())
            server.client.submit(tag: 1)
            server.exchange()
            let bytes = answer.frames.flatMap(\.bytes)
            if isCut {
                for start in stride(from: 0, to: bytes.count, by: 4) {
                    server.client.receive(Array(bytes[start...].prefix(4)))
                }
            } else {
                server.client.receive(bytes)
            }
            let events = server.client.events()
            #expect(events.map(\.kind) == [.responded], "\(answer.name)")
            #expect(events.map(\.status) == [200], "\(answer.name)")
            #expect(server.client.state == .open, "\(answer.name)")
        }
    }

    /// What a server must not do, and the codes that fit (RFC 9113).
    static let serverFaults: [(name: String, frames: [RawFrame], codes: [HTTP2ErrorCode])] = [
        ("data for an idle stream", [.data(9, [1])], [.protocolError]),
        ("data on stream 0", [.data(0, [1])], [.protocolError]),
        ("headers on stream 0", [.headers(0, RawServer.ok)], [.protocolError]),
        (
            "a frame above the frame size",
            [RawFrame(type: 0xFB, payload: Array(repeating: 0, count: 16_385))], [.frameSizeError]
        ),
        (
            "a settings frame of 5 bytes",
            [RawFrame(type: 0x4, payload: [0, 3, 0, 0, 0])], [.frameSizeError]
        ),
        ("a window of 2^31", [.settings([(0x4, 0x8000_0000)])], [.flowControlError]),
        ("a frame size of 1", [.settings([(0x5, 1)])], [.protocolError]),
        ("an increment of 0", [.windowUpdate(0, 0)], [.protocolError]),
        (
            "a window above 2^31 - 1", [.windowUpdate(0, 0x7FFF_FFFF)], [.flowControlError]
        ),
        ("a ping of 4 bytes", [RawFrame(type: 0x6, payload: [1, 2, 3, 4])], [.frameSizeError]),
        ("a continuation alone", [.continuation(1, RawServer.ok, end: true)], [.protocolError]),
        (
            "a header block cut by another frame",
            [
                RawFrame(type: 0x1, streamID: 1, payload: RawServer.ok), .ping(1),
            ], [.protocolError]
        ),
        (
            "padding longer than the frame",
            [RawFrame(type: 0x0, flags: RawFrame.padded, streamID: 1, payload: [200, 1])],
            [.protocolError]
        ),
        ("an index outside the table", [.headers(1, [0xFF, 0x80, 0x01])], [.compressionError]),
        ("a pushed stream", [.headers(2, RawServer.ok)], [.protocolError]),
        ("a reset of an idle stream", [.reset(9, 0)], [.protocolError]),
    ]

    @Test(arguments: ClientEngine.all, serverFaults.indices)
    func faultsOfAServerEndTheConnection(_ engine: ClientEngine, index: Int) {
        let fault = Self.serverFaults[index]
        let server = RawServer(engine.make())
        server.client.submit(tag: 1)
        server.exchange()
        for frame in fault.frames { server.send(frame) }
        guard case .failed(let code) = server.client.state else {
            Issue.record("\(fault.name): \(server.client.state)")
            return
        }
        #expect(fault.codes.contains(code), "\(fault.name): \(code)")
        let goAway = server.exchange().first { $0.isGoAway }
        #expect(goAway?.number(at: 4) == code.rawValue, "\(fault.name)")
        #expect(!server.client.submit(tag: 2))
        #expect(server.client.availableStreams == 0)
        server.client.connectionLost()
        let own = server.client.events().filter { $0.kind != .goAway }
        #expect(own.map(\.tag) == [1], "\(fault.name)")
    }

    /// What a client must not do.
    static let clientFaults: [(name: String, frames: [RawFrame], codes: [HTTP2ErrorCode])] = [
        ("data for an idle stream", [.data(1, [1])], [.protocolError]),
        ("an even stream id", [.headers(2, literalBlock(RawClient.request))], [.protocolError]),
        (
            "a frame above the frame size",
            [RawFrame(type: 0xFB, payload: Array(repeating: 0, count: 16_385))], [.frameSizeError]
        ),
        ("an increment of 0", [.windowUpdate(0, 0)], [.protocolError]),
        ("a window above 2^31 - 1", [.windowUpdate(0, 0x7FFF_FFFF)], [.flowControlError]),
        ("an index outside the table", [.headers(1, [0xFF, 0x80, 0x01])], [.compressionError]),
        ("a continuation alone", [.continuation(1, [], end: true)], [.protocolError]),
        ("a settings frame on a stream", [RawFrame(type: 0x4, streamID: 1)], [.protocolError]),
    ]

    @Test(arguments: ServerEngine.all, clientFaults.indices)
    func faultsOfAClientEndTheConnection(_ engine: ServerEngine, index: Int) {
        let fault = Self.clientFaults[index]
        let client = RawClient(engine.make(SessionSettings()))
        for frame in fault.frames { client.send(frame) }
        guard case .failed(let code) = client.server.state else {
            Issue.record("\(fault.name): \(client.server.state)")
            return
        }
        #expect(fault.codes.contains(code), "\(fault.name): \(code)")
        let goAway = client.exchange().first { $0.isGoAway }
        #expect(goAway?.number(at: 4) == code.rawValue, "\(fault.name)")
    }

    @Test(arguments: ServerEngine.all)
    func whatIsNotHTTP2IsRefused(_ engine: ServerEngine) {
        let client = RawClient(engine.make(SessionSettings()), hasPreface: false)
        client.server.receive(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(client.server.state == .failed(.protocolError))
        #expect(client.server.nextRequest() == nil)
    }

    @Test(arguments: ClientEngine.all)
    func anAnswerOfAnotherProtocolIsRefused(_ engine: ClientEngine) {
        let server = RawServer(engine.make(), settings: nil)
        #expect(!server.client.submit(tag: 1))
        server.client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        guard case .failed = server.client.state else {
            Issue.record("\(server.client.state)")
            return
        }
        #expect(!server.client.hasPeerSettings)
        server.client.connectionLost()
        #expect(server.client.events().isEmpty)
    }

    @Test(arguments: ClientEngine.all)
    func pingsAreAnsweredAndUnaskedPongsDoNoHarm(_ engine: ClientEngine) {
        let server = RawServer(engine.make())
        server.send(.ping(7, isAck: true))
        #expect(server.client.state == .open)
        server.send(.ping(8))
        #expect(server.exchange() == [.ping(8, isAck: true)])
    }
}
