import Foundation
import Testing

/// `pushbench mock` as others' clients see it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct MockCommandTests {
    private static let token = String(repeating: "ab", count: 32)

    @Test func statisticsAreServedOverHTTP2AndCanBeReset() async throws {
        for flags in ["--plain", "--quiet"] {
            let mock = try await RunningMock(flags)
            let sent = try await Program.pushbench(["run", "--installs", "70"] + mock.flags)
            #expect(sent.code == 0, "\(sent.errors)")
            let counters = try await mock.statistics()
            #expect(counters["schema"] == .string("pushbench.mock/1"))
            #expect(counters["accepted"].int == 70)
            _ = try await mock.curl("/_pushbench/reset", ["--request", "POST"])
            #expect(try await mock.statistics()["accepted"].int == 0)
            _ = try await mock.stop()
        }
    }

    /// A request by curl, and the status and reason of its answer.
    @Test(arguments: [
        (["--data", "{}"], "/nowhere", "404", "BadPath"),
        (["--data", "{}"], "/2/device/ab", "404", "BadPath"),
        (["--data", "{}"], "/3/device/", "400", "MissingDeviceToken"),
        ([], "/3/device/ab", "405", "MethodNotAllowed"),
        (["--data", "{}"], "/3/device/ab", "403", "MissingProviderToken"),
    ])
    func refusalIsApples(
        flags: [String],
        path: String,
        status: String,
        reason: String
    ) async throws {
        let mock = try await RunningMock("--plain")
        let outcome = try await mock.curl(path, ["--include"] + flags)
        #expect(outcome.lines.first?.hasPrefix("HTTP/2 \(status)") == true, "\(outcome.text)")
        #expect(outcome.text.contains("\napns-id: "))
        #expect(outcome.text.hasSuffix(#"{"reason":"\#(reason)"}"#))
        let counters = try await mock.stop()
        #expect(counters["refusals"] == .object([reason: .number(1)]))
    }

    @Test func curlsOwnPushIsAccepted() async throws {
        let mock = try await RunningMock("--auth", "off")
        let outcome = try await mock.curl(
            "/3/device/\(Self.token)",
            [
                "--include", "--header", "apns-topic: com.example.app", "--header",
                "apns-push-type: alert", "--data", #"{"aps":{"alert":"Hej"}}"#,
            ]
        )
        #expect(outcome.lines.first?.hasPrefix("HTTP/2 200") == true, "\(outcome.text)")
        #expect(try await mock.stop()["accepted"].int == 1)
    }

    @Test func channelIsCreatedByCurlAndBroadcastTo() async throws {
        let mock = try await RunningMock("--auth", "off", "--broadcast-app", "com.example.app")
        let settings = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
        func channels(of app: String) async throws -> Program.Outcome {
            try await mock.curl("/1/apps/\(app)/channels", ["--include", "--data", settings])
        }
        let created = try await channels(of: "com.example.app")
        #expect(created.lines.first?.hasPrefix("HTTP/2 201") == true, "\(created.text)")
        let id = try #require(created.text.firstMatch(of: /apns-channel-id: \S+/)).output
        let sent = try await mock.curl(
            "/4/broadcasts/apps/com.example.app",
            [
                "--include", "--header", String(id), "--header", "apns-push-type: liveactivity",
                "--data", #"{"aps":{}}"#,
            ]
        )
        #expect(sent.lines.first?.hasPrefix("HTTP/2 200") == true, "\(sent.text)")
        #expect(sent.text.contains("\napns-request-id: "))
        let other = try await channels(of: "com.example.other")
        #expect(other.text.hasSuffix(#"{"reason":"FeatureNotEnabled"}"#), "\(other.text)")
        let counters = try await mock.stop()
        #expect(counters["accepted"].int == 1)
        #expect(counters["channelRequests"].int == 2)
    }

    @Test(arguments: [
        ("", nil),
        (",environment=production", nil),
        (",environment=sandbox", "BadEnvironmentKeyIdInToken"),
        (",key-id=KEY1234567,team-id=TEAM123456", nil),
        (",key-id=KEY7654321", "InvalidProviderToken"),
        (",team-id=TEAM654321", "InvalidProviderToken"),
    ])
    func keyIsBoundToWhatItsFlagSays(binding: String, reason: String?) async throws {
        let folder = try Folder()
        let make =
            "openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt "
            + "-out key.p8 && openssl ec -in key.p8 -pubout -out key.pem"
        _ = try await Program.shell(make, in: folder.path)
        let mock = try await RunningMock("--auth", folder.path + "/key.pem" + binding)
        let sent = try await Program.pushbench(
            [
                "run", "--installs", "20", "--json", "--auth-key", folder.path + "/key.p8",
                "--key-id", "KEY1234567", "--team-id", "TEAM123456",
            ] + mock.flags
        )
        let account = try sent.account()
        #expect(account.rejected == (reason.map { [$0: 20] } ?? [:]))
        #expect(account.addsUp)
        _ = try await mock.stop()
    }

    @Test(arguments: ["--plain", "--quiet"])
    func h2loadsPushesAreAccepted(transport: String) async throws {
        let folder = try Folder()
        let body = try folder.write("body.json", #"{"aps":{"alert":"Hej"}}"#)
        let mock = try await RunningMock(transport, "--auth", "off")
        let outcome = try await Program.run(
            "h2load",
            [
                "--requests=2000", "--clients=2", "--max-concurrent-streams=100",
                "--data=\(body)", "--header=apns-topic: com.example.app",
                "--header=apns-push-type: alert", "\(mock.target)/3/device/\(Self.token)",
            ]
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("2000 succeeded, 0 failed"), "\(outcome.text)")
        #expect(outcome.text.contains("2000 2xx"))
        let counters = try await mock.stop()
        #expect(counters["accepted"].int == 2000)
        #expect(counters["connectionsOpened"].int == 2)
    }

    @Test func readyFileThatCannotBeWrittenIsTold() async throws {
        expectSentence(
            try await Program.pushbench("mock", "--ready-file", "/no/such/ready.json"),
            code: 1,
            naming: ["/no/such/ready.json", "No such file"]
        )
    }

    /// The flags, the file that the record may not be, and the flag that is named.
    @Test(arguments: [
        (["--client-ca", "kept.pem"], "client-ca"),
        (["--auth", "./kept.pem,environment=sandbox"], "auth"),
        (["--personality", "kept.pem,delay=5ms"], "personality"),
        (["--ca-out", "kept.pem"], "ca-out"),
    ])
    func recordEmptiesNoOtherFlagsFile(flags: [String], name: String) async throws {
        let folder = try Folder()
        _ = try folder.write("kept.pem", "kept")
        let mock = try Program(
            path: Program.binary(),
            ["mock", "--record", "kept.pem"] + flags,
            in: folder.path
        )
        expectSentence(
            try await mock.finish(),
            code: 2,
            naming: ["--record kept.pem", "--\(name)"]
        )
        #expect(try folder.read("kept.pem") == Data("kept".utf8))
    }

    @Test func signalEndsTheWaitForTheReaderOfAReadyPipe() async throws {
        let folder = try Folder()
        _ = try await Program.shell("mkfifo pipe", in: folder.path)
        let mock = try Program(
            path: Program.binary(),
            ["mock", "--quiet", "--ready-file", "pipe"],
            in: folder.path
        )
        // Written before the pipe is opened.
        try await mock.wait {
            FileManager.default.fileExists(atPath: folder.path + "/pipe.ca.pem")
        }
        mock.signal(SIGTERM)
        #expect(try await mock.finish().code == 130)
    }

    @Test func addressOfAnotherMachineIsTold() async throws {
        expectSentence(
            try await Program.pushbench("mock", "--host", "192.0.2.1"),
            code: 1,
            naming: ["192.0.2.1"]
        )
    }
}
