import Foundation
import Testing

/// The user's own input to `run`: scenarios, messages and audiences.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RunInputTests {
    private static let message =
        #"{"dialect":"xulo","contents":{"en":"Hi","tr":"Selam"},"draft_id":7}"#

    // MARK: - Scenarios

    @Test(arguments: ["order-update", "news-alert", "silent-refresh", "sports-live"])
    func readyScenarioRuns(name: String) async throws {
        let file = Program.root + "/Benchmarks/scenarios/\(name).json"
        // A schedule so short that a busy machine is not said to have missed it.
        let rated = name == "silent-refresh" ? ["--rate", "6000", "--warmup", "0s"] : []
        let outcome = try await Program.pushbench(
            ["run", file, "--installs", "300", "--json"] + rated
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.errors == "", "the messages of the scenarios give no warning")
        #expect(try outcome.account() == Account(allAccepted: 300))
        #expect(try outcome.json()["workload"]["settings"]["scenario"] == .string(name))
    }

    @Test func scenarioPathsStartAtItsFolder() async throws {
        let folder = try Folder()
        _ = try folder.makeFolder("deep")
        try folder.write("deep/message.json", Self.message)
        try folder.write("deep/installs.csv", "token\nabababab\ncdcdcdcd\n")
        try folder.write(
            "deep/scenario.json",
            #"{"message":"message.json","installs":"installs.csv","out":"result.json","quiet":true}"#
        )
        let outcome = try await Program.pushbench("run", "deep/scenario.json", in: folder.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let result = try JSONNode(folder.read("deep/result.json"))
        #expect(Account(of: result["runs"][0]) == Account(allAccepted: 2))
    }

    @Test(arguments: [
        ["--installs", "FILE"], ["--duration", "1s"], ["--dialect", "apns"],
        ["--message", "FILE.json"], ["--pushes", "3"],
    ])
    func commandLineBeatsTheScenario(words: [String]) async throws {
        let folder = try Folder()
        try folder.write("FILE", "token\nabababab\n")
        try folder.write("FILE.json", #"{"dialect":"apns","aps":{"alert":"Hej"}}"#)
        try folder.write("message.json", Self.message)
        try folder.write(
            "scenario.json",
            #"{"message":"message.json","installs":20,"languages":"en=1","pushes":10}"#
        )
        let outcome = try await Program.pushbench(
            ["run", "scenario.json", "--json"] + words,
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        let result = try outcome.json()
        let account = try outcome.account()
        #expect(account.addsUp)
        switch words[0] {
        case "--installs": #expect(result["workload"]["languages"] == .object(["none": .number(1)]))
        case "--duration": #expect(result["workload"]["settings"]["pushes"] == .absent)
        case "--dialect", "--message": #expect(result["workload"]["dialect"] == .string("apns"))
        default: #expect(account == Account(allAccepted: 3))
        }
    }

    /// A scenario's text, and the code, path and words of its fault.
    struct BadScenario: Sendable, CustomTestStringConvertible {
        let text: String
        let fault: String
        var words: [String] = []
        var testDescription: String { text }
    }

    @Test(arguments: [
        BadScenario(
            text: #"{"message":{},"instals":5}"#,
            fault: "unknown_field instals",
            words: ["did you mean installs?"]
        ),
        BadScenario(
            text: #"{"message":{},"render_workers":2}"#,
            fault: "unknown_field render_workers",
            words: ["did you mean renderWorkers?"]
        ),
        BadScenario(text: #"{"message":{},"help":true}"#, fault: "unknown_field help"),
        BadScenario(text: #"{"message":{},"installs":true}"#, fault: "wrong_type installs"),
        BadScenario(text: #"{"message":{},"json":"true"}"#, fault: "wrong_type json"),
        BadScenario(text: #"{"message":{},"slo":{"p99":1}}"#, fault: "wrong_type slo"),
        BadScenario(text: #"{"message":5}"#, fault: "wrong_type message"),
        BadScenario(text: #"{"installs":5}"#, fault: "missing_field message"),
        BadScenario(text: #"[]"#, fault: "wrong_type "),
        BadScenario(
            text: #"{"message":{},}"#,
            fault: "invalid_json ",
            words: ["line 1, column 15"]
        ),
        BadScenario(text: "", fault: "invalid_json ", words: ["empty"]),
    ])
    func badScenarioIsRefused(bad: BadScenario) async throws {
        let folder = try Folder()
        try folder.write("bad.json", bad.text)
        let outcome = try await Program.pushbench("run", "bad.json", in: folder.path)
        try expectFaults(outcome, [bad.fault])
        for word in bad.words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
    }

    @Test func faultsOfAScenariosMessageAreTheMessages() async throws {
        let folder = try Folder()
        try folder.write("s.json", #"{"message":{"dialect":"xulo","contents":{}},"installs":5}"#)
        let outcome = try await Program.pushbench("run", "s.json", in: folder.path)
        try expectFaults(outcome, ["missing_field contents", "missing_field draft_id"])
    }

    // MARK: - Messages

    @Test func messageFileAndSimulatorFileAreSent() async throws {
        let folder = try Folder()
        try folder.write("m.json", Self.message)
        try folder.write(
            "m.apns",
            #"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hej"},"k":1}"#
        )
        for file in ["m.json", "m.apns"] {
            let outcome = try await Program.pushbench(
                ["run", "--message", file, "--installs", "100", "--json"],
                in: folder.path
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try outcome.account() == Account(allAccepted: 100))
        }
    }

    @Test func messageTooLargeInOneLanguageStopsTheSend() async throws {
        let folder = try Folder()
        let long = String(repeating: "ü", count: 1995)
        try folder.write(
            "m.json",
            #"{"dialect":"xulo","contents":{"en":"Hi","tr":"\#(long)"},"draft_id":7}"#
        )
        let mock = try await RunningMock("--plain")
        let outcome = try await Program.pushbench(
            ["run", "--message", "m.json", "--installs", "10"] + mock.flags,
            in: folder.path
        )
        try expectFaults(outcome, ["payload_too_large contents.tr"])
        #expect(outcome.errors.contains("4096") && outcome.errors.contains("tr"))
        #expect(try await mock.stop()["connectionsOpened"].int == 0, "no byte has left")
    }

    @Test func warningsAreJSONLinesAndErrorsUnderStrict() async throws {
        let folder = try Folder()
        let message = #"{"dialect":"apns","aps":{"alert":"Hej","foo":1}}"#
        try folder.write("m.json", message)
        let words = ["run", "--message", "m.json", "--installs", "10", "--json"]
        let lenient = try await Program.pushbench(words, in: folder.path)
        #expect(lenient.code == 0)
        let faults = try lenient.faults()
        #expect(faults.map { $0["code"] } == [.string("unknown_aps_key")])
        #expect(faults.map { $0["severity"] } == [.string("warning")])
        try expectFaults(
            await Program.pushbench(words + ["--strict"], in: folder.path),
            ["unknown_aps_key aps.foo"]
        )
    }

    // MARK: - Audiences

    @Test(arguments: ["csv", "ndjson", "text"])
    func audienceOfAFileIsSentTo(ending: String) async throws {
        let folder = try Folder()
        let format = ending == "csv" ? "csv" : "ndjson"
        let words = ["installs", "generate", "--count", "300", "--uids", "--badges"]
        let file = "audience.\(ending)"
        let made = try await Program.pushbench(
            words + ["--format", format, "--out", file],
            in: folder.path
        )
        #expect(made.code == 0 && made.text == "")
        #expect(try folder.files() == [file])
        let sent = try await Program.pushbench(
            ["run", "--installs", file, "--json"],
            in: folder.path
        )
        #expect(sent.code == 0, "\(sent.errors)")
        #expect(try sent.account() == Account(allAccepted: 300))
    }

    private static let damaged = """
        token,language
        abababababababab,en
        zz,en
        abababababababac,tr

        abc,de
        abababababababad,sv,extra
        """

    @Test func malformedLinesAreToldByNumberAndTheRestGoesOn() async throws {
        let folder = try Folder()
        try folder.write("bad.csv", Self.damaged)
        let outcome = try await Program.pushbench(
            ["run", "--installs", "bad.csv", "--json"],
            in: folder.path
        )
        #expect(outcome.code == 0)
        #expect(try outcome.account() == Account(allAccepted: 2))
        #expect(outcome.errorLines.count == 4, "\(outcome.errors)")
        for word in ["line 3", "line 6", "line 7", "3 malformed lines"] {
            #expect(outcome.errors.contains(word), "\(outcome.errors)")
        }
    }

    @Test func malformedLineIsExitCode3UnderStrict() async throws {
        let folder = try Folder()
        try folder.write("bad.csv", Self.damaged)
        expectSentence(
            try await Program.pushbench(
                ["run", "--installs", "bad.csv", "--strict"],
                in: folder.path
            ),
            code: 3,
            naming: ["bad.csv", "line 3"]
        )
        let check = try await Program.pushbench(
            ["installs", "check", "bad.csv", "--json"],
            in: folder.path
        )
        #expect(check.code == 0)
        let report = try check.json()
        #expect(report["installs"].int == 2)
        #expect(report["faults"].elements.map { $0["line"].int } == [3, 6, 7])
        let strict = try await Program.pushbench(
            ["installs", "check", "bad.csv", "--strict"],
            in: folder.path
        )
        #expect(strict.code == 3)
    }

    @Test func audienceWithoutAGoodLineIsRefused() async throws {
        let folder = try Folder()
        try folder.write("bad.csv", "token\nzz\n")
        let outcome = try await Program.pushbench("run", "--installs", "bad.csv", in: folder.path)
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("line 2") && outcome.errors.contains("no installs"))
        #expect(outcome.text == "")
    }

    @Test func messageAndAudienceMayComeThroughPipes() async throws {
        let folder = try Folder()
        try folder.write("m.json", Self.message)
        let script = """
            pushbench installs generate --count 100 \
                | pushbench run --installs - --message <(cat m.json) --json > one.json
            pushbench run --message - --installs <(pushbench installs generate --count 90) --json \
                < m.json > two.json
            """
        let outcome = try await Program.shell("set -e\n" + script, in: folder.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        for (file, count) in [("one.json", 100), ("two.json", 90)] {
            let result = try JSONNode(folder.read(file))
            #expect(Account(of: result["runs"][0]) == Account(allAccepted: count))
        }
    }

    @Test func byteOrderMarkCRLFAndQuotesAreRead() async throws {
        let folder = try Folder()
        try folder.write(
            "a.csv",
            "\u{FEFF}\"token\",language\r\n\"abababab\",\"en\"\r\ncdcdcdcd,tr\r\n"
        )
        let outcome = try await Program.pushbench(
            ["run", "--installs", "a.csv", "--json"],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.json()["workload"]["languages"].members.keys.sorted() == ["en", "tr"])
    }
}
