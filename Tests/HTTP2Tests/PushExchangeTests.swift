import PushModel
import Testing

@testable import HTTP2

/// Pushes and answers between a client and a server session.
@Suite struct PushExchangeTests {
    @Test(arguments: Pairing.all, [UInt32(65_535), 1024, 256])
    func aThousandPushesPassThroughSmallWindows(_ pair: Pairing, window: UInt32) {
        let server = pair.server.make(
            .with {
                $0.initialWindowSize = window
                $0.connectionWindowSize = 65_535
                $0.maxConcurrentStreams = 100
            }
        )
        let wire = MemoryWire(client: pair.client.make(), server: server, seed: UInt64(window))
        var bodies: [UInt32: [UInt8]] = [:]
        let total: UInt32 = 1000
        var next: UInt32 = 0
        var events: [ClientEvent] = []
        while events.count < Int(total) {
            while next < total, wire.client.submit(tag: next, bodyCount: 4096) { next += 1 }
            let moved = wire.pumpOnce { handle in
                let request = server.request(handle)
                guard let tag = request.tag else { return ServerResponse(status: 500) }
                bodies[tag] = request.body
                return .accepted(tag)
            }
            let new = wire.takeEvents()
            events += new
            if !moved && new.isEmpty { break }
        }
        #expect(events.count == Int(total))
        #expect(Set(events.map(\.tag)) == Set(0..<total))
        #expect(events.allSatisfy { $0.kind == .responded && $0.status == 200 })
        #expect((0..<total).allSatisfy { bodies[$0] == body(for: $0, count: 4096) })
        #expect(wire.client.state == .open)
        #expect(server.state == .open)
        #expect(server.streamsInFlight == 0)
    }

