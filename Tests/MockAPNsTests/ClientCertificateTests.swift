@testable import NetIO
import PushModel
import Testing

@testable import MockAPNs

/// What a client certificate lets its holder do (contract 1.3, 1.4b).
@Suite(.timeLimit(.minutes(5))) struct ClientCertificateTests {
    private static let app = "com.example.app"

    /// A mock that trusts `certificate`, and a client that shows it.
    private func client(
        _ certificate: TestCertificate,
        environment: APNsEnvironment = .production
    ) throws -> RequestClient {
        var configuration = MockConfiguration()
        configuration.rules.environment = environment
        let server = try Scratch.withFile(certificate.pem) { path in
            configuration.clientCAFile = path
            return try MockServer(configuration)
        }
        return try RequestClient(server, identity: certificate.identity)
    }

    private func push(
        _ client: RequestClient,
        topic: String?,
        type: String? = nil,
        authorization: String? = nil
    ) throws -> String {
        let fields = [
            topic.map { ("apns-topic", $0) }, type.map { ("apns-push-type", $0) },
            authorization.map { ("authorization", $0) },
        ]
        return try client.send("POST", "/3/device/ab", fields.compactMap(\.self), body: "{}").line
    }

    @Test func bindsPushesToTheTopicOfItsSubject() throws {
        let client = try client(try TestCertificate(userID: Self.app))
        for _ in 0..<2 {
            #expect(try push(client, topic: Self.app) == "200")
            #expect(try push(client, topic: nil) == "200")
            #expect(try push(client, topic: nil, type: "alert") == "200")
            #expect(
                try push(client, topic: "com.example.b") == #"400 {"reason":"TopicDisallowed"}"#
            )
            #expect(try push(client, topic: nil, type: "voip") == #"400 {"reason":"BadTopic"}"#)
            #expect(try push(client, topic: "") == #"400 {"reason":"BadTopic"}"#)
        }
    }

    @Test func bindsPushesToTheTopicsOfItsExtensions() throws {
        let client = try client(
            try TestCertificate(
                userID: Self.app,
                .topics([Self.app, Self.app + ".complication"]),
                .voipTopics([Self.app + ".voip"])
            )
        )
        #expect(try push(client, topic: nil) == #"400 {"reason":"MissingTopic"}"#)
        #expect(try push(client, topic: Self.app, type: "background") == "200")
        #expect(try push(client, topic: Self.app + ".complication", type: "complication") == "200")
        #expect(try push(client, topic: Self.app + ".voip", type: "voip") == "200")
        #expect(
            try push(client, topic: Self.app + ".push-type.widgets", type: "widgets")
                == #"400 {"reason":"TopicDisallowed"}"#
        )
    }

    @Test func isNeverEnoughForLocation() throws {
        let topic = Self.app + ".location-query"
        for certificate in [
            try TestCertificate(), try TestCertificate(userID: Self.app, .topics([topic])),
        ] {
            let client = try client(certificate)
            for type in ["location", nil] {
                #expect(
                    try push(client, topic: topic, type: type) == #"403 {"reason":"Forbidden"}"#
                )
            }
        }
    }

    @Test func makesAnyAuthorizationIdle() throws {
        let client = try client(try TestCertificate(userID: Self.app))
        #expect(try push(client, topic: Self.app, authorization: "bearer nonsense") == "200")
    }

    @Test func isTakenForEveryTopicWhereItNamesNone() throws {
        let client = try client(try TestCertificate())
        #expect(try push(client, topic: "com.example.a") == "200")
        #expect(try push(client, topic: "com.example.b") == "200")
        #expect(try push(client, topic: nil) == #"400 {"reason":"MissingTopic"}"#)
    }

    @Test(arguments: APNsEnvironment.allCases)
    func isForTheEnvironmentsOfItsExtensions(_ environment: APNsEnvironment) throws {
        let wrong = #"403 {"reason":"BadCertificateEnvironment"}"#
        let isSandbox = environment == .sandbox
        let answers: [(TestCertificate, String)] = [
            (try TestCertificate(userID: Self.app), "200"),
            (try TestCertificate(userID: Self.app, .development, .production), "200"),
            (try TestCertificate(userID: Self.app, .development), isSandbox ? "200" : wrong),
            (try TestCertificate(userID: Self.app, .production), isSandbox ? wrong : "200"),
        ]
        for (certificate, answer) in answers {
            let client = try client(certificate, environment: environment)
            #expect(try push(client, topic: Self.app) == answer)
        }
    }

    @Test func isBadWhereItsTimeIsOverOrItsAuthorityUnknown() throws {
        let bad = #"403 {"reason":"BadCertificate"}"#
        let known = try TestCertificate(userID: Self.app)
        let expired = try TLSIdentity.selfSigned(names: [Self.app], validDays: -3 ..< -1)
        var configuration = MockConfiguration()
        let server = try Scratch.withFile(known.pem + expired.certificatePEM) { path in
            configuration.clientCAFile = path
            return try MockServer(configuration)
        }
        let stranger = try TestCertificate(userID: Self.app).identity
        for (identity, answer) in [(known.identity, "200"), (expired, bad), (stranger, bad)] {
            let client = try RequestClient(server, identity: identity)
            #expect(try push(client, topic: Self.app) == answer)
        }
    }

    @Test func isNotLookedAtWhereNothingIsAskedOfTheSender() throws {
        let certificate = try TestCertificate(userID: Self.app)
        var configuration = MockConfiguration()
        configuration.rules.authentication = .off
        let server = try Scratch.withFile(certificate.pem) { path in
            configuration.clientCAFile = path
            return try MockServer(configuration)
        }
        let client = try RequestClient(server, identity: certificate.identity)
        #expect(try push(client, topic: "com.example.other") == "200")
        #expect(try push(client, topic: nil) == #"400 {"reason":"MissingTopic"}"#)
    }
}
