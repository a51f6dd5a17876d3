import Foundation
import Testing

/// `pushbench decode`: what a device reads, through the program.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DecodeTests {
    @Test(arguments: ["apns", "mapp", "xulo"])
    func whatRenderWritesDecodeReads(dialect: String) async throws {
        let rendered = try await Program.pushbench(
            "render",
            "--dialect",
            dialect,
            "--language",
            "de-AT"
        )
        #expect(rendered.code == 0, "\(rendered.errors)")
        let outcome = try await Program.pushbench(
            "decode",
            "--dialect",
            dialect,
            input: rendered.text
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        let json = try outcome.json()
        #expect(json["dialect"] == .string(dialect))
        #expect(json["title"] == .string("Heute bei dir 🚚"))
        #expect(json["body"].string?.hasPrefix("Deine Bestellung") == true)
        #expect(json["userInfo"]["aps"]["alert"]["title"] == json["title"])
    }

    @Test func encryptedBodiesOpenWithTheInstallsKeyAlone() async throws {
        let folder = try Folder()
        for keys in ["mine.pem", "other.pem"] {
            let made = try await Program.pushbench(
                ["installs", "generate", "--count", "1", "--uids", "--keys", "1"]
                    + ["--private-keys", keys, "--format", "ndjson", "--out", keys + ".json"],
                in: folder.path
            )
            #expect(made.code == 0, "\(made.errors)")
        }
        let rendered = try await Program.pushbench(
            [
                "render", "--dialect", "salesforce", "--install", "mine.pem.json", "--language",
                "tr",
            ],
            in: folder.path
        )
        #expect(rendered.code == 0, "\(rendered.errors)")
        #expect(rendered.text.contains(#""encrypted":true"#))
        #expect(!rendered.text.contains("Nordlys"))
        let opened = try await decode(rendered.text, ["--private-key", "mine.pem"], folder)
        #expect(opened.code == 0, "\(opened.errors)")
        let json = try opened.json()
        #expect(json["encrypted"] == .bool(true))
        #expect(json["title"] == .string("Siparişin yola çıktı 🚚"))
        #expect(json["body"].string?.contains("Nordlys") == true)
        #expect(json["type"].int == -1)
        #expect(json["userInfo"]["content"] == .absent)
        for (words, code) in [
            (["--private-key", "other.pem"], "-1009"), ([], "-1008"),
            (["--private-key", "none.pem"], "-1008"),
            (["--private-key", "mine.pem.json"], "-1008"),
        ] {
            let refused = try await decode(rendered.text, words, folder)
            #expect(refused.code == 3)
            #expect(refused.text == "")
            #expect(refused.errorLines.count == 1)
            #expect(refused.errors.hasPrefix(#"{"code":"\#(code)","path":"secret","message":"#))
        }
    }

    private func decode(
        _ body: String,
        _ words: [String],
        _ folder: Folder
    ) async throws -> Program.Outcome {
        try await Program.pushbench(
            ["decode", "--dialect", "salesforce"] + words,
            input: body,
            in: folder.path
        )
    }

    @Test(arguments: [
        (#"{"encrypted":1,"secret":"","content":"","aps":{"alert":"x"}}"#, "-1006", "aps.alert"),
        ("[]", "wrong_type", ""), ("{", "invalid_json", ""), ("", "invalid_json", ""),
    ])
    func refusalIsOneJSONLine(body: String, code: String, path: String) async throws {
        let outcome = try await Program.pushbench(
            "decode",
            "--dialect",
            "salesforce",
            "--json",
            input: body
        )
        #expect(outcome.code == 3)
        #expect(outcome.text == "")
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix(#"{"code":"\#(code)","path":"\#(path)","message":""#))
    }

    @Test func theDialectMustBeSaid() async throws {
        for words in [["decode"], ["decode", "--dialect", "fax"]] {
            let outcome = try await Program.pushbench(words, input: "{}")
            #expect(outcome.code == 2)
            #expect(outcome.errors.contains("--dialect"))
        }
    }

    @Test func aSalesforceBodyNeedsItsInstallsUser() async throws {
        let outcome = try await Program.pushbench("render", "--dialect", "salesforce")
        #expect(outcome.code == 3)
        #expect(outcome.errors.hasPrefix(#"{"code":"missing_field","path":"install.uid","#))
    }

    @Test func aRunTellsScarceRoomAndStoresSizesByLanguage() async throws {
        let text = String(repeating: "a", count: 4_000)
        let message =
            #"{"dialect":"mapp","uniqueID":1,"body":{"en":"\#(text)","tr":"x"}}"#
        for words in [[], ["--quiet"]] {
            let outcome = try await Program.pushbench(
                ["run", "--message", "-", "--installs", "20", "--json"] + words,
                input: message
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
            let told = [
                "Largest body (en): 4035 of 4096 bytes, 61 bytes left.", "  en: 4035 bytes",
                "  tr: 36 bytes",
            ]
            #expect(outcome.errorLines == (words.isEmpty ? told : []))
            let sizes = try outcome.json()["workload"]["bodyBytes"]
            #expect(sizes["limit"].int == 4096)
            #expect(sizes["byLanguage"]["en"].int == 4035)
            #expect(sizes["byLanguage"]["tr"].int == 36)
        }
    }
}
