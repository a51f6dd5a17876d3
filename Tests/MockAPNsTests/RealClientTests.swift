import Foundation
import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// The mock against clients that others wrote: h2load and curl.
@Suite(.timeLimit(.minutes(5))) struct RealClientTests {
    private func start(
        _ transport: MockConfiguration.Transport,
        engine: HTTP2Engine = .wire,
        environment: APNsEnvironment = .production,
        authentication: AuthenticationPolicy = .any
    ) throws -> MockServer {
        var configuration = MockConfiguration()
        configuration.transport = transport
        configuration.engine = engine
        configuration.rules.authentication = authentication
        configuration.rules.environment = environment
        configuration.loops = 2
        return try MockServer(configuration)
    }

    private static func authorization() throws -> String {
        try ProviderTokens().authorization(issuedAt: Int64(Date().timeIntervalSince1970))
    }

    @Test(arguments: [false, true], HTTP2Engine.allCases)
    func servesH2loadWithTheFieldsOfAPush(_ isTLS: Bool, _ engine: HTTP2Engine) throws {
        let server = try start(isTLS ? .tls(nil) : .plain, engine: engine)
        let report = try Scratch.withFile(RequestRuleTests.body(size: 322)) { body in
            try Scratch.run(
                "h2load",
                [
                    "-n", "3000", "-c", "3", "-m", "100", "-d", body,
                    "-H", "apns-topic: com.example.app", "-H", "apns-push-type: alert",
                    "-H", "apns-priority: 10", "-H", "authorization: \(Self.authorization())",
                    "\(isTLS ? "https" : "http")://127.0.0.1:\(server.port)/3/device/\(PushRequest.token)",
                ]
            )
        }
        #expect(report.contains("3000 succeeded, 0 failed"), "\(report)")
        #expect(report.contains("status codes: 3000 2xx"), "\(report)")
        server.stop()
        let counts = server.statistics.counts()
        #expect(counts.accepted == 3000)
        #expect(counts.bodyBytes == 3000 * 322)
        #expect(counts.connectionsOpened == 3)
        #expect(counts.connectionsClosed == 3)
    }

    @Test func refusesH2loadWithoutATopic() throws {
        let server = try start(.plain)
        let report = try Scratch.withFile("{}") { body in
            try Scratch.run(
                "h2load",
                [
                    "-n", "500", "-m", "50", "-d", body,
                    "-H", "authorization: \(Self.authorization())",
                    "http://127.0.0.1:\(server.port)/3/device/ab",
                ]
            )
        }
        #expect(report.contains("status codes: 0 2xx, 0 3xx, 500 4xx"), "\(report)")
        #expect(server.statistics.counts().refusals(named: "MissingTopic") == 500)
    }

    private func curl(_ server: MockServer, _ path: String, _ arguments: [String]) throws -> String
    {
        let common = ["-s", "-S", "-i", "--max-time", "20"]
        guard let pem = server.certificatePEM else {
            let url = "http://127.0.0.1:\(server.port)\(path)"
            return try Scratch.run(
                "curl",
                common + ["--http2-prior-knowledge"] + arguments + [url]
            )
        }
        return try Scratch.withFile(pem) { caFile in
            let url = "https://localhost:\(server.port)\(path)"
            return try Scratch.run(
                "curl",
                common + ["--http2", "--cacert", caFile] + arguments + [url]
            )
        }
    }

    @Test(arguments: [false, true], APNsEnvironment.allCases)
    func servesCurlWithTheFieldsOfAnAnswer(_ isTLS: Bool, _ environment: APNsEnvironment) throws {
        let server = try start(isTLS ? .tls(nil) : .plain, environment: environment)
        let push = [
            "-d", "{}", "-H", "apns-topic: com.example.app",
            "-H", "authorization: \(try Self.authorization())",
        ]
        let accepted = try curl(server, "/3/device/ab", push)
        #expect(accepted.hasPrefix("HTTP/2 200"), "\(accepted)")
        let uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        let lines = accepted.split(separator: "\r\n")
        let id = try #require(lines.first { $0.hasPrefix("apns-id: ") })
        #expect(id.dropFirst("apns-id: ".count).wholeMatch(of: uuid) != nil)
        let unique = lines.first { $0.hasPrefix("apns-unique-id: ") }
        #expect((unique != nil) == (environment == .sandbox))
        #expect(!accepted.contains("content-type"))

        let id2 = "123e4567-e89b-12d3-a456-4266554400a0"
        let refused = try curl(server, "/3/device/abc", push + ["-H", "apns-id: \(id2)"])
        #expect(refused.hasPrefix("HTTP/2 400"), "\(refused)")
        #expect(refused.contains("content-type: application/json\r\n"))
        #expect(refused.contains("apns-id: \(id2)\r\n"))
        #expect(refused.hasSuffix(#"{"reason":"BadDeviceToken"}"#))
    }

    @Test(arguments: HTTP2Engine.allCases)
    func refusesOtherMethodsAndFieldsThatComeTwice(_ engine: HTTP2Engine) throws {
        let server = try start(.tls(nil), engine: engine, authentication: .off)
        let got = try curl(server, "/3/device/ab", [])
        #expect(got.hasPrefix("HTTP/2 405"), "\(got)")
        #expect(got.hasSuffix(#"{"reason":"MethodNotAllowed"}"#))
        let topic = ["-d", "{}", "-H", "apns-topic: com.example.app"]
        let twice = try curl(server, "/3/device/ab", topic + ["-H", "apns-topic: com.example.app"])
        #expect(twice.hasSuffix(#"{"reason":"DuplicateHeaders"}"#), "\(twice)")
        let empty = try curl(server, "/3/device/", topic)
        #expect(empty.hasSuffix(#"{"reason":"MissingDeviceToken"}"#), "\(empty)")
    }

    @Test func tellsItsCountsAndResetsThem() throws {
        let server = try start(.plain, authentication: .off)
        _ = try curl(server, "/3/device/ab", ["-d", "{}", "-H", "apns-topic: a.b"])
        _ = try curl(server, "/3/device/ab", ["-d", "{}"])
        let report = try curl(server, "/_pushbench/stats", [])
        #expect(report.hasPrefix("HTTP/2 200"), "\(report)")
        #expect(report.contains("content-type: application/json\r\n"))
        let text = try #require(report.split(separator: "\r\n\r\n").last)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        )
        #expect(json["requests"] as? Int == 2)
        #expect(json["accepted"] as? Int == 1)
        #expect(json["refusals"] as? [String: Int] == ["MissingTopic": 1])
        #expect(json["connectionsOpened"] as? Int == 3)
        #expect(try curl(server, "/_pushbench/stats", ["-d", ""]).hasPrefix("HTTP/2 405"))
        #expect(try curl(server, "/_pushbench/nothing", []).hasPrefix("HTTP/2 404"))
        let reset = try curl(server, "/_pushbench/reset", ["-d", ""])
        #expect(reset.hasPrefix("HTTP/2 200"), "\(reset)")
        #expect(server.statistics.counts().requests == 0)
        #expect(server.statistics.counts().refusals.isEmpty)
    }
}
