import CAllocCounter
import PushModel
import Testing

@testable import HTTP2

/// The wire client and the wire server, wired in memory.
@Suite struct WirePairTests {
    static let profile = RequestProfile(
        scheme: "https",
        authority: "localhost:2197",
        fields: [
            .init(name: "apns-topic", value: "com.example.app"),
            .init(name: "apns-push-type", value: "alert"),
            .init(name: "apns-priority", value: "10"),
        ],
        authorization: "bearer " + String(repeating: "j", count: 250)
    )

    static func token(_ tag: UInt32) -> String {
        let digits = String(tag, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Random bodies, windows, table sizes and splits: each request arrives whole under its own
    /// token, and each tag has one event with its own answer.
    @Test(arguments: 1...40)
    func everyPushArrivesWholeAndEndsOnce(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var settings = SessionSettings()
        settings.headerTableSize = [0, 64, 4096, 65_536].randomElement(using: &generator) ?? 0
        settings.maxConcurrentStreams = UInt32.random(in: 1...50, using: &generator)
        settings.initialWindowSize = UInt32.random(in: 1...9000, using: &generator)
        let server = WireServerSession(settings: settings)
        var profile = Self.profile
        profile.indexing = Bool.random(using: &generator) ? .strict : .indexedAuth
        let client = WireClientSession(
            profile: profile,
            settings: SessionSettings(),
            maxStreams: Int.random(in: 1...60, using: &generator)
        )
        let total: UInt32 = 300
        var submitted: UInt32 = 0
        var ended = [Int](repeating: 0, count: Int(total))
        var waiting: [RequestHandle] = []
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        var rounds = 0
        while ended.contains(0), rounds < 200_000 {
            rounds += 1
            while submitted < total, client.availableStreams > 0,
                Int.random(in: 0..<4, using: &generator) > 0
            {
                let body = Self.body(submitted)
                try #require(client.send(Self.token(submitted), body, tag: submitted))
                submitted += 1
            }
            let room = Int.random(in: 1...5000, using: &generator)
            toServer += client.drainAll(limit: room)
            let cut = Int.random(in: 0...toServer.count, using: &generator)
            server.feed(Array(toServer.prefix(cut)))
            toServer.removeFirst(cut)
            while let request = server.nextRequest() { waiting.append(request) }
            waiting.shuffle(using: &generator)
            while !waiting.isEmpty, Bool.random(using: &generator) {
                try Self.answer(waiting.removeLast(), server)
            }
            if Int.random(in: 0..<20, using: &generator) == 0 {
                settings.headerTableSize = [0, 64, 4096].randomElement(using: &generator) ?? 0
                settings.maxConcurrentStreams = UInt32.random(in: 1...50, using: &generator)
                settings.initialWindowSize = UInt32.random(in: 1...9000, using: &generator)
                server.update(settings: settings)
            }
            if Int.random(in: 0..<20, using: &generator) == 0 {
                let letter = Bool.random(using: &generator) ? "k" : "l"
                client.setAuthorization("bearer " + String(repeating: letter, count: 250))
            }
            toClient += server.drainAll(limit: Int.random(in: 1...5000, using: &generator))
            let back = Int.random(in: 0...toClient.count, using: &generator)
            client.feed(Array(toClient.prefix(back)))
            toClient.removeFirst(back)
            for event in client.allEvents() { try Self.check(event, client, &ended) }
        }
        #expect(ended.allSatisfy { $0 == 1 })
        #expect(client.streamsInFlight == 0)
        #expect(server.streamsInFlight == 0)
        #expect(client.state == .open)
        #expect(server.state == .open)
    }

    static func body(_ tag: UInt32) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: tag), count: 1 + Int(tag &* 7919 % 5000))
    }

    static func answer(
        _ request: RequestHandle,
        _ server: WireServerSession
    ) throws {
        let read = server.withRequest(request) { view -> UInt32? in
            let path = view.value(of: .path).array
            let text = String(decoding: path, as: UTF8.self)
            guard let tag = UInt32(text.dropFirst("/3/device/".count), radix: 16) else {
                return nil
            }
            #expect(text == "/3/device/" + token(tag))
            #expect(view.value(of: .method).array == Array("POST".utf8))
            #expect(view.value(of: .authority).array == Array("localhost:2197".utf8))
            #expect(view.value(of: .apnsTopic).array == Array("com.example.app".utf8))
            #expect(view.value(of: .apnsPushType).array == Array("alert".utf8))
            #expect(view.value(of: .authorization).byteCount == 257)
            let hasID = view.has(.apnsID)
            #expect(!hasID)
            let duplicated = view.duplicatedField
            #expect(duplicated == nil)
            #expect(view.body.array == body(tag))
            return tag
        }
        let tag = try #require(read)
        var response = ServerResponse(status: 200)
        if tag % 3 == 0 {
            response = ServerResponse(status: 410, body: Array("{\"tag\":\(tag)}".utf8))
        } else if tag % 3 == 1 {
            response.apnsID = ServerResponse.UUIDText(repeating: 0x61)
        }
        server.respond(to: request, with: response)
    }

    static func check(
        _ event: ClientEvent,
        _ client: WireClientSession,
        _ ended: inout [Int]
    ) throws {
        ended[Int(event.tag)] += 1
        // Over a limit that had just been lowered: sent again in a real run.
        if event.kind == .unprocessed { return }
        try #require(event.kind == .responded)
        #expect(event.status == (event.tag % 3 == 0 ? 410 : 200))
        let body = client.withResponseBody(of: event) { $0.array }
        #expect(body == (event.tag % 3 == 0 ? Array("{\"tag\":\(event.tag)}".utf8) : []))
    }

    /// 100,000 pushes after a warm-up allocate nothing on either side.
    @Test func pushesAllocateNothing() throws {
        let client = WireClientSession(
            profile: Self.profile,
            settings: SessionSettings(),
            maxStreams: 500
        )
        let server = WireServerSession(settings: SessionSettings())
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        let token = Array(Self.token(77).utf8)
        let body = [UInt8](repeating: 0x20, count: 320)
        let response = ServerResponse(
            status: 200,
            apnsID: ServerResponse.UUIDText(repeating: 0x61)
        )
        var answered = 0
        func turn(_ count: Int) {
            token.withUnsafeBytes { token in
                body.withUnsafeBytes { body in
                    for tag in 0..<count {
                        guard
                            client.submit(
                                token: RawSpan(_unsafeBytes: token),
                                body: RawSpan(_unsafeBytes: body),
                                tag: UInt32(tag)
                            )
                        else { break }
                    }
                }
            }
            var output = OutputRawSpan(buffer: buffer, initializedCount: 0)
            client.drain(into: &output)
            server.receive(output.bytes)
            while let request = server.nextRequest() {
                let size = server.withRequest(request) { $0.body.byteCount }
                precondition(size == 320)
                server.respond(to: request, with: response)
            }
            output = OutputRawSpan(buffer: buffer, initializedCount: 0)
            server.drain(into: &output)
            client.receive(output.bytes)
            while let event = client.nextEvent() {
                if event.kind == .responded, event.status == 200 { answered += 1 }
            }
        }
        for _ in 0..<20 { turn(500) }
        let before = pb_thread_allocations()
        answered = 0
        for _ in 0..<200 { turn(500) }
        let allocations = pb_thread_allocations() - before
        #expect(answered == 100_000)
        #expect(allocations == 0)
    }
}
