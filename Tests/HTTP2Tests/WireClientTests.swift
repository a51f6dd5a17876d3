import Testing

@testable import HTTP2

/// The wire client against hand-made servers' bytes.
@Suite struct WireClientTests {
    static func client(
        maxStreams: Int = 1000,
        firstStreamID: UInt32 = 1,
        settings: [(UInt16, UInt32)] = []
    ) -> WireClientSession {
        let session = WireClientSession(
            profile: RequestProfile(scheme: "https", authority: "localhost"),
            settings: SessionSettings(),
            maxStreams: maxStreams,
            firstStreamID: firstStreamID
        )
        session.feed(.settings(settings), .settingsAck)
        _ = session.drainAll()
        return session
    }

    static let ok: [UInt8] = [0x88]
    static let body = Array("{\"aps\":{}}".utf8)

    @discardableResult
    static func submit(_ session: WireClientSession, _ tags: ClosedRange<UInt32>) -> Bool {
        tags.allSatisfy { session.send("00ff", body, tag: $0) }
    }

    @Test func beginsWithPrefaceSettingsAndWindow() {
        let session = WireClientSession(
            profile: RequestProfile(scheme: "https", authority: "localhost"),
            settings: SessionSettings(),
            maxStreams: 10
        )
        let bytes = session.drainAll()
        #expect(bytes.starts(with: clientPreface))
        let written = frames(Array(bytes.dropFirst(24)))
        #expect(
            written == [
                .settings([(1, 4096), (2, 0), (4, 65_535), (5, 16_384), (6, 8000)]),
                .windowUpdate(0, (1 << 20) - 65_535),
            ]
        )
        #expect(session.availableStreams == 0)
    }

    @Test func tellsTheWholeResponse() {
        let session = Self.client()
        Self.submit(session, 7...8)
        let json = Array("{\"reason\":\"BadDeviceToken\"}".utf8)
        session.feed(
            .headers(3, [0x8C] + plainBlock([("retry-after", "12"), ("apns-id", "x")])),
            .data(3, Array(json.prefix(5))),
            .headers(1, Self.ok, end: true),
            .data(3, Array(json.dropFirst(5)), end: true)
        )
        let events = session.allEvents()
        #expect(events.map(\.kind) == [.responded, .responded])
        #expect(events.map(\.tag) == [7, 8])
        #expect(events.map(\.status) == [200, 400])
        #expect(events.map(\.retryAfterSeconds) == [nil, 12])
        #expect(session.withResponseBody(of: events[1]) { $0.array } == json)
        #expect(session.streamsInFlight == 0)
    }

    @Test func interimResponsesPaddingPriorityAndUnknownFramesAreTaken() {
        let session = Self.client()
        Self.submit(session, 1...1)
        session.feed(
            .headers(1, plainBlock([(":status", "103")])),
            TestFrame(0x20, 1, [1]),
            TestFrame(2, 1, bigEndian(0) + [1]),
            TestFrame(1, flags: 0x2C, 1, [3] + bigEndian(0) + [1] + Self.ok + [0, 0, 0]),
            TestFrame(0, flags: 8, 1, [2, 0x41, 0, 0]),
            .headers(1, Array(plainBlock([("x", "y")]).prefix(2)), end: true, endHeaders: false),
            TestFrame(9, flags: 4, 1, Array(plainBlock([("x", "y")]).dropFirst(2)))
        )
        let events = session.allEvents()
        #expect(events.map(\.status) == [200])
        #expect(events.first.map { session.withResponseBody(of: $0) { $0.array } } == [0x41])
        #expect(session.state == .open)
    }

    @Test(
        arguments: [
            (UInt32(7), ClientEvent.Kind.unprocessed), (8, .reset), (11, .reset), (0, .reset),
            (0xABCD, .reset),
        ]
    )
    func resetsAreToldByTheirCode(_ code: UInt32, _ kind: ClientEvent.Kind) {
        let session = Self.client()
        Self.submit(session, 5...5)
        session.feed(.reset(1, code))
        let events = session.allEvents()
        #expect(events.map(\.kind) == [kind])
        #expect(events.map(\.errorCode.rawValue) == [code])
        #expect(events.map(\.tag) == [5])
    }

    @Test func goAwayTwiceEndsStreamsAboveItsLast() {
        let session = Self.client()
        Self.submit(session, 1...4)
        session.feed(.goAway(last: 0x7FFF_FFFF, code: 0))
        #expect(session.state == .draining)
        #expect(session.availableStreams == 0)
        #expect(Self.submit(session, 9...9) == false)
        session.feed(.goAway(last: 3, code: 7, Array("{\"reason\":\"Shutdown\"}".utf8)))
        let events = session.allEvents()
        #expect(events.map(\.kind) == [.goAway, .goAway, .unprocessed, .unprocessed])
        #expect(events.map(\.tag) == [0, 0, 3, 4])
        #expect(
            session.withResponseBody(of: events[1]) { $0.array }
                == Array("{\"reason\":\"Shutdown\"}".utf8)
        )
        // A late answer on a stream that was given up is ignored; those below go on.
        session.feed(.headers(7, Self.ok, end: true), .headers(1, Self.ok, end: true))
        #expect(session.allEvents().map(\.tag) == [1])
        #expect(session.state == .draining)
        #expect(session.streamsInFlight == 1)
    }

    @Test func connectionLostTellsWrittenFromUnwritten() {
        let session = Self.client()
        Self.submit(session, 1...1)
        _ = session.drainAll()
        Self.submit(session, 2...2)
        let count = session.drainAll().count
        // The third but for its last byte.
        Self.submit(session, 3...3)
        #expect(session.drainAll(limit: count - 1).count == count - 1)
        session.connectionLost()
        #expect(
            session.allEvents().map(\.kind) == [.connectionLost, .connectionLost, .unprocessed]
        )
        #expect(session.streamsInFlight == 0)
        #expect(session.availableStreams == 0)
    }

    @Test func streamIDsRunOutBeforeTheLast() {
        let session = Self.client(firstStreamID: 0x7FFF_FFFD)
        #expect(session.availableStreams == 2)
        #expect(Self.submit(session, 1...2))
        #expect(session.state == .draining)
        #expect(session.availableStreams == 0)
        #expect(Self.submit(session, 3...3) == false)
        session.feed(.headers(0x7FFF_FFFF, Self.ok, end: true))
        #expect(session.allEvents().map(\.tag) == [2])
    }

    @Test func theStreamLimitGoesUpAndDown() {
        let session = Self.client(maxStreams: 10, settings: [(3, 1)])
        #expect(session.availableStreams == 1)
        session.feed(.settings([(3, 500)]))
        #expect(session.availableStreams == 10)
        Self.submit(session, 1...5)
        _ = session.drainAll()
        session.feed(.settings([(3, 1)]))
        #expect(session.availableStreams == 0)
        #expect(session.peerMaxConcurrentStreams == 1)
        for id: UInt32 in [1, 3, 5, 7] { session.feed(.headers(id, Self.ok, end: true)) }
        #expect(session.availableStreams == 0)
        session.feed(.headers(9, Self.ok, end: true))
        #expect(session.availableStreams == 1)
    }

    /// Requests that wait in the output are taken out of it, and nothing else is.
    @Test func unwrittenRequestsAreTakenBack() throws {
        let session = Self.client()
        let reference = Self.client()
        Self.submit(session, 1...1)
        Self.submit(reference, 1...1)
        #expect(session.drainAll() == reference.drainAll())
        Self.submit(session, 2...4)
        session.ping(payload: 1)
        Self.submit(session, 5...6)
        Self.submit(reference, 2...2)
        reference.ping(payload: 1)
        // Half of the second is on its way: it stays.
        #expect(session.drainAll(limit: 20) == reference.drainAll(limit: 20))
        session.feed(.settings([(3, 1)]))
        reference.feed(.settings([(3, 1)]))
        #expect(session.drainAll() == reference.drainAll())
        #expect(session.allEvents().map(\.tag) == [3, 4, 5, 6])
        #expect(session.streamsInFlight == 2)
        session.connectionLost()
        #expect(session.allEvents().map(\.kind) == [.connectionLost, .connectionLost])
    }

    /// A slow stream keeps its place while thousands of others pass.
    @Test func aSlowStreamOutlivesTheRing() {
        let session = Self.client(maxStreams: 2)
        Self.submit(session, 1_000_000...1_000_000)
        for tag in UInt32(0)..<100 {
            Self.submit(session, tag...tag)
            let head = frames(session.drainAll()).last { $0.kind == 1 }
            session.feed(.headers(head?.streamID ?? 0, Self.ok, end: true))
            #expect(session.allEvents().map(\.tag) == [tag])
        }
        session.feed(.headers(1, Self.ok, end: true))
        #expect(session.allEvents().map(\.tag) == [1_000_000])
        #expect(session.state == .open)
    }

    @Test(arguments: [1, 100, 256, 5000])
    func bodiesObeySmallStreamWindows(_ window: Int) {
        let session = Self.client(settings: [(4, UInt32(window))])
        let body = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
        #expect(session.send("00ff", body, tag: 1))
        var got: [UInt8] = []
        var rounds = 0
        while rounds < 5000, session.hasOutput {
            rounds += 1
            for frame in frames(session.drainAll()) where frame.kind == 0 {
                #expect(frame.payload.count <= window)
                got += frame.payload
                if frame.flags & 1 == 0 {
                    session.feed(.windowUpdate(1, UInt32(frame.payload.count)))
                }
            }
        }
        #expect(got == body)
    }

    /// 15 bodies of 4,096 bytes leave 4,095 of the connection's window: the sixteenth is cut so that
    /// neither part is tiny.
    @Test func anExhaustedWindowMakesNoTinyFrames() {
        let session = Self.client(settings: [(4, 1 << 20)])
        let body = [UInt8](repeating: 1, count: 4096)
        for tag in UInt32(0)..<40 { #expect(session.send("00ff", body, tag: tag)) }
        var sizes: [Int] = []
        var total = 0
        var given = 65_535
        while total < 40 * 4096 {
            let written = frames(session.drainAll()).filter { $0.kind == 0 }
            sizes += written.map(\.payload.count)
            total += written.map(\.payload.count).reduce(0, +)
            #expect(total <= given)
            session.feed(.windowUpdate(0, 100))
            given += 100
        }
        #expect(total == 40 * 4096)
        #expect(sizes.allSatisfy { $0 >= 256 })
    }

    @Test func aWindowMayTurnNegative() {
        let session = Self.client(settings: [(4, 1000)])
        #expect(session.send("00ff", [UInt8](repeating: 1, count: 2000), tag: 1))
        #expect(frames(session.drainAll()).last?.payload.count == 1000)
        session.feed(.settings([(4, 500)]), .windowUpdate(1, 500))
        #expect(frames(session.drainAll()).map(\.kind) == [4])
        session.feed(.windowUpdate(1, 1000))
        #expect(
            frames(session.drainAll()).last
                == .data(1, [UInt8](repeating: 1, count: 1000), end: true)
        )
    }

    @Test func anEarlyAnswerStopsTheBody() {
        let session = Self.client(settings: [(4, 0)])
        #expect(session.send("00ff", Self.body, tag: 1))
        _ = session.drainAll()
        session.feed(.headers(1, plainBlock([(":status", "413")]), end: true))
        #expect(session.allEvents().map(\.status) == [413])
        #expect(frames(session.drainAll()) == [.reset(1, 8)])
        // What the peer sent before it read that is ignored.
        session.feed(.windowUpdate(1, 100), .reset(1, 0))
        #expect(session.state == .open)
        #expect(session.drainAll().isEmpty)
    }

    @Test func aBodyOverTheFrameSizeIsSplit() {
        let session = Self.client()
        #expect(session.send("00ff", [UInt8](repeating: 1, count: 40_000), tag: 1))
        let data = frames(session.drainAll()).filter { $0.kind == 0 }
        #expect(data.map(\.payload.count) == [16_384, 16_384, 7232])
        #expect(data.map(\.flags) == [0, 0, 1])
    }

    @Test func aBlockOverTheFrameSizeGoesOnInContinuation() throws {
        let session = WireClientSession(
            profile: RequestProfile(
                scheme: "https",
                authority: "localhost",
                fields: [.init(name: "x", value: String(repeating: "v", count: 20_000))]
            ),
            settings: SessionSettings(),
            maxStreams: 10
        )
        session.feed(.settings())
        _ = session.drainAll()
        for tag: UInt32 in 1...2 {
            #expect(session.send("00ff", Self.body, tag: tag))
            let written = frames(session.drainAll())
            #expect(written.map(\.kind) == [1, 9, 0])
            #expect(written.map(\.flags) == [0, 4, 1])
            #expect(written[0].payload.count == 16_384)
        }
    }

    @Test(
        arguments: [
            ("no status", plainBlock([("x", "y")])),
            ("status of two digits", plainBlock([(":status", "20")])),
            ("status 101", plainBlock([(":status", "101")])),
            ("request field", [0x88] + plainBlock([(":path", "/")])),
            ("uppercase name", [0x88] + plainBlock([("X", "y")])),
            ("connection field", [0x88] + plainBlock([("connection", "close")])),
            ("interim with END_STREAM", plainBlock([(":status", "100")])),
            ("content-length without body", [0x88] + plainBlock([("content-length", "1")])),
        ] as [(String, [UInt8])]
    )
    func malformedResponsesEndTheirStream(_ name: String, _ block: [UInt8]) {
        let session = Self.client()
        Self.submit(session, 1...1)
        _ = session.drainAll()
        session.feed(.headers(1, block, end: true))
        #expect(session.allEvents().map(\.kind) == [.reset])
        #expect(frames(session.drainAll()) == [.reset(1, 1)])
        #expect(session.state == .open)
    }

    @Test(
        arguments: [
            ("response on a stream never opened", TestFrame.headers(9, ok, end: true), 1),
            ("response on an even stream", .headers(2, ok, end: true), 1),
            ("response on a stream that ended", .headers(1, ok, end: true), 5),
            ("DATA on a stream that ended", .data(1, [1]), 5),
            ("PUSH_PROMISE", TestFrame(5, flags: 4, 3, bigEndian(2) + [0x82]), 1),
            ("ENABLE_PUSH of 1", .settings([(2, 1)]), 1),
            ("broken block", .headers(3, [0x80]), 9),
            ("RST_STREAM of an idle stream", .reset(9, 8), 1),
            ("WINDOW_UPDATE of 0", .windowUpdate(0, 0), 1),
            ("window over 2^31-1", .windowUpdate(0, 0x7FFF_FFFF), 3),
            ("PING of 7 bytes", TestFrame(6, 0, [UInt8](0..<7)), 6),
            ("GOAWAY of 7 bytes", TestFrame(7, 0, [UInt8](0..<7)), 6),
            ("CONTINUATION alone", TestFrame(9, flags: 4, 3, [0x88]), 1),
            ("frame too large", TestFrame(0, 3, [UInt8](repeating: 0, count: 16_385)), 6),
        ] as [(String, TestFrame, UInt32)]
    )
    func breachesEndTheConnection(_ name: String, _ frame: TestFrame, _ code: UInt32) {
        let session = Self.client()
        Self.submit(session, 1...2)
        session.feed(.headers(1, Self.ok, end: true))
        _ = session.allEvents()
        _ = session.drainAll()
        session.feed(frame)
        #expect(session.state == .failed(HTTP2ErrorCode(rawValue: code)))
        #expect(frames(session.drainAll()).map(\.errorCode) == [code])
        #expect(session.availableStreams == 0)
        session.connectionLost()
        #expect(session.allEvents().map(\.tag) == [2])
    }

    @Test func pingComesBackAsPong() {
        let session = Self.client()
        session.ping(payload: 0x0102_0304_0506_0708)
        #expect(frames(session.drainAll()) == [TestFrame(6, 0, [UInt8](1...8))])
        session.feed(TestFrame(6, flags: 1, 0, [UInt8](1...8)))
        #expect(session.allEvents() == [ClientEvent(kind: .pong, value: 0x0102_0304_0506_0708)])
    }

    @Test func shutdownSendsGoAwayAndLetsStreamsEnd() {
        let session = Self.client()
        Self.submit(session, 1...1)
        _ = session.drainAll()
        session.shutdown()
        #expect(frames(session.drainAll()) == [.goAway(last: 0, code: 0)])
        #expect(session.state == .draining)
        session.feed(.headers(1, Self.ok, end: true))
        #expect(session.allEvents().map(\.status) == [200])
    }

    @Test func eventStaysBoundedByTheResponseLimit() {
        let session = Self.client()
        Self.submit(session, 1...1)
        session.feed(.headers(1, Self.ok), .data(1, [UInt8](repeating: 1, count: 10_000)))
        session.feed(.data(1, [UInt8](repeating: 1, count: 10_000), end: true))
        let events = session.allEvents()
        #expect(events.map { session.withResponseBody(of: $0) { $0.byteCount } } == [4096])
    }
}
