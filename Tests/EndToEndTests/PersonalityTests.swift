import Foundation
import Testing

/// `--personality`, of the mock and in a run.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PersonalityTests {
    private static let token = String(repeating: "ab", count: 32)

    /// One push by curl, with the head of its answer.
    private func push(_ mock: RunningMock) async throws -> Program.Outcome {
        try await mock.curl(
            "/3/device/\(Self.token)",
            ["--include", "--header", "apns-topic: com.example.app", "--data", #"{"aps":{}}"#]
        )
    }

    @Test(arguments: ["nghttp2", "wire"])
    func throttledPushIsToldWhenToComeBack(engine: String) async throws {
        let mock = try await RunningMock(
            "--plain",
            "--auth",
            "off",
            "--engine",
            engine,
            "--personality",
            "throttling.ServiceUnavailable.share=100%,throttling.ServiceUnavailable.retryAfter=3s"
        )
        let refused = try await push(mock)
        #expect(refused.lines.first?.hasPrefix("HTTP/2 503") == true, "\(refused.text)")
        #expect(refused.text.contains("\nretry-after: 3"))
        #expect(refused.text.hasSuffix(#"{"reason":"ServiceUnavailable"}"#))
        #expect(try await push(mock).lines.first?.hasPrefix("HTTP/2 200") == true)
        let counters = try await mock.stop()
        #expect(counters["refusals"] == .object(["ServiceUnavailable": .number(1)]))
    }

    @Test(arguments: ["accept-all", "apple", "delay=2ms", "apple,delay=1ms"])
    func runSendsAllThereIs(personality: String) async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "2000",
            "--json",
            "--quiet",
            "--mock-option",
            "personality=\(personality)"
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.json()["runs"][0]["account"]["accepted"].int == 2000)
    }

    @Test func reasonsMeetTheSameTokensEachTime() async throws {
        let mock = try await RunningMock(
            "--plain",
            "--auth",
            "off",
            "--personality",
            "Unregistered=5%,BadTopic=2%,seed=3"
        )
        var counts: [JSONNode] = []
        for _ in 0..<2 {
            let outcome = try await Program.pushbench(
                ["run", "--installs", "3000", "--json", "--quiet"] + mock.flags
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
            counts.append(try outcome.json()["runs"][0]["account"]["rejected"])
        }
        #expect(counts[0] == counts[1])
        // Four standard deviations around the shares.
        #expect((102...198).contains(counts[0]["Unregistered"].int ?? 0), "\(counts)")
        #expect((30...90).contains(counts[0]["BadTopic"].int ?? 0), "\(counts)")
        _ = try await mock.stop()
    }

    @Test func faultsAreAccountedForOnBothSides() async throws {
        let folder = try Folder()
        let file = try folder.write(
            "p.json",
            """
            {"faults": {"refusedStream": "1%", "internalError": "1%", "reset": "0.1%"},
             "goAway": {"everyPushes": 700}}
            """
        )
        let mock = try await RunningMock("--plain", "--auth", "off", "--personality", file)
        let outcome = try await Program.pushbench(
            ["run", "--installs", "5000", "--json", "--quiet"] + mock.flags
        )
        let account = try outcome.json()["runs"][0]["account"]
        let counters = try await mock.stop()
        for fault in ["streamsRefused", "streamsFailed", "connectionResets", "goAways"] {
            #expect(counters[fault].int ?? 0 > 0, "\(fault)")
        }
        let accepted = try #require(account["accepted"].int)
        let unknown = try #require(account["unknown"].int)
        let processed = try #require(counters["accepted"].int)
        #expect((accepted...accepted + unknown).contains(processed), "\(account) \(counters)")
    }

    @Test(arguments: [
        ("appel", 2, "did you mean apple?"),
        ("apple,slowly", 2, "KEY=VALUE"),
        ("apple,dealy=5ms", 3, "did you mean delay?"),
        ("BadDeviceTokn=5%", 3, "did you mean BadDeviceToken?"),
        ("delay=5", 3, "5ms"),
        ("/no/such/file.json", 3, "no such file"),
    ])
    func whatCannotBeIsToldInASentence(text: String, code: Int32, part: String) async throws {
        for words in [
            ["mock", "--personality", text], ["run", "--mock-option", "personality=\(text)"],
        ] {
            let outcome = try await Program.pushbench(words)
            #expect(outcome.code == code, "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
            #expect(outcome.errors.contains(part), "\(outcome.errors)")
        }
    }

    @Test func faultOfAFileNamesItsPath() async throws {
        let folder = try Folder()
        let file = try folder.write(
            "p.json",
            #"{"settings": {"changes": [{"at": "1s", "frame": 1}]}}"#
        )
        try expectFaults(
            try await Program.pushbench("mock", "--personality", file),
            ["unknown_field settings.changes[0].frame"]
        )
    }
}
