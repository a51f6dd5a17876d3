import Testing

@testable import HTTP2

/// The rules of RFC 9113 and RFC 7541 that a client can break, and what the server answers.
@Suite struct WireServerConformanceTests {
    enum Outcome: Equatable {
        /// GOAWAY with the code, and the session failed.
        case connection(UInt32)
        /// RST_STREAM with the code on the stream.
        case stream(UInt32, UInt32)
        /// Nothing but acknowledgements; the session goes on.
        case fine
    }

    struct Rule: CustomTestStringConvertible {
        var name: String
        var frames: [TestFrame]
        var outcome: Outcome
        var testDescription: String { name }

        init(_ name: String, _ frames: [TestFrame], _ outcome: Outcome) {
            self.name = name
            self.frames = frames
            self.outcome = outcome
        }
    }

    static let protocolError: UInt32 = 1
    static let flowControlError: UInt32 = 3
    static let streamClosed: UInt32 = 5
    static let frameSizeError: UInt32 = 6
    static let compressionError: UInt32 = 9
    static let open = TestFrame.headers(1, pushBlock)
    static let whole = TestFrame.headers(1, pushBlock, end: true)
    static let cancel = TestFrame.reset(1, 8)

    /// A request with `fields` beside or instead of the usual ones.
    static func request(_ fields: [(String, String)], end: Bool = true) -> TestFrame {
        .headers(1, plainBlock(fields), end: end)
    }

    static func with(_ name: String, _ value: String) -> TestFrame {
        request(pushFields + [(name, value)])
    }

