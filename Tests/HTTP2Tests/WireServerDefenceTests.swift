import Testing

@testable import HTTP2

/// What a hostile client can make the server keep or do is bounded.
@Suite struct WireServerDefenceTests {
    static let calm = SessionState.failed(.enhanceYourCalm)

    @Test func aHeaderListOverTheLimitIsAnswered431() {
        let session = WireServerConformanceTests.server()
        let large = pushFields + [("x", String(repeating: "v", count: 8000))]
        session.feed(.headers(1, plainBlock(large), end: true))
        let written = frames(session.drainAll())
        #expect(written == [.headers(1, [0x08, 3] + Array("431".utf8), end: true)])
        session.feed(.headers(3, plainBlock(large)))
        #expect(
            frames(session.drainAll()) == [
                .headers(3, [0x08, 3] + Array("431".utf8), end: true), .reset(3, 0),
            ]
        )
        #expect(session.streamsInFlight == 0)
        // The table stayed in step, and the connection goes on.
        session.feed(.headers(5, pushBlock, end: true))
        #expect(session.nextRequest()?.streamID == 5)
    }

    @Test func aListOfIndexedFieldsIsCountedUncompressed() {
        let session = WireServerConformanceTests.server()
        // One entry of 4,000 bytes, then a thousand references to it.
        let value = [UInt8](repeating: 0x61, count: 3900)
        let entry = [0x40, 1, 0x78, 0x7F, 0xBD, 0x1D] + value
        session.feed(
            .headers(1, pushBlock + entry + [UInt8](repeating: 0xBE, count: 1000), end: true)
        )
        #expect(frames(session.drainAll()).first?.payload == [0x08, 3] + Array("431".utf8))
        #expect(session.state == .open)
    }

    @Test(arguments: [0, 1, 10_000])
    func continuationWithoutEndIsStopped(_ size: Int) {
        let session = WireServerConformanceTests.server()
        session.feed(.headers(1, pushBlock, endHeaders: false))
        let fragment = TestFrame(9, 1, [UInt8](repeating: 0x82, count: size)).bytes
        var fed = 0
        while session.state == .open, fed < 1000 {
            session.feed(fragment)
            fed += 1
        }
        #expect(session.state == Self.calm)
        #expect(fed <= 64)
    }

    @Test(arguments: [TestFrame.settings(), TestFrame(6, 0, [UInt8](0..<8))])
    func answersThatNobodyReadsAreBounded(_ frame: TestFrame) {
        let session = WireServerConformanceTests.server()
        var fed = 0
        while session.state == .open, fed < 5000 {
            session.feed(frame)
            fed += 1
        }
        #expect(session.state == Self.calm)
        #expect(session.outputByteCount < 64 * 1024)
    }

    @Test(
        arguments: [
            TestFrame.settings(), TestFrame(6, 0, [UInt8](0..<8)), TestFrame(0x16, 0),
            TestFrame(2, 1, bigEndian(0) + [1]),
        ]
    )
    func floodsOfIdleFramesEndTheConnection(_ frame: TestFrame) {
        let session = WireServerConformanceTests.server()
        var fed = 0
        while session.state == .open, fed < 20_000 {
            session.feed(frame)
            fed += 1
            _ = session.drainAll(limit: 4096)
        }
        #expect(session.state == Self.calm)
    }

    @Test func workPaysForIdleFrames() {
        let session = WireServerConformanceTests.server()
        for round in 0..<UInt32(20_000) {
            session.feed(
                TestFrame(6, 0, [UInt8](0..<8)),
                .headers(2 * round + 1, pushBlock, end: true)
            )
            if let request = session.nextRequest() {
                session.respond(to: request, with: ServerResponse(status: 200))
            }
            _ = session.drainAll(limit: 4096)
        }
        #expect(session.state == .open)
    }

    @Test func rapidResetEndsTheConnection() {
        let session = WireServerConformanceTests.server()
        var id: UInt32 = 1
        while session.state == .open, id < 20_000 {
            session.feed(.headers(id, pushBlock, end: true), .reset(id, 8))
            id += 2
        }
        #expect(session.state == Self.calm)
        #expect(id < 2 * 1100)
        #expect(session.nextRequest() == nil)
    }

    @Test func resetsProvokedFromThisSideCountToo() {
        let session = WireServerConformanceTests.server()
        var id: UInt32 = 1
        while session.state == .open, id < 20_000 {
            session.feed(.headers(id, pushBlock), .windowUpdate(id, 0))
            _ = session.drainAll(limit: 4096)
            id += 2
        }
        #expect(session.state == Self.calm)
    }

    @Test func emptyDataWithoutEndIsStopped() {
        let session = WireServerConformanceTests.server()
        session.feed(.headers(1, pushBlock))
        var fed = 0
        while session.state == .open, fed < 1000 {
            session.feed(.data(1, []))
            fed += 1
        }
        #expect(session.state == Self.calm)
        #expect(fed <= 101)
    }

    @Test func dataOverTheConnectionWindowIsAFlowControlError() {
        var settings = SessionSettings()
        settings.connectionWindowSize = 65_535
        settings.initialWindowSize = 1 << 20
        settings.maxFrameSize = 1 << 20
        let session = WireServerSession(settings: settings)
        session.feed(clientPreface)
        session.feed(.settings(), .settingsAck)
        session.feed(.headers(1, pushBlock))
        // The window is given back as it is used.
        for _ in 0..<100 { session.feed(.data(1, [UInt8](repeating: 0, count: 16_384))) }
        #expect(session.state == .open)
        session.feed(.data(1, [UInt8](repeating: 0, count: 65_536)))
        #expect(session.state == .failed(.flowControlError))
    }

    @Test func dataOverTheStreamWindowResetsTheStream() {
        var settings = SessionSettings()
        settings.initialWindowSize = 10
        let session = WireServerSession(settings: settings)
        session.feed(clientPreface)
        session.feed(.settings(), .settingsAck)
        _ = session.drainAll()
        session.feed(.headers(1, pushBlock), .data(1, [UInt8](repeating: 0, count: 11)))
        #expect(frames(session.drainAll()).last == .reset(1, 3))
        #expect(session.state == .open)
    }

    @Test func aPeerThatNeverReadsCannotGrowTheOutput() {
        let session = WireServerConformanceTests.server()
        var id: UInt32 = 1
        while session.state == .open, id < 4_000_000 {
            session.feed(.headers(id, pushBlock, end: true))
            while let request = session.nextRequest() {
                session.respond(
                    to: request,
                    with: ServerResponse(
                        status: 200,
                        fields: [.init(name: "x", value: String(repeating: "v", count: 4000))]
                    )
                )
            }
            id += 2
        }
        #expect(session.state == Self.calm)
        #expect(session.outputByteCount < WireConnection.outputLimit + 65_536)
    }

    @Test func ofALongBodyOnlyTheStartIsKept() {
        var settings = SessionSettings()
        settings.connectionWindowSize = 1 << 24
        let session = WireServerSession(settings: settings)
        session.feed(clientPreface)
        session.feed(.settings(), .settingsAck, .headers(1, pushBlock))
        for _ in 0..<64 { session.feed(.data(1, [UInt8](repeating: 7, count: 16_384))) }
        session.feed(.data(1, [], end: true))
        let count = session.nextRequest().map { session.withRequest($0) { $0.body.byteCount } }
        #expect(count == WireServerCore.bodyLimit)
    }

    @Test func unfinishedBodiesAreBounded() {
        let session = WireServerConformanceTests.server()
        var resetIDs: Set<UInt32> = []
        // 300 bodies of which none ends.
        for streamID in stride(from: 1, to: 600, by: 2) as StrideTo<UInt32> {
            session.feed(.headers(streamID, pushBlock))
            for _ in 0..<4 where !resetIDs.contains(streamID) {
                session.feed(.data(streamID, [UInt8](repeating: 0x20, count: 16_000)))
                for frame in frames(session.drainAll()) where frame.kind == 3 {
                    #expect(frame.number(at: 0) == HTTP2ErrorCode.enhanceYourCalm.rawValue)
                    resetIDs.insert(frame.streamID)
                }
            }
        }
        #expect(session.state == .open)
        #expect(session.streamsInFlight == 300 - resetIDs.count)
        #expect(session.streamsInFlight * 64_000 <= WireServerCore.unfinishedLimit)
        #expect(session.streamsInFlight > 120)
        // One that ends, and one that is reset, make room for as much again.
        session.feed(.data(1, [], end: true), .reset(3, 8), .headers(601, pushBlock))
        #expect(session.nextRequest()?.streamID == 1)
        for _ in 0..<4 { session.feed(.data(601, [UInt8](repeating: 0x20, count: 16_000))) }
        #expect(!frames(session.drainAll()).contains { $0.kind == 3 })
    }

    @Test func allStreamsThatWereEverAllowedMayHaveAPushUnderWay() {
        var settings = SessionSettings()
        settings.maxConcurrentStreams = 3000
        settings.connectionWindowSize = 1 << 24
        let session = WireServerSession(settings: settings)
        session.feed(clientPreface)
        session.feed(.settings(), .settingsAck)
        let half = [UInt8](repeating: 0x20, count: 2500)
        var resets = 0
        func sendHalf() {
            for streamID in stride(from: 1, to: 6000, by: 2) as StrideTo<UInt32> {
                session.feed(.data(streamID, half))
                resets += frames(session.drainAll()).count { $0.kind == 3 }
            }
        }
        for streamID in stride(from: 1, to: 6000, by: 2) as StrideTo<UInt32> {
            session.feed(.headers(streamID, pushBlock))
        }
        sendHalf()
        // Fewer for the future: those that are open have the room that they had.
        settings.maxConcurrentStreams = 1
        session.update(settings: settings)
        session.feed(.settingsAck)
        sendHalf()
        #expect(resets == 0)
        #expect(session.streamsInFlight == 3000)
        #expect(session.unfinishedByteCount > WireServerCore.unfinishedLimit)
        #expect(session.state == .open)
    }

    @Test func windowUpdatesWithoutEndAreStopped() {
        let session = WireServerConformanceTests.server()
        let frame = TestFrame.windowUpdate(0, 1).bytes
        var fed = 0
        while session.state == .open, fed < 20_000 {
            session.feed(frame)
            fed += 1
        }
        #expect(session.state == Self.calm)
    }
}
