import Foundation
import HTTP2
import NetIO
import PushModel
import Testing

@testable import MockAPNs

/// Every documented reason of a push, provoked over a real connection (contract 1.6).
@Suite(.timeLimit(.minutes(5))) struct EveryReasonTests {
    private static let bundle = "com.example.app"
    private static let token = PushRequest.token
    private static let now = Int64(Date().timeIntervalSince1970)
    private static let goneSince: UInt64 = 1_700_000_000_123

    /// How a reason is brought about.
    private enum Provocation {
        /// One request with these changes to a right one.
        case request(Change)
        /// A push to a token that the script gives the reason.
        case script
        /// A push with this authorization, after one with that of `before`.
        case tokens(before: String?, String?)
        /// A key that is for the other environment.
        case foreignKey
        /// A push with a client certificate.
        case certificate(TestCertificate, trusted: Bool = true, Change = Change())
    }

    /// What differs from a push that breaks no rule.
    private struct Change {
        var method = "POST"
        var path = "/3/device/" + EveryReasonTests.token
        var without: [String] = []
        var fields: [(name: String, value: String)] = []
        var body = "{}"
    }

    /// No default: a new reason needs a provocation before this compiles.
    private static func provocation(of reason: APNsReason) throws -> Provocation {
        func with(_ name: String, _ value: String) -> Provocation {
            .request(Change(without: [name], fields: [(name, value)]))
        }
        switch reason {
        case .badCollapseID: return with("apns-collapse-id", String(repeating: "c", count: 65))
        case .badDeviceToken: return .request(Change(path: "/3/device/abc"))
        case .badExpirationDate: return with("apns-expiration", "soon")
        case .badMessageID: return with("apns-id", "1234")
        case .badPriority: return with("apns-priority", "7")
        case .badTopic: return with("apns-topic", "com.example.app.voip")
        case .invalidPushType: return with("apns-push-type", "silent")
        case .duplicateHeaders: return .request(Change(fields: [("apns-topic", bundle)]))
        case .missingDeviceToken: return .request(Change(path: "/3/device/"))
        case .missingTopic: return .request(Change(without: ["apns-topic"]))
        case .payloadEmpty: return .request(Change(body: ""))
        case .payloadTooLarge: return .request(Change(body: RequestRuleTests.body(size: 4097)))
        case .badPath: return .request(Change(path: "/2/device/" + token))
        case .methodNotAllowed: return .request(Change(method: "GET", body: ""))
        case .topicDisallowed:
            return .certificate(try TestCertificate(userID: "com.example.other"))
        case .badCertificate: return .certificate(try TestCertificate(), trusted: false)
        case .badCertificateEnvironment:
            return .certificate(try TestCertificate(userID: bundle, .development))
        case .forbidden:
            let location = Change(
                without: ["apns-topic", "apns-push-type"],
                fields: [
                    ("apns-topic", bundle + ".location-query"), ("apns-push-type", "location"),
                ]
            )
            return .certificate(try TestCertificate(), location)
        case .missingProviderToken: return .tokens(before: nil, nil)
        case .invalidProviderToken: return .tokens(before: nil, "bearer x.y.z")
        case .expiredProviderToken:
            let tokens = try ProviderTokens()
            return .tokens(before: nil, try tokens.authorization(issuedAt: now - 3700))
        case .tooManyProviderTokenUpdates:
            let tokens = try ProviderTokens()
            return .tokens(
                before: try tokens.authorization(issuedAt: now),
                try tokens.authorization(issuedAt: now - 1)
            )
        case .unrelatedKeyIDInToken:
            return .tokens(
                before: try ProviderTokens().authorization(issuedAt: now),
                try ProviderTokens(keyID: "KEY7654321").authorization(issuedAt: now)
            )
        case .badEnvironmentKeyIDInToken: return .foreignKey
        case .deviceTokenNotForTopic, .idleTimeout, .expiredToken, .unregistered, .tooManyRequests,
            .internalServerError, .serviceUnavailable, .shutdown:
            return .script
        }
    }

    @Test(arguments: APNsReason.allCases, HTTP2Engine.allCases)
    func isGivenWithItsStatus(_ reason: APNsReason, _ engine: HTTP2Engine) throws {
        var configuration = MockConfiguration()
        configuration.engine = engine
        configuration.transport = .plain
        configuration.rules.authentication = .off
        let answer: RequestClient.Answer
        switch try Self.provocation(of: reason) {
        case .request(let change):
            answer = try Self.send(change, to: try RequestClient(MockServer(configuration)))
        case .script:
            let gone = reason.status == 410 ? Self.goneSince : nil
            configuration.rules.script.setFate(
                .init(reason: ReasonCode(reason), timestampMilliseconds: gone),
                ofToken: Self.token
            )
            answer = try Self.send(Change(), to: try RequestClient(MockServer(configuration)))
        case .tokens(let before, let value):
            configuration.rules.authentication = .any
            let client = try RequestClient(MockServer(configuration))
            if let before {
                let first = Change(fields: [("authorization", before)])
                #expect(try Self.send(first, to: client).line == "200")
            }
            let fields = value.map { [("authorization", $0)] } ?? []
            answer = try Self.send(Change(fields: fields), to: client)
        case .foreignKey:
            let tokens = try ProviderTokens()
            configuration.rules.authentication = .keys([try tokens.key(for: .sandbox)])
            let value = try tokens.authorization(issuedAt: Self.now)
            let change = Change(fields: [("authorization", value)])
            answer = try Self.send(change, to: try RequestClient(MockServer(configuration)))
        case .certificate(let certificate, let isTrusted, let change):
            configuration.rules.authentication = .any
            configuration.transport = .tls(nil)
            let authority = isTrusted ? certificate : try TestCertificate()
            let server = try Scratch.withFile(authority.pem) { path in
                configuration.clientCAFile = path
                return try MockServer(configuration)
            }
            let client = try RequestClient(server, identity: certificate.identity)
            answer = try Self.send(change, to: client)
        }
        #expect(answer.status == reason.status)
        let time = reason.status == 410 ? #","timestamp":\#(Self.goneSince)"# : ""
        #expect(answer.body == #"{"reason":"\#(reason.rawValue)"\#(time)}"#)
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.fields["apns-id"]?.count == 36)
        #expect(answer.fields["apns-unique-id"] == nil)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func saysGoodbyeWithAReason(_ engine: HTTP2Engine) throws {
        var configuration = MockConfiguration()
        configuration.engine = engine
        configuration.transport = .plain
        let server = try MockServer(configuration)
        let client = try RequestClient(server)
        #expect(try Self.send(Change(), to: client).status == 403)
        server.stop()
        #expect(try client.goAway() == #"{"reason":"Shutdown"}"#)

        configuration.idleTimeoutNanoseconds = 300_000_000
        let impatient = try MockServer(configuration)
        #expect(try RequestClient(impatient).goAway() == #"{"reason":"IdleTimeout"}"#)
    }

    @Test func dates410WithNowWhereAScriptDoesNot() throws {
        let start = Int64(Date().timeIntervalSince1970)
        var configuration = MockConfiguration()
        configuration.transport = .plain
        configuration.rules.authentication = .off
        configuration.rules.script.setFate(
            .init(reason: ReasonCode(.unregistered)),
            ofToken: Self.token
        )
        let answer = try Self.send(Change(), to: try RequestClient(MockServer(configuration)))
        let json = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        let time = try #require(json?["timestamp"] as? Int64)
        #expect(time % 1000 == 0)
        // The mock's clock is the coarse one, which may be a tick behind at the turn of a second.
        #expect((start - 1...start + 3600).contains(time / 1000))
    }

    private static func send(
        _ change: Change,
        to client: RequestClient
    ) throws -> RequestClient.Answer {
        let fields = [("apns-topic", bundle), ("apns-push-type", "alert")]
        return try client.send(
            change.method,
            change.path,
            fields.filter { !change.without.contains($0.0) } + change.fields,
            body: change.body
        )
    }
}