    @Test(arguments: Pairing.all)
    func theServerSeesTheProfileFields(_ pair: Pairing) throws {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.client.submit(tag: 7)
        wire.pump()
        let handle = try #require(wire.waiting.first)
        let request = server.request(handle)
        let profile = RequestProfile.forTests
        let authorization = try #require(profile.authorization)
        #expect(
            request.fields == [
                .method: "POST", .scheme: "https", .authority: profile.authority,
                .path: "/3/device/" + String(decoding: token(for: 7), as: UTF8.self),
                .apnsTopic: "com.example.app", .apnsPushType: "alert", .apnsPriority: "10",
                .apnsExpiration: "0", .authorization: authorization, .contentLength: "320",
            ]
        )
        #expect(request.body == body(for: 7, count: 320))
        #expect(request.bodyByteCount == 320)
        #expect(request.duplicatedField == nil)
    }

    @Test(arguments: Pairing.all)
    func aNewAuthorizationHoldsFromTheNextRequestOn(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.pump()
        wire.client.submit(tag: 0)
        wire.client.setAuthorization("bearer second")
        wire.client.submit(tag: 1)
        wire.client.submit(tag: 2)
        wire.client.setAuthorization(nil)
        wire.client.submit(tag: 3)
        wire.pump()
        let requests = wire.waiting.map(server.request)
        #expect(
            requests.map { $0.fields[.authorization] } == [
                RequestProfile.forTests.authorization, "bearer second", "bearer second", nil,
            ]
        )
    }

    @Test(arguments: Pairing.all, RequestProfile.Indexing.allCases)
    func pushesPassWithoutAHeaderTable(_ pair: Pairing, indexing: RequestProfile.Indexing) {
        let server = pair.server.make(.with { $0.headerTableSize = 0 })
        var profile = RequestProfile.forTests
        profile.indexing = indexing
        let wire = MemoryWire(client: pair.client.make(profile), server: server)
        for tag in 0..<20 as Range<UInt32> {
            wire.client.submit(tag: tag)
            wire.pump { handle in .accepted(server.request(handle).tag ?? 999) }
        }
        // Shrinks and grows again while requests flow.
        for size in [4096, 100, 8192, 0] as [UInt32] {
            server.update(settings: .with { $0.headerTableSize = size })
            for tag in 0..<20 as Range<UInt32> {
                wire.client.submit(tag: 100 + tag)
                wire.pump { handle in .accepted(server.request(handle).tag ?? 999) }
            }
        }
        let events = wire.takeEvents()
        #expect(events.count == 100)
        #expect(events.allSatisfy { $0.status == 200 })
        #expect(server.state == .open)
    }

    @Test(arguments: ClientEngine.all, RequestProfile.Indexing.allCases)
    func thePathNeverEntersTheHeaderTable(
        _ client: ClientEngine,
        indexing: RequestProfile.Indexing
    ) throws {
        var profile = RequestProfile.forTests
        profile.indexing = indexing
        let server = RawServer(client.make(profile))
        let decoder = TestDecoder()
        var entries: [Int] = []
        for tag in 0..<4 as Range<UInt32> {
            server.client.submit(tag: tag)
            let headers = server.exchange().first { $0.isHeaders }
            let fields = try decoder.decode(try #require(headers).payload)
            let path = "/3/device/" + String(decoding: token(for: tag), as: UTF8.self)
            #expect(fields.contains(TestField(":path", path)))
            entries.append(decoder.tableCount)
        }
        // The first request teaches the constant fields; the others add nothing.
        #expect(entries == Array(repeating: entries[0], count: 4))
        #expect(entries[0] >= profile.fields.count)
    }

    @Test(arguments: Pairing.all, [UInt32(16_384), 20_000, 16_777_215])
    func framesStayWithinThePeersFrameSize(_ pair: Pairing, size: UInt32) {
        let server = pair.server.make(
            .with {
                $0.maxFrameSize = size
                $0.initialWindowSize = 1 << 20
            }
        )
        let wire = MemoryWire(
            client: pair.client.make(),
            server: server,
            largestCut: 100_000
        )
        wire.pump()
        wire.client.submit(tag: 1, bodyCount: 60_000)
        wire.pump { handle in
            server.request(handle).body == body(for: 1, count: 60_000)
                ? .accepted(1) : .rejected(400, "BadBody")
        }
        #expect(wire.takeEvents().map(\.status) == [200])
        #expect(wire.clientFrames.allSatisfy { $0.payload.count <= Int(size) })
    }

    @Test(arguments: Pairing.all)
    func responseBodiesAreKeptUpToTheirLimit(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        let reason = ServerResponse.rejected(400, "BadDeviceToken")
        let answers = [
            reason,
            ServerResponse(status: 500, body: body(for: 1, count: 4096)),
            ServerResponse(status: 500, body: body(for: 2, count: 10_000)),
            ServerResponse.accepted(3),
        ]
        wire.pump()
        for tag in answers.indices { wire.client.submit(tag: UInt32(tag)) }
        wire.pump()
        for (handle, answer) in zip(wire.waiting, answers) {
            server.respond(to: handle, with: answer)
        }
        var kept: [UInt32: [UInt8]] = [:]
        var statuses: [UInt32: UInt16] = [:]
        while true {
            let bytes = server.drainAll()
            wire.client.receive(bytes)
            let events = wire.client.events()
            for event in events {
                kept[event.tag] = wire.client.responseBody(of: event)
                statuses[event.tag] = event.status
            }
            server.receive(wire.client.drainAll())
            if events.isEmpty && bytes.isEmpty { break }
        }
        #expect(kept[0] == reason.body)
        #expect(kept[1] == body(for: 1, count: 4096))
        #expect(kept[2] == Array(body(for: 2, count: 10_000).prefix(4096)))
        #expect(kept[3] == [])
        #expect(statuses == [0: 400, 1: 500, 2: 500, 3: 200])
    }

    @Test(
        arguments: Pairing.all,
        [
            ("0", 0), ("120", 120), ("4294967295", 4_294_967_295), ("4294967296", nil),
            ("", nil), ("-1", nil), ("12s", nil), ("Wed, 21 Oct 2015 07:28:00 GMT", nil),
        ] as [(String, UInt32?)]
    )
    func retryAfterIsReadWhereItIsANumber(_ pair: Pairing, value: (text: String, seconds: UInt32?))
    {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.client.submit(tag: 9)
        wire.pump { _ in
            var response = ServerResponse.rejected(429, "TooManyRequests")
            response.fields = [.init(name: "retry-after", value: value.text)]
            return response
        }
        let events = wire.takeEvents()
        #expect(events.map(\.status) == [429])
        #expect(events.first?.retryAfterSeconds == value.seconds)
    }

    @Test(arguments: Pairing.all)
    func answersMayComeInAnyOrder(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.pump()
        for tag in 0..<50 as Range<UInt32> { wire.client.submit(tag: tag) }
        wire.pump()
        let handles = wire.waiting
        #expect(handles.map { server.request($0).tag } == Array(0..<50))
        var random = SplitMix64(seed: 50)
        let order = handles.shuffled(using: &random)
        let tags = order.map { server.request($0).tag }
        for (handle, tag) in zip(order, tags) {
            server.respond(to: handle, with: .accepted(tag ?? 0))
        }
        wire.pump()
        #expect(wire.takeEvents().map { Optional($0.tag) } == tags)
    }

    @Test(arguments: Pairing.all)
    func bothSidesAnswerPings(_ pair: Pairing) {
        let server = pair.server.make(SessionSettings())
        let wire = MemoryWire(client: pair.client.make(), server: server)
        wire.client.ping(payload: 0x0102_0304_0506_0708)
        wire.client.ping(payload: .max)
        server.ping(payload: 0x1122_3344_5566_7788)
        wire.pump()
        let events = wire.takeEvents()
        #expect(events.map(\.kind) == [.pong, .pong])
        #expect(events.map(\.value) == [0x0102_0304_0506_0708, .max])
        let pings = wire.clientFrames.filter(\.isPing)
        #expect(pings.first == .ping(0x0102_0304_0506_0708))
        #expect(pings.contains(.ping(0x1122_3344_5566_7788, isAck: true)))
    }
}