    static let framing: [Rule] = [
        Rule("4.1 unknown frame type", [TestFrame(0x16, flags: 0xFF, 0, [1, 2, 3])], .fine),
        Rule("4.1 unknown flags", [TestFrame(6, flags: 0x16, 0, [UInt8](0..<8))], .fine),
        Rule("4.1 reserved bit", [TestFrame(6, 0x8000_0000, [UInt8](0..<8))], .fine),
        Rule(
            "4.2 DATA of the largest size",
            [open, .data(1, [UInt8](repeating: 0, count: 16_384), end: true)],
            .fine
        ),
        Rule(
            "4.2 DATA too large",
            [open, .data(1, [UInt8](repeating: 0, count: 16_385))],
            .connection(frameSizeError)
        ),
        Rule(
            "4.2 HEADERS too large",
            [.headers(1, [UInt8](repeating: 0, count: 16_385))],
            .connection(frameSizeError)
        ),
        Rule(
            "4.3 broken block",
            [.headers(1, hex("80"), end: true)],
            .connection(compressionError)
        ),
        Rule(
            "4.3 PRIORITY inside a block",
            [
                .headers(1, pushBlock, endHeaders: false),
                TestFrame(2, 1, bigEndian(0) + [1]),
            ],
            .connection(protocolError)
        ),
        Rule(
            "4.3 other stream inside a block",
            [.headers(1, pushBlock, endHeaders: false), .headers(3, pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "5.5 unknown frame inside a block",
            [.headers(1, pushBlock, endHeaders: false), TestFrame(0x16, 0)],
            .connection(protocolError)
        ),
        Rule(
            "6.1 DATA on stream 0",
            [.data(0, [1])],
            .connection(protocolError)
        ),
        Rule(
            "6.1 padding longer than DATA",
            [open, TestFrame(0, flags: 9, 1, [6, 1, 2, 3])],
            .connection(protocolError)
        ),
        Rule(
            "6.1 padding as long as DATA",
            [open, TestFrame(0, flags: 9, 1, [3, 1, 2])],
            .connection(protocolError)
        ),
        Rule(
            "6.1 DATA of padding alone",
            [open, TestFrame(0, flags: 9, 1, [2, 0, 0])],
            .fine
        ),
        Rule(
            "6.1 padded DATA without length",
            [open, TestFrame(0, flags: 9, 1)],
            .connection(frameSizeError)
        ),
        Rule("6.2 HEADERS on stream 0", [.headers(0, pushBlock)], .connection(protocolError)),
        Rule(
            "6.2 padding longer than HEADERS",
            [TestFrame(1, flags: 0xD, 1, [200] + pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "6.2 HEADERS with padding and priority",
            [
                TestFrame(
                    1,
                    flags: 0x2D,
                    1,
                    [2] + bigEndian(0x8000_0000) + [7] + pushBlock + [0, 0]
                )
            ],
            .fine
        ),
        Rule(
            "6.2 HEADERS too short for priority",
            [TestFrame(1, flags: 0x25, 1, [0, 0])],
            .connection(frameSizeError)
        ),
        Rule(
            "6.3 PRIORITY on stream 0",
            [TestFrame(2, 0, bigEndian(1) + [1])],
            .connection(protocolError)
        ),
        Rule(
            "6.3 PRIORITY of 4 bytes",
            [open, TestFrame(2, 1, bigEndian(0))],
            .stream(1, frameSizeError)
        ),
        Rule("6.3 PRIORITY on an idle stream", [TestFrame(2, 5, bigEndian(1) + [1])], .fine),
        Rule("6.4 RST_STREAM on stream 0", [.reset(0, 8)], .connection(protocolError)),
        Rule(
            "6.4 RST_STREAM of 3 bytes",
            [open, TestFrame(3, 1, [0, 0, 0])],
            .connection(frameSizeError)
        ),
        Rule(
            "6.6 PUSH_PROMISE",
            [open, TestFrame(5, flags: 4, 1, bigEndian(2) + pushBlock)],
            .connection(protocolError)
        ),
        Rule("6.7 PING on a stream", [TestFrame(6, 1, [UInt8](0..<8))], .connection(protocolError)),
        Rule("6.7 PING of 6 bytes", [TestFrame(6, 0, [UInt8](0..<6))], .connection(frameSizeError)),
        Rule(
            "6.8 GOAWAY on a stream",
            [TestFrame(7, 1, bigEndian(0) + bigEndian(0))],
            .connection(protocolError)
        ),
        Rule("6.8 GOAWAY of 4 bytes", [TestFrame(7, 0, bigEndian(0))], .connection(frameSizeError)),
        Rule(
            "6.10 CONTINUATION without HEADERS",
            [open, TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "6.10 CONTINUATION on stream 0",
            [.headers(1, pushBlock, endHeaders: false), TestFrame(9, flags: 4, 0, [])],
            .connection(protocolError)
        ),
        Rule(
            "6.10 CONTINUATION behind DATA",
            [open, .data(1, [1], end: true), TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "6.10 several CONTINUATIONs",
            [
                .headers(1, Array(pushBlock.prefix(3)), end: true, endHeaders: false),
                TestFrame(9, 1, Array(pushBlock[3..<10])), TestFrame(9, 1),
                TestFrame(9, flags: 4, 1, Array(pushBlock[10...])),
            ],
            .fine
        ),
    ]

    static let settings: [Rule] = [
        Rule("6.5 SETTINGS on a stream", [TestFrame(4, 1)], .connection(protocolError)),
        Rule("6.5 SETTINGS of 3 bytes", [TestFrame(4, 0, [0, 3, 0])], .connection(frameSizeError)),
        Rule(
            "6.5 ACK with a payload",
            [TestFrame(4, flags: 1, 0, [0, 0, 0, 0, 0, 0])],
            .connection(frameSizeError)
        ),
        Rule("6.5.2 ENABLE_PUSH of 2", [.settings([(2, 2)])], .connection(protocolError)),
        Rule("6.5.2 ENABLE_PUSH of 1", [.settings([(2, 1)])], .fine),
        Rule(
            "6.5.2 INITIAL_WINDOW_SIZE of 2^31",
            [.settings([(4, 0x8000_0000)])],
            .connection(flowControlError)
        ),
        Rule("6.5.2 INITIAL_WINDOW_SIZE of 2^31-1", [.settings([(4, 0x7FFF_FFFF)])], .fine),
        Rule(
            "6.5.2 MAX_FRAME_SIZE of 16383",
            [.settings([(5, 16_383)])],
            .connection(protocolError)
        ),
        Rule(
            "6.5.2 MAX_FRAME_SIZE of 2^24",
            [.settings([(5, 1 << 24)])],
            .connection(protocolError)
        ),
        Rule("6.5.2 unknown setting", [.settings([(0xAA, 7)])], .fine),
        Rule("6.5.3 several values of one setting", [.settings([(4, 100), (4, 1)])], .fine),
        Rule(
            "6.9 WINDOW_UPDATE of 0 on the connection",
            [.windowUpdate(0, 0)],
            .connection(protocolError)
        ),
        Rule(
            "6.9 WINDOW_UPDATE of 0 on a stream",
            [open, .windowUpdate(1, 0)],
            .stream(1, protocolError)
        ),
        Rule(
            "6.9 WINDOW_UPDATE of 3 bytes",
            [open, TestFrame(8, 1, [0, 0, 1])],
            .connection(frameSizeError)
        ),
        Rule(
            "6.9.1 connection window over 2^31-1",
            [.windowUpdate(0, 0x7FFF_FFFF)],
            .connection(flowControlError)
        ),
        Rule(
            "6.9.1 stream window over 2^31-1",
            [open, .windowUpdate(1, 0x7FFF_FFFF)],
            .stream(1, flowControlError)
        ),
        Rule(
            "6.9.2 SETTINGS push a window over 2^31-1",
            [open, .windowUpdate(1, 0x7FFF_0000), .settings([(4, 0x7FFF_FFFF)])],
            .connection(flowControlError)
        ),
    ]

    static let states: [Rule] = [
        Rule("5.1 idle DATA", [.data(1, [1], end: true)], .connection(protocolError)),
        Rule("5.1 idle RST_STREAM", [cancel], .connection(protocolError)),
        Rule("5.1 idle WINDOW_UPDATE", [.windowUpdate(1, 100)], .connection(protocolError)),
        Rule(
            "5.1 idle CONTINUATION",
            [TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule("5.1 half-closed DATA", [whole, .data(1, [1])], .stream(1, streamClosed)),
        Rule("5.1 half-closed HEADERS", [whole, whole], .stream(1, streamClosed)),
        Rule(
            "5.1 half-closed CONTINUATION",
            [whole, TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule("5.1 half-closed WINDOW_UPDATE", [whole, .windowUpdate(1, 1)], .fine),
        Rule("5.1 half-closed PRIORITY", [whole, TestFrame(2, 1, bigEndian(0) + [1])], .fine),
        Rule("5.1 half-closed RST_STREAM", [whole, cancel], .fine),
        Rule(
            "5.1 DATA behind RST_STREAM",
            [open, cancel, .data(1, [1])],
            .stream(1, streamClosed)
        ),
        Rule("5.1 HEADERS behind RST_STREAM", [open, cancel, whole], .stream(1, streamClosed)),
        Rule(
            "5.1 CONTINUATION behind RST_STREAM",
            [open, cancel, TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule("5.1 WINDOW_UPDATE behind RST_STREAM", [open, cancel, .windowUpdate(1, 1)], .fine),
        Rule(
            "5.1 PRIORITY behind RST_STREAM",
            [open, cancel, TestFrame(2, 1, bigEndian(0) + [1])],
            .fine
        ),
        Rule("5.1.1 even id", [.headers(2, pushBlock, end: true)], .connection(protocolError)),
        Rule(
            "5.1.1 smaller id",
            [.headers(5, pushBlock, end: true), .headers(3, pushBlock, end: true)],
            .connection(protocolError)
        ),
        Rule(
            "5.3.1 HEADERS depend on their own stream",
            [TestFrame(1, flags: 0x25, 1, bigEndian(1) + [1] + pushBlock)],
            .stream(1, protocolError)
        ),
        Rule(
            "5.3.1 PRIORITY depends on its own stream",
            [open, TestFrame(2, 1, bigEndian(1) + [1])],
            .stream(1, protocolError)
        ),
        Rule("8.1 HEADERS twice without end", [open, open], .stream(1, protocolError)),
        Rule(
            "8.1 trailers",
            [open, .data(1, [1]), .headers(1, plainBlock([("x", "y")]), end: true)],
            .fine
        ),
        Rule(
            "8.1 trailers without end",
            [open, .data(1, [1]), .headers(1, plainBlock([("x", "y")]))],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1 pseudo-field in trailers",
            [open, .data(1, [1]), .headers(1, plainBlock([(":path", "/")]), end: true)],
            .stream(1, protocolError)
        ),
    ]

    static let fields: [Rule] = [
        Rule("8.2.1 uppercase name", [with("X-Test", "ok")], .stream(1, protocolError)),
        Rule("8.2.1 space in a name", [with("x test", "ok")], .stream(1, protocolError)),
        Rule("8.2.1 colon in a name", [with("x:test", "ok")], .stream(1, protocolError)),
        Rule("8.2.1 empty name", [with("", "ok")], .stream(1, protocolError)),
        Rule(
            "8.2.1 control character in a name",
            [with("x\u{1}", "ok")],
            .stream(1, protocolError)
        ),
        Rule(
            "8.2.1 byte above 0x7e in a name",
            [with("x\u{e9}", "ok")],
            .stream(1, protocolError)
        ),
        Rule("8.2.1 NUL in a value", [with("x", "a\0b")], .stream(1, protocolError)),
        Rule(
            "8.2.1 LF in a long value",
            [with("x", "0123456789\nabcdefg")],
            .stream(1, protocolError)
        ),
        Rule("8.2.1 CR in a value", [with("x", "a\r")], .stream(1, protocolError)),
        Rule("8.2.1 space before a value", [with("x", " a")], .stream(1, protocolError)),
        Rule("8.2.1 tab behind a value", [with("x", "a\t")], .stream(1, protocolError)),
        Rule("8.2.1 tab inside a value", [with("x", "a\tb")], .fine),
        Rule("8.2.1 bytes above 0x7f in a value", [with("x", "\u{e9}")], .fine),
        Rule("8.2.2 connection", [with("connection", "keep-alive")], .stream(1, protocolError)),
        Rule(
            "8.2.2 proxy-connection",
            [with("proxy-connection", "x")],
            .stream(1, protocolError)
        ),
        Rule("8.2.2 keep-alive", [with("keep-alive", "x")], .stream(1, protocolError)),
        Rule(
            "8.2.2 transfer-encoding",
            [with("transfer-encoding", "chunked")],
            .stream(1, protocolError)
        ),
        Rule("8.2.2 upgrade", [with("upgrade", "h2c")], .stream(1, protocolError)),
        Rule(
            "8.2.2 TE of another value",
            [with("te", "trailers, deflate")],
            .stream(1, protocolError)
        ),
        Rule("8.2.2 TE trailers", [with("te", "trailers")], .fine),
        Rule(
            "8.3 unknown pseudo-field",
            [request([(":test", "ok")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 pseudo-field of a response",
            [request([(":status", "200")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 pseudo-field behind a regular one",
            [request([("x", "y")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 empty path",
            [request([(":method", "POST"), (":scheme", "https"), (":path", "")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 no method",
            [request([(":scheme", "https"), (":path", "/")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 no scheme",
            [request([(":method", "GET"), (":path", "/")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 no path",
            [request([(":method", "GET"), (":scheme", "http")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 method twice",
            [request([(":method", "GET")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 scheme twice",
            [request([(":scheme", "http")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 path twice",
            [request([(":path", "/")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 authority twice",
            [request([(":authority", "a")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.5 CONNECT with a path",
            [request([(":method", "CONNECT"), (":authority", "a:1"), (":path", "/")])],
            .stream(1, protocolError)
        ),
        Rule("8.5 CONNECT", [request([(":method", "CONNECT"), (":authority", "a:1")])], .fine),
        Rule(
            "8.1.1 content-length and no body",
            [with("content-length", "1")],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 content-length not a number",
            [with("content-length", "one")],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 two content-lengths",
            [request(pushFields + [("content-length", "0"), ("content-length", "1")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 body shorter than content-length",
            [
                request(pushFields + [("content-length", "3")], end: false),
                .data(1, [1], end: true),
            ],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 body longer than content-length",
            [request(pushFields + [("content-length", "1")], end: false), .data(1, [1, 2])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 several DATA frames of the right sum",
            [
                request(pushFields + [("content-length", "3")], end: false), .data(1, [1]),
                .data(1, [2, 3], end: true),
            ],
            .fine
        ),
    ]

    static func server() -> WireServerSession {
        let session = WireServerSession(settings: SessionSettings())
        session.feed(clientPreface)
        session.feed(.settings(), .settingsAck)
        _ = session.drainAll()
        return session
    }

    @Test(arguments: framing + settings + states + fields)
    func answersABreachWithTheRightCode(_ rule: Rule) {
        // Once with all bytes in one piece, once byte by byte.
        for isSplit in [false, true] {
            let session = Self.server()
            let bytes = rule.frames.flatMap(\.bytes)
            if isSplit {
                for byte in bytes { session.feed([byte]) }
            } else {
                session.feed(bytes)
            }
            let written = frames(session.drainAll())
            let goAways = written.filter { $0.kind == 7 }
            let resets = written.filter { $0.kind == 3 }
            switch rule.outcome {
            case .connection(let code):
                #expect(goAways.map(\.errorCode) == [code])
                #expect(session.state == .failed(HTTP2ErrorCode(rawValue: code)))
            case .stream(let id, let code):
                #expect(resets == [.reset(id, code)])
                #expect(goAways.isEmpty)
                #expect(session.state == .open)
            case .fine:
                #expect(goAways.isEmpty)
                #expect(resets.isEmpty)
                #expect(session.state == .open)
            }
        }
    }

    @Test func closedStreamsRefuseFrames() {
        for late in [TestFrame.data(1, [1]), Self.whole] {
            let session = Self.server()
            session.feed(Self.whole)
            if let request = session.nextRequest() {
                session.respond(to: request, with: ServerResponse(status: 200))
            }
            session.feed(late)
            #expect(session.state == .failed(.streamClosed))
        }
    }

    @Test func aStreamThatThisSideResetIgnoresFramesForAWhile() {
        let session = Self.server()
        session.feed(Self.request([(":method", "GET")], end: false))
        #expect(frames(session.drainAll()) == [.reset(1, 1)])
        session.feed(.data(1, [1, 2, 3]), .windowUpdate(1, 0x7FFF_FFFF))
        session.feed(.headers(1, plainBlock([("x", "y")]), end: true), .reset(1, 8))
        #expect(session.state == .open)
        session.feed(.headers(3, pushBlock, end: true))
        #expect(session.nextRequest()?.streamID == 3)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX"])
    func refusesAnotherPreface(_ preface: String) {
        let session = WireServerSession(settings: SessionSettings())
        session.feed(Array(preface.utf8))
        #expect(session.state == .failed(.protocolError))
    }

    @Test func theFirstFrameIsSettings() {
        for first in [TestFrame(6, 0, [UInt8](0..<8)), .settingsAck, Self.whole] {
            let session = WireServerSession(settings: SessionSettings())
            session.feed(clientPreface + first.bytes)
            #expect(session.state == .failed(.protocolError))
        }
    }

    @Test func streamsOverTheLimitAreRefused() {
        var settings = SessionSettings()
        settings.maxConcurrentStreams = 2
        let session = WireServerSession(settings: settings)
        session.feed(clientPreface)
        session.feed(.settings(), .settingsAck)
        _ = session.drainAll()
        for id: UInt32 in [1, 3, 5] { session.feed(.headers(id, pushBlock)) }
        #expect(frames(session.drainAll()) == [.reset(5, 7)])
        session.feed(.reset(1, 8), .headers(7, pushBlock))
        #expect(session.drainAll().isEmpty)
        #expect(session.streamsInFlight == 2)
    }

    @Test func settingsHoldFromTheAcknowledgementOn() {
        let session = Self.server()
        var settings = SessionSettings()
        settings.maxConcurrentStreams = 1
        session.update(settings: settings)
        session.feed(.headers(1, pushBlock), .headers(3, pushBlock))
        #expect(frames(session.drainAll()).map(\.kind) == [4])
        session.feed(.settingsAck)
        session.feed(.headers(5, pushBlock))
        #expect(frames(session.drainAll()) == [.reset(5, 7)])
    }

    @Test func pingIsAnsweredWithItsPayload() {
        let session = Self.server()
        session.feed(TestFrame(6, 0, [UInt8](1...8)))
        #expect(frames(session.drainAll()) == [TestFrame(6, flags: 1, 0, [UInt8](1...8))])
    }

    @Test func answersObeyTheStreamWindow() {
        let session = Self.server()
        session.feed(.settings([(4, 1)]), Self.whole)
        if let request = session.nextRequest() {
            session.respond(
                to: request,
                with: ServerResponse(status: 400, body: Array("abcde".utf8))
            )
        }
        #expect(frames(session.drainAll()).filter { $0.kind == 0 } == [.data(1, [0x61])])
        session.feed(.settings([(4, 0)]))
        #expect(frames(session.drainAll()) == [.settingsAck])
        // The window is -1 now: 1 opens nothing, 2 more open two bytes.
        session.feed(.windowUpdate(1, 1))
        #expect(session.drainAll().isEmpty)
        session.feed(.windowUpdate(1, 2))
        #expect(frames(session.drainAll()) == [.data(1, [0x62, 0x63])])
        session.feed(.settings([(4, 100)]))
        #expect(
            frames(session.drainAll()) == [.settingsAck, .data(1, [0x64, 0x65], end: true)]
        )
        #expect(session.streamsInFlight == 0)
    }

    @Test func headGetsNoBody() {
        let session = Self.server()
        session.feed(
            Self.request([(":method", "HEAD"), (":scheme", "https"), (":path", "/")])
        )
        if let request = session.nextRequest() {
            session.respond(to: request, with: ServerResponse(status: 405, body: [1]))
        }
        let written = frames(session.drainAll())
        #expect(written.map(\.kind) == [1])
        #expect(written.map(\.flags) == [5])
    }

    @Test func goAwayKeepsWhatIsBelowItsLastStream() {
        let session = Self.server()
        session.feed(Self.whole, .headers(3, pushBlock, end: true))
        session.goAway(errorCode: .noError, lastStreamID: 1, debugData: Array("{}".utf8))
        #expect(
            frames(session.drainAll()) == [.goAway(last: 1, code: 0, Array("{}".utf8))]
        )
        #expect(session.state == .draining)
        session.feed(.headers(5, pushBlock, end: true))
        #expect(session.nextRequest()?.streamID == 1)
        #expect(session.nextRequest() == nil)
        #expect(session.drainAll().isEmpty)
    }

    @Test func aRequestThatIsResetIsAnsweredIntoTheVoid() {
        let session = Self.server()
        session.feed(Self.whole, .headers(3, pushBlock, end: true))
        let first = session.nextRequest()
        session.feed(Self.cancel, .reset(3, 8))
        #expect(session.streamsInFlight == 0)
        #expect(session.nextRequest() == nil)
        if let first {
            #expect(
                session.withRequest(first) { $0.value(of: .path).array }
                    == Array("/3/device/00".utf8)
            )
            session.respond(to: first, with: ServerResponse(status: 200))
        }
        #expect(session.drainAll().isEmpty)
    }
}
