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
