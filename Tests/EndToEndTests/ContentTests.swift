import Foundation
import Testing

/// `--verify content` with the binary: in a run, and in a mock by itself.
@Suite(.timeLimit(.minutes(2))) struct ContentTests {
    private static let check = ["--mock-option", "verify=content", "--quiet"]

    @Test(arguments: ["apns", "mapp", "salesforce", "xulo"])
    func everyInstallGetsItsOwnText(_ dialect: String) async throws {
        let words = ["run", "--installs", "2000", "--dialect", dialect, "--json"]
        let outcome = try await Program.pushbench(words + Self.check)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 2000))
    }

    @Test func installsMayComeAgainWhereTheRunRepeats() async throws {
        for flags in [["--pushes", "1000"], ["--repeat", "2"]] {
            let words = ["run", "--installs", "400"] + flags
            let outcome = try await Program.pushbench(words + Self.check)
            #expect(outcome.code == 0, "\(outcome.errors)")
        }
    }

    /// Installs with keys of their own, three of ten without a cipher name.
    private func installs(_ folder: Folder, _ name: String) async throws -> (String, String) {
        let file = "\(folder.path)/\(name).csv"
        let keys = "\(folder.path)/\(name).pem"
        let outcome = try await Program.pushbench(
            [
                "installs", "generate", "--count", "200", "--keys", "4", "--uids", "--badges",
                "--pkcs1-share", "30", "--out", file, "--private-keys", keys,
            ],
            within: 100
        )
        try #require(outcome.code == 0, "\(outcome.errors)")
        return (file, keys)
    }

    @Test func encryptedContentsAreOpenedAndCompared() async throws {
        let folder = try Folder()
        let (file, keys) = try await installs(folder, "a")
        let words = ["run", "--dialect", "salesforce", "--installs", file] + Self.check
        for mode in ["inline", "prepared"] {
            let outcome = try await Program.pushbench(
                words + ["--encryption", mode, "--mock-option", "private-keys=\(keys)"]
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
        }
        let without = try await Program.pushbench(words)
        #expect(without.code == 3)
        #expect(without.errors.contains("private-keys"))
        // A mock by itself: with the keys it opens all, without them none.
        for (flags, fault) in [(["--private-keys", keys], nil), ([], "no_private_key")] {
            let mock = try await RunningMock(flags: ["--plain", "--verify", "content"] + flags)
            let outcome = try await Program.pushbench(
                ["run", "--dialect", "salesforce", "--installs", file, "--quiet"] + mock.flags
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
            let counts = try await mock.stop()
            #expect(counts["contentChecked"].int == 200)
            let expected: [String: JSONNode] = fault.map { [$0: .number(200)] } ?? [:]
            #expect(counts["contentFaults"].members == expected)
        }
    }

    @Test(arguments: [
        (#"{"message":"other.json","installs":500}"#, "wrong_text 500"),
        (#"{"message":"own.json","installs":500,"seed":2}"#, "unknown_install 500"),
        (#"{"message":"own.json","installs":500,"languages":"en=1,tr=1"}"#, "wrong_language"),
    ])
    func anotherExpectationEndsTheRunWithEight(_ scenario: String, _ fault: String) async throws {
        let folder = try Folder()
        let own = try folder.write("own.json", Self.message("Hello", "Merhaba"))
        try folder.write("other.json", Self.message("Good-bye", "Hoşça kal"))
        let expected = try folder.write("expected.json", scenario)
        let outcome = try await Program.pushbench(
            ["run", "--message", own, "--installs", "500", "--languages", "tr=1"]
                + ["--mock-option", "expect=\(expected)"] + Self.check
        )
        #expect(outcome.code == 8)
        #expect(outcome.errors.contains(fault), "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1)
    }

    private static func message(_ english: String, _ turkish: String) -> String {
        #"{"dialect":"xulo","contents":{"en":"\#(english)","tr":"\#(turkish)"},"draft_id":1}"#
    }

    @Test func aScenarioServesBothSides() async throws {
        let folder = try Folder()
        try folder.write("message.json", Self.message("Hello", "Merhaba"))
        let scenario = try folder.write(
            "scenario.json",
            #"{"message":"message.json","installs":300,"seed":9}"#
        )
        let mock = try await RunningMock(
            flags: ["--plain", "--verify", "content", "--expect", scenario]
        )
        for faults in [[:], ["duplicate_install": JSONNode.number(300)]] {
            let outcome = try await Program.pushbench(["run", scenario, "--quiet"] + mock.flags)
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try await mock.statistics()["contentFaults"].members == faults)
        }
        _ = try await mock.stop()
    }

    @Test(arguments: [
        (["mock", "--expect", "x"], 2, "--verify content"),
        (["mock", "--private-keys", "x", "--verify", "full"], 2, "--verify content"),
        (["mock", "--verify", "content", "--private-keys", "/nowhere"], 3, "private keys file"),
        (["mock", "--verify", "content", "--expect", "/nowhere"], 3, "expectation file"),
        (["mock", "--verify", "content", "--dialect", "x"], 2, "xulo"),
        (["mock", "--verify", "content", "--dialect", "xulo", "--expect", "x"], 2, "give one"),
        (["run", "--installs", "-", "--mock-option", "verify=content"], 2, "second time"),
    ])
    func flagsThatDoNotFitAreToldInASentence(
        _ words: [String],
        _ code: Int32,
        _ part: String
    ) async throws {
        let outcome = try await Program.pushbench(words)
        #expect(outcome.code == code)
        #expect(outcome.errors.contains(part), "\(outcome.errors)")
    }
}
