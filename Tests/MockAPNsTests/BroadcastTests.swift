import Foundation
import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// Broadcasts and the management of channels (contract 1.1, 1.6b).
@Suite(.timeLimit(.minutes(5))) struct BroadcastTests {
    private static let app = "com.example.app"
    private static let channels = "/1/apps/com.example.app/channels"
    private static let allChannels = "/1/apps/com.example.app/all-channels"
    private static let broadcasts = "/4/broadcasts/apps/com.example.app"
    private static let settings = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    private static let requestID = "123e4567-e89b-12d3-a456-4266554400a0"
    private static let unknown = "AAAAAAAAAAAAAAAAAAAAAA=="
    typealias Field = (name: String, value: String)

    private func start(
        _ engine: HTTP2Engine = .wire,
        _ change: (inout MockConfiguration) -> Void = { _ in }
    ) throws -> MockServer {
        var configuration = MockConfiguration()
        configuration.transport = .plain
        configuration.engine = engine
        configuration.loops = 2
        configuration.rules.authentication = .off
        change(&configuration)
        return try MockServer(configuration)
    }

    private func create(
        _ client: RequestClient,
        policy: Int = 1,
        app: String = Self.app
    ) throws -> String {
        let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
        let answer = try client.send("POST", "/1/apps/\(app)/channels", body: body)
        #expect(answer.line == "201")
        return try #require(answer.fields["apns-channel-id"])
    }

    private func broadcast(
        _ client: RequestClient,
        _ channel: String?,
        _ fields: [Field] = [],
        path: String = Self.broadcasts,
        type: String? = "liveactivity",
        body: String = #"{"aps":{}}"#
    ) throws -> RequestClient.Answer {
        var all = fields
        if let channel { all.append(("apns-channel-id", channel)) }
        if let type { all.append(("apns-push-type", type)) }
        return try client.send("POST", path, all, body: body)
    }

    // MARK: - What works

    @Test(arguments: HTTP2Engine.allCases)
    func createsReadsListsBroadcastsAndDeletes(_ engine: HTTP2Engine) throws {
        let server = try start(engine)
        // Two connections on two loops: the channels are the same.
        let (client, other) = (try RequestClient(server), try RequestClient(server))
        let first = try create(client)
        let second = try create(other, policy: 0)
        #expect(first != second)
        #expect(Data(base64Encoded: first)?.count == 16)

        let read = try other.send("GET", Self.channels, [("apns-channel-id", first)])
        #expect(read.line == "200 " + Self.settings)
        let list = try client.send("GET", Self.allChannels)
        #expect(list.line == #"200 {"channels":["\#(first)","\#(second)"]}"#)
        let none = try client.send("GET", "/1/apps/com.example.b/all-channels")
        #expect(none.line == #"200 {"channels":[]}"#)

        #expect(try broadcast(other, first).line == "200")
        let deleted = try client.send("DELETE", Self.channels, [("apns-channel-id", first)])
        #expect(deleted.line == "204")
        let gone = #"400 {"reason":"ChannelNotRegistered"}"#
        #expect(try broadcast(other, first).line == gone)
        let again = try client.send("DELETE", Self.channels, [("apns-channel-id", first)])
        #expect(again.line == gone)

        let counts = server.statistics.counts()
        #expect(counts.requests == 2)
        #expect(counts.accepted == 1)
        #expect(counts.refusals(named: "ChannelNotRegistered") == 1)
        #expect(counts[.channelRequests] == 7)
        #expect(counts.bodyBytes == 20)
    }

    @Test func echoesTheRequestIDOrMakesOne() throws {
        let client = try RequestClient(start())
        let channel = try create(client)
        let given: Field = ("apns-request-id", Self.requestID)
        let answers = [
            try client.send("GET", Self.allChannels, [given]),
            try broadcast(client, channel, [given]),
            try broadcast(client, nil, [given]),
        ]
        for answer in answers {
            #expect(answer.fields["apns-request-id"] == Self.requestID)
            #expect(answer.fields["apns-id"] == nil)
        }
        let made = try broadcast(client, channel)
        #expect(UUID(uuidString: made.fields["apns-request-id"] ?? "") != nil)
    }

    @Test(arguments: APNsEnvironment.allCases)
    func sendsAUniqueIDInTheSandboxAlone(_ environment: APNsEnvironment) throws {
        let client = try RequestClient(start { $0.rules.environment = environment })
        let channel = try create(client)
        let accepted = try broadcast(client, channel)
        #expect((accepted.fields["apns-unique-id"] != nil) == (environment == .sandbox))
        #expect(try broadcast(client, nil).fields["apns-unique-id"] == nil)
    }

    @Test func forgetsChannelsWhenItIsReset() throws {
        let client = try RequestClient(start())
        let channel = try create(client)
        #expect(try client.send("POST", "/_pushbench/reset").status == 200)
        #expect(try broadcast(client, channel).status == 400)
    }

    @Test func acceptsAnyBroadcastWhereNothingIsVerified() throws {
        let client = try RequestClient(start { $0.rules.verification = .off })
        #expect(try broadcast(client, nil, type: nil, body: "").line == "200")
        #expect(try broadcast(client, try create(client)).line == "200")
    }

    @Test func looksAtNoBodyOfABroadcastWhenHeadersAloneAreVerified() throws {
        let client = try RequestClient(start { $0.rules.verification = .headers })
        let channel = try create(client)
        #expect(try broadcast(client, channel, body: "").line == "200")
        #expect(try broadcast(client, channel, type: nil).status == 400)
    }

    @Test func takesBroadcastsOfUpTo5120Bytes() throws {
        let client = try RequestClient(start())
        let channel = try create(client)
        let largest = RequestRuleTests.body(size: 5120)
        #expect(try broadcast(client, channel, body: largest).line == "200")
        let larger = RequestRuleTests.body(size: 5121)
        #expect(
            try broadcast(client, channel, body: larger).line
                == #"413 {"reason":"PayloadTooLarge"}"#
        )
    }

    @Test func takesNoExpirationWhereNothingIsStored() throws {
        let client = try RequestClient(start())
        let later: Field = ("apns-expiration", "1900000000")
        let zero: Field = ("apns-expiration", "0")
        let storing = try create(client, policy: 1)
        let passing = try create(client, policy: 0)
        #expect(try broadcast(client, storing, [later]).line == "200")
        #expect(try broadcast(client, passing, [zero]).line == "200")
        #expect(
            try broadcast(client, passing, [later]).line == #"400 {"reason":"BadExpirationDate"}"#
        )
    }

    // MARK: - Every reason

    /// Provokes a reason.
    ///
    /// No default: a new reason needs a provocation before this compiles.
    private func provoke(
        _ reason: BroadcastReason,
        _ engine: HTTP2Engine
    ) throws
        -> RequestClient.Answer
    {
        let client = try RequestClient(
            start(engine) {
                if reason == .featureNotEnabled { $0.rules.broadcastApps = ["com.example.b"] }
            }
        )
        switch reason {
        case .featureNotEnabled: return try broadcast(client, Self.unknown)
        case .missingChannelID: return try broadcast(client, nil)
        case .badChannelID: return try broadcast(client, "not base64!")
        case .channelNotRegistered: return try broadcast(client, Self.unknown)
        case .badRequestParams:
            let body = #"{"message-storage-policy":2,"push-type":"LiveActivity"}"#
            return try client.send("POST", Self.channels, body: body)
        case .badRequestPayload: return try client.send("POST", Self.channels, body: "{")
        case .missingPushType: return try broadcast(client, Self.unknown, type: nil)
        case .topicMismatch:
            return try broadcast(client, Self.unknown, [("apns-topic", "com.example.b")])
        case .cannotCreateChannelConfig:
            for _ in 0..<ChannelRegistry.capacity {
                _ = try client.send("POST", Self.channels, body: Self.settings)
            }
            return try client.send("POST", Self.channels, body: Self.settings)
        }
    }

    @Test(arguments: BroadcastReason.allCases, HTTP2Engine.allCases)
    func givesEveryReasonWithItsStatus(_ reason: BroadcastReason, _ engine: HTTP2Engine) throws {
        let answer = try provoke(reason, engine)
        #expect(answer.line == #"\#(reason.status) {"reason":"\#(reason.rawValue)"}"#)
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.fields["apns-request-id"]?.count == 36)
    }

    // MARK: - Rules

    /// A request by method and path, and its answer.
    private static let paths: [(method: String, path: String, reason: String)] = [
        ("GET", broadcasts, "405 MethodNotAllowed"),
        ("PUT", channels, "405 MethodNotAllowed"),
        ("POST", allChannels, "405 MethodNotAllowed"),
        ("POST", "/4/broadcasts/apps/", "404 BadPath"),
        ("POST", "/4/broadcasts", "404 BadPath"),
        ("POST", "/4/device/ab", "404 BadPath"),
        ("POST", "/1/apps//channels", "404 BadPath"),
        ("POST", "/1/apps/com.example.app", "404 BadPath"),
        ("POST", "/1/apps/com.example.app/channel", "404 BadPath"),
        ("GET", "/1/apps/com.example.app/all-channels/x", "405 MethodNotAllowed"),
        ("POST", "/4/broadcasts/apps/com.example.app/x", "400 BadTopic"),
        ("POST", "/1/apps/com%20example/channels", "400 BadTopic"),
        ("POST", broadcasts + ".push-type.liveactivity", "400 TopicDisallowed"),
        ("GET", "/1/apps/com.example.app.voip/all-channels", "400 TopicDisallowed"),
        ("GET", channels, "400 MissingChannelId"),
        ("DELETE", channels, "400 MissingChannelId"),
    ]

    @Test(arguments: 0..<paths.count)
    func knowsItsPathsAndMethods(_ index: Int) throws {
        let row = Self.paths[index]
        let answer = try RequestClient(start()).send(row.method, row.path, body: "")
        #expect(answer.line == Self.line(row.reason))
    }

    private static let bodies: [(body: String, reason: String)] = [
        ("", "400 BadRequestPayload"),
        ("[]", "400 BadRequestPayload"),
        ("1", "400 BadRequestPayload"),
        (settings + "{}", "400 BadRequestPayload"),
        (#"{"push-type":"LiveActivity","push-type":"LiveActivity"}"#, "400 BadRequestPayload"),
        ("{}", "400 BadRequestParams"),
        (#"{"push-type":"LiveActivity"}"#, "400 BadRequestParams"),
        (#"{"message-storage-policy":"1","push-type":"LiveActivity"}"#, "400 BadRequestParams"),
        (#"{"message-storage-policy":-1,"push-type":"LiveActivity"}"#, "400 BadRequestParams"),
        (
            #"{"message-storage-policy":1,"push-type":"LiveActivity","a":[]}"#,
            "400 BadRequestParams"
        ),
        (#"{"a":{"b":1},"message-storage-policy":1}"#, "400 BadRequestParams"),
        (#"{"message-storage-policy":1}"#, "400 MissingPushType"),
        (#"{"message-storage-policy":1,"push-type":"alert"}"#, "400 InvalidPushType"),
        (#"{"message-storage-policy":1,"push-type":[1]}"#, "400 InvalidPushType"),
        (#"{"message-storage-policy":1,"push-type":{}}"#, "400 InvalidPushType"),
    ]

    @Test(arguments: 0..<bodies.count)
    func readsTheBodyThatCreatesAChannel(_ index: Int) throws {
        let row = Self.bodies[index]
        let client = try RequestClient(start())
        let answer = try client.send("POST", Self.channels, body: row.body)
        #expect(answer.line == Self.line(row.reason))
        #expect(try client.send("GET", Self.allChannels).body == #"{"channels":[]}"#)
    }

    private static let fields: [(field: Field, reason: String)] = [
        (("apns-priority", "1"), "200"),
        (("apns-priority", "7"), "400 BadPriority"),
        (("apns-expiration", "x"), "400 BadExpirationDate"),
        (("apns-request-id", "x"), "400 BadMessageId"),
        (("apns-topic", app), "200"),
        (("apns-topic", app + ".push-type.liveactivity"), "200"),
        (("apns-topic", app + ".voip"), "403 TopicMismatch"),
        (("apns-topic", app + "s"), "403 TopicMismatch"),
        (("apns-topic", "com"), "403 TopicMismatch"),
        (("apns-push-type", "liveactivity"), "400 DuplicateHeaders"),
    ]

    @Test(arguments: 0..<fields.count)
    func judgesTheFieldsOfABroadcast(_ index: Int) throws {
        let row = Self.fields[index]
        let client = try RequestClient(start())
        let answer = try broadcast(client, try create(client), [row.field])
        #expect(answer.line == Self.line(row.reason))
    }

    @Test func judgesPushTypeAndBody() throws {
        let client = try RequestClient(start())
        let channel = try create(client)
        let alert = try broadcast(client, channel, type: "alert")
        #expect(alert.line == Self.line("400 InvalidPushType"))
        let empty = try broadcast(client, channel, body: "")
        #expect(empty.line == Self.line("400 PayloadEmpty"))
        let broken = try broadcast(client, channel, body: "[]")
        #expect(broken.line == Self.line("400 BadRequestPayload"))
        let foreign = "/4/broadcasts/apps/com.example.b"
        let notTheirs = try broadcast(client, channel, path: foreign)
        #expect(notTheirs.line == Self.line("400 ChannelNotRegistered"))
    }

    @Test(arguments: ["", "=", "====", "AAA", "AAA*", "A===", "AA=A", "ab cd+==", "A-_A"])
    func refusesAChannelIDThatIsNoBase64(_ id: String) throws {
        let client = try RequestClient(start())
        #expect(try broadcast(client, id).line == Self.line("400 BadChannelId"))
        #expect(
            try client.send("GET", Self.channels, [("apns-channel-id", id)]).line
                == Self.line("400 BadChannelId")
        )
    }

    @Test func asksForProofOfTheSender() throws {
        let tokens = try ProviderTokens()
        let client = try RequestClient(try start { $0.rules.authentication = .any })
        let missing = Self.line("403 MissingProviderToken")
        #expect(try client.send("GET", Self.allChannels).line == missing)
        #expect(try broadcast(client, Self.unknown).line == missing)
        let now = Int64(Date().timeIntervalSince1970)
        let proof: Field = ("authorization", try tokens.authorization(issuedAt: now))
        #expect(try client.send("GET", Self.allChannels, [proof]).status == 200)
        // The token is the connection's, for whatever it asks.
        let second: Field = ("authorization", try tokens.authorization(issuedAt: now - 1))
        #expect(try broadcast(client, Self.unknown, [second]).status == 429)
    }

    @Test func bindsACertificateToItsApps() throws {
        let certificate = try TestCertificate(userID: Self.app)
        let server = try Scratch.withFile(certificate.pem) { path in
            try start {
                $0.transport = .tls(nil)
                $0.rules.authentication = .any
                $0.clientCAFile = path
            }
        }
        let client = try RequestClient(server, identity: certificate.identity)
        #expect(try broadcast(client, try create(client)).line == "200")
        let foreign = try client.send("GET", "/1/apps/com.example.b/all-channels")
        #expect(foreign.line == Self.line("403 TopicMismatch"))
    }

    /// A status and a reason as an answer in one line.
    private static func line(_ text: String) -> String {
        let parts = text.split(separator: " ")
        return parts.count == 1 ? text : #"\#(parts[0]) {"reason":"\#(parts[1])"}"#
    }
}
