import Foundation
import HTTP2
import NetIO
import PushModel
import Testing

@testable import MockAPNs

/// What personalities do to broadcasts and the management of channels, on both engines.
@Suite(.timeLimit(.minutes(5))) struct BroadcastPersonalityTests {
    private static let channels = "/1/apps/com.example.app/channels"
    private static let allChannels = "/1/apps/com.example.app/all-channels"
    private static let broadcasts = "/4/broadcasts/apps/com.example.app"
    private static let settings = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    private static let unknown = "AAAAAAAAAAAAAAAAAAAAAA=="

    private func start(
        _ engine: HTTP2Engine,
        _ text: String,
        _ change: (inout MockConfiguration) -> Void = { _ in }
    ) throws -> MockServer {
        var reader = PersonalityReader()
        if try !reader.read(builtIn: text) { try reader.read(Array(text.utf8)) }
        var configuration = MockConfiguration()
        configuration.transport = .plain
        configuration.engine = engine
        configuration.rules.authentication = .off
        configuration.rules.reasons = reader.reasons
        configuration.personality = reader.personality
        change(&configuration)
        return try MockServer(configuration)
    }

    private func create(_ client: RequestClient) throws -> RequestClient.Answer {
        try client.send("POST", Self.channels, body: Self.settings)
    }

    private func broadcast(
        _ client: RequestClient,
        _ channel: String
    ) throws -> RequestClient.Answer {
        try client.send(
            "POST",
            Self.broadcasts,
            [("apns-channel-id", channel), ("apns-push-type", "liveactivity")],
            body: #"{"aps":{}}"#
        )
    }

    private func wait(until condition: () -> Bool) {
        while !condition() { sched_yield() }
    }

    @Test(arguments: HTTP2Engine.allCases)
    func anAcceptedCallLiftsApplesFirstLimit(_ engine: HTTP2Engine) throws {
        let server = try start(engine, "apple")
        // A channel of another connection's making, so that the broadcast is this one's first success.
        let channel = try #require(
            try create(RequestClient(server)).fields["apns-channel-id"]
        )
        #expect(server.statistics.counts()[.settingsChanges] == 1)
        let client = try RequestClient(server)
        #expect(client.streamLimit == 1)
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(client.streamLimit == 1)
        #expect(try broadcast(client, channel).line == "200")
        #expect(try client.send("GET", Self.allChannels).status == 200)
        #expect(client.streamLimit == 1000)
        #expect(server.statistics.counts()[.settingsChanges] == 2)
        // A refused one brings the limit down again, and an accepted one lifts it.
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(client.streamLimit == 1)
        #expect(try client.send("GET", Self.allChannels).status == 200)
        #expect(try client.send("GET", Self.allChannels).status == 200)
        #expect(client.streamLimit == 1000)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func answersTakeTheirTime(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"delay": "20ms"}"#)
        let client = try RequestClient(server)
        let before = MonotonicInstant.now()
        let channel = try #require(try create(client).fields["apns-channel-id"])
        #expect(MonotonicInstant.now().nanoseconds(since: before) >= 20_000_000)
        #expect(try broadcast(client, channel).line == "200")
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(MonotonicInstant.now().nanoseconds(since: before) >= 60_000_000)
        // The mock's own pages do not wait.
        let asked = MonotonicInstant.now()
        #expect(try client.send("GET", "/_pushbench/stats").status == 200)
        #expect(MonotonicInstant.now().nanoseconds(since: asked) < 3_600_000_000_000)
        #expect(server.statistics.counts().requests == 2)
    }

    /// Asks for the list of channels, by a client whose streams have this window.
    private func askForChannels(_ server: MockServer, window: UInt16) throws -> RawSocket {
        let socket = try RawSocket(port: server.port)
        socket.send(
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 6, 4, 0, 0, 0, 0, 0]
                + [0, 4, 0, 0, UInt8(window >> 8), UInt8(window & 0xFF)]
                + [0, 0, 0, 4, 1, 0, 0, 0, 0]
        )
        let path = Array(Self.allChannels.utf8)
        let block = [0x82, 0x87, 0x04, UInt8(path.count)] + path + [0x41, 1, 0x78]
        socket.send([0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block)
        return socket
    }

    @Test(arguments: HTTP2Engine.allCases)
    func anAnswerThatComesLaterCountsWhenItIsNotTaken(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"delay": "1ms"}"#) { $0.unfinishedByteLimit = 10 }
        let socket = try askForChannels(server, window: 0)
        // {"channels":[]} is too much: GOAWAY with ENHANCE_YOUR_CALM.
        #expect(socket.readToEnd().suffix(4) == [0, 0, 0, 0xB])
        #expect(server.statistics.counts()[.connectionsHoarding] == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func answersThatWaitForAnEndedConnectionAreDropped(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"delay": "1h"}"#)
        let socket = try askForChannels(server, window: 1000)
        wait { server.statistics.counts()[.channelRequests] == 1 }
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
        wait { server.statistics.counts().connectionsClosed == 1 }
        #expect(server.statistics.counts()[.answersDropped] == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aRefusedStreamIsNotProcessedAndAFailedOneIs(_ engine: HTTP2Engine) throws {
        let refusing = try start(engine, #"{"faults": {"refusedStream": "100%"}}"#)
        #expect(throws: RequestClient.Closed.self) { try create(RequestClient(refusing)) }
        #expect(throws: RequestClient.Closed.self) {
            try broadcast(RequestClient(refusing), Self.unknown)
        }
        #expect(refusing.statistics.counts()[.streamsRefused] == 2)
        #expect(refusing.statistics.counts()[.channelRequests] == 0)
        #expect(refusing.statistics.counts().requests == 0)

        let failing = try start(engine, #"{"faults": {"internalError": "100%"}}"#)
        #expect(throws: RequestClient.Closed.self) { try create(RequestClient(failing)) }
        #expect(throws: RequestClient.Closed.self) {
            try broadcast(RequestClient(failing), Self.unknown)
        }
        #expect(failing.statistics.counts()[.streamsFailed] == 2)
        #expect(failing.statistics.counts()[.channelRequests] == 1)
        #expect(failing.statistics.counts().requests == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func connectionsBreakUnderThem(_ engine: HTTP2Engine) throws {
        let resetting = try start(engine, #"{"faults": {"reset": "100%"}}"#)
        #expect(throws: NetIOError.self) { try create(RequestClient(resetting)) }
        #expect(resetting.statistics.counts()[.connectionResets] == 1)
        #expect(resetting.statistics.counts()[.channelRequests] == 0)

        let dying = try start(engine, #"{"faults": {"silentDeath": "100%"}}"#)
        let socket = try RawSocket(port: dying.port)
        let path = Array(Self.broadcasts.utf8)
        let block = [0x83, 0x87, 0x04, UInt8(path.count)] + path + [0x41, 1, 0x78]
        socket.send(
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
                + [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block
        )
        wait { dying.statistics.counts()[.silentDeaths] == 1 }
        #expect(dying.statistics.counts().requests == 0)
        #expect(dying.statistics.counts().connectionsClosed == 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func theyCountTowardsAGoodbye(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            #"{"goAway": {"everyPushes": 2, "reason": "Shutdown"}}"#
        )
        let client = try RequestClient(server)
        let channel = try #require(try create(client).fields["apns-channel-id"])
        #expect(try broadcast(client, channel).line == "200")
        #expect(try client.goAway() == #"{"reason":"Shutdown"}"#)
        #expect(server.statistics.counts()[.goAways] == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func manyRefusedOnesEndTheConnectionWithTheReason(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"disconnect": {"errors": 2}}"#)
        let client = try RequestClient(server)
        #expect(try client.send("GET", Self.channels).status == 400)
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(try client.goAway() == #"{"reason":"ChannelNotRegistered"}"#)
        #expect(server.statistics.counts()[.disconnections] == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func anUnavailableServerIsSoForThemToo(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            """
            {"throttling": {"ServiceUnavailable":
                {"share": "100%", "times": 1, "retryAfter": "1500ms"}}}
            """
        )
        let client = try RequestClient(server)
        let refused = try create(client)
        #expect(refused.line == #"503 {"reason":"ServiceUnavailable"}"#)
        #expect(refused.fields["retry-after"] == "2")
        #expect(refused.fields["apns-channel-id"] == nil)
        // Nothing was done: the retry makes the first channel.
        let channel = try #require(try create(client).fields["apns-channel-id"])
        #expect(try client.send("GET", Self.allChannels).status == 503)
        let list = try client.send("GET", Self.allChannels)
        #expect(list.line == #"200 {"channels":["\#(channel)"]}"#)
        #expect(try broadcast(client, channel).status == 503)
        #expect(try broadcast(client, channel).line == "200")
        // What is wrong by itself is told first.
        #expect(try broadcast(client, Self.unknown).status == 400)
        #expect(try client.send("POST", Self.channels, body: "{").status == 400)
        #expect(try client.send("GET", Self.channels).status == 400)
        #expect(try client.send("PUT", Self.channels).status == 405)
        #expect(server.statistics.counts().refusals(named: "ServiceUnavailable") == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func whatConcernsTokensConcernsNoBroadcast(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            """
            {"throttling": {"TooManyRequests": {"share": "100%"}},
             "reasons": {"BadDeviceToken": "100%"}}
            """
        )
        let client = try RequestClient(server)
        let channel = try #require(try create(client).fields["apns-channel-id"])
        #expect(try broadcast(client, channel).line == "200")
    }

    @Test func theRecordTellsThatOneWasNotAnswered() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "record-\(UUID().uuidString).ndjson"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        let record = try RequestRecord(path: file.path(percentEncoded: false)) { _ in }
        let server = try start(.wire, #"{"faults": {"refusedStream": "100%"}}"#) {
            $0.record = record
        }
        #expect(throws: RequestClient.Closed.self) {
            try broadcast(RequestClient(server), Self.unknown)
        }
        server.stop()
        let line = try String(contentsOf: file, encoding: .utf8)
        #expect(line.contains(#""path":"\#(Self.broadcasts)""#))
        #expect(line.contains(#""status":null,"reason":null,"apnsId":null"#))
    }
}
