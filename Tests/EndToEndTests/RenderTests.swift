import Foundation
import Testing

/// `pushbench render`: exactly the bytes of the contract, through the program.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RenderTests {
    @Test(arguments: ContractRow.all)
    func bodyIsTheContractsFromAFileAndFromStdin(row: ContractRow) async throws {
        let folder = try Folder()
        try folder.write("m.json", row.message)
        for (path, input) in [("m.json", nil), ("-", row.message)] {
            let outcome = try await Program.pushbench(
                ["render", "--message", path] + row.flags,
                input: input,
                in: folder.path
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(outcome.text == row.body)
            #expect(outcome.errors == "")
        }
    }

    @Test func jsonHasTheKeysInOrderAndOnlyHeadersThatAreSent() async throws {
        let message = #"{"dialect":"apns","aps":{"alert":"Hej"}}"#
        let plain = try await Program.pushbench(
            "render",
            "--message",
            "-",
            "--json",
            input: message
        )
        #expect(
            plain.text == #"""
                {"dialect":"apns","language":null,"bytes":23,"body":"{\"aps\":{\"alert\":\"Hej\"}}","headers":{"apns-push-type":"alert","apns-priority":"10","apns-topic-suffix":""},"warnings":[]}

                """#
        )
        let full = try await Program.pushbench(
            ["render", "--message", "-", "--json", "--topic", "com.example.app"],
            input: #"""
                {"dialect":"xulo","contents":{"en":"Hi","tr":"Selam"},"draft_id":7,"expiration":0,
                "collapseId":"c","apnsId":"123E4567-E89B-12D3-A456-426655440000","priority":5}
                """#
        ).json()
        #expect(full["language"] == .string("en"))
        #expect(full["bytes"].int == full["body"].string?.utf8.count)
        #expect(
            full["headers"]
                == .object([
                    "apns-push-type": .string("alert"), "apns-priority": .string("5"),
                    "apns-topic": .string("com.example.app"), "apns-expiration": .string("0"),
                    "apns-collapse-id": .string("c"),
                    "apns-id": .string("123e4567-e89b-12d3-a456-426655440000"),
                ])
        )
    }

    @Test func simulatorFileCarriesItsTopic() async throws {
        let folder = try Folder()
        try folder.write(
            "m.apns",
            #"{"Simulator Target Bundle":"com.example.app","aps":{"content-available":1},"k":[1]}"#
        )
        let outcome = try await Program.pushbench(
            ["render", "--message", "m.apns", "--json"],
            in: folder.path
        )
        let json = try outcome.json()
        #expect(json["body"] == .string(#"{"aps":{"content-available":1},"k":[1]}"#))
        #expect(json["headers"]["apns-topic"] == .string("com.example.app"))
        #expect(json["headers"]["apns-push-type"] == .string("background"))
    }

    @Test func installGivesLanguageAndBadgeAndTheFlagBeatsIt() async throws {
        let folder = try Folder()
        try folder.write(
            "m.json",
            #"{"dialect":"apns","aps":{"alert":{"body":{"en":"Hi","tr":"Selam"}},"badge":1}}"#
        )
        try folder.write(
            "i.json",
            #"{"token":"abab","language":"tr-TR","badge":9,"uid":"u","favourite":"blue"}"#
        )
        let words = ["render", "--message", "m.json", "--install", "i.json"]
        let own = try await Program.pushbench(words, in: folder.path)
        #expect(own.text == #"{"aps":{"alert":{"body":"Selam"},"badge":9}}"#)
        let other = try await Program.pushbench(words + ["--language", "de"], in: folder.path)
        #expect(other.text == #"{"aps":{"alert":{"body":"Hi"},"badge":9}}"#)
    }

    @Test(arguments: [
        (#"{"language":"tr"}"#, "missing_field install.token"),
        (#"{"token":"abc"}"#, "invalid_token install.token"),
        (#"{"token":"abab","badge":"3"}"#, "wrong_type install.badge"),
        (#"[]"#, "wrong_type install"), ("nope", "invalid_json install"),
    ])
    func badInstallIsAFaultOfTheInstall(text: String, fault: String) async throws {
        let folder = try Folder()
        try folder.write("i.json", text)
        try expectFaults(
            await Program.pushbench("render", "--install", "i.json", in: folder.path),
            [fault]
        )
    }

    @Test func missingInstallFileIsAFaultToo() async throws {
        let outcome = try await Program.pushbench("render", "--install", "/no/such")
        try expectFaults(outcome, ["invalid_json install"])
        #expect(outcome.errors.contains("/no/such"))
    }

    @Test func warningsAreJSONOnStderrWithCode0AndErrorsUnderStrict() async throws {
        let message = #"{"dialect":"xulo","contents":{"en":"Hi"},"draft_id":7,"colapseId":"x"}"#
        let words = ["render", "--message", "-"]
        let lenient = try await Program.pushbench(words, input: message)
        #expect(lenient.code == 0)
        #expect(lenient.text == ContractRow.xuloBody(alert: #""body":"Hi""#))
        let faults = try lenient.faults()
        #expect(faults.count == 1)
        #expect(faults[0]["code"] == .string("unknown_field"))
        #expect(faults[0]["path"] == .string("colapseId"))
        #expect(faults[0]["severity"] == .string("warning"))
        #expect(faults[0]["message"].string?.contains("collapseId") == true)

        let json = try await Program.pushbench(words + ["--json"], input: message).json()
        #expect(json["warnings"].elements == faults)

        let strict = try await Program.pushbench(words + ["--strict"], input: message)
        try expectFaults(strict, ["unknown_field colapseId"])
        #expect(try strict.faults()[0]["severity"] == .absent)
    }

    @Test(arguments: ContractRow.refused)
    func refusedRowHasItsCodeAndPath(message: String, fault: String) async throws {
        try expectFaults(
            await Program.pushbench("render", "--message", "-", input: message),
            [fault]
        )
    }
}
