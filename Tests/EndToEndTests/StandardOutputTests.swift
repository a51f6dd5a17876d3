import Foundation
import Testing

/// `-` in the place of a file that is written.
@Suite(.timeLimit(.minutes(2)))
struct StandardOutputTests {
    @Test(arguments: [
        (["run", "--json", "--out", "-"], ["--json", "--out -"]),
        (["run", "--json", "--rejected-out", "-"], ["--json", "--rejected-out -"]),
        (["run", "--out", "-", "--rejected-out", "/dev/stdout"], ["--out -", "--rejected-out"]),
        (["run", "--journal", "-"], ["--journal -", "no file"]),
        (["mock", "--ready-file", "-"], ["--ready-file -", "no file"]),
        (["mock", "--ca-out", "-"], ["--ca-out -", "no file"]),
        (["report", "result.json", "--json", "--out", "-"], ["--json", "--out -"]),
        (
            ["installs", "generate", "--keys", "1", "--uids", "--private-keys", "-"],
            ["--private-keys FILE"]
        ),
    ])
    func placeThatIsTakenOrMustBeAFileIsRefused(words: [String], naming: [String]) async throws {
        let folder = try Folder()
        expectSentence(
            try await Program.pushbench(words, in: folder.path),
            code: 2,
            naming: naming
        )
        #expect(try folder.files() == [])
    }

    @Test func rejectedTokensGoToStandardOutputAlone() async throws {
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            [
                "run", "--installs", "400", "--rejected-out", "-", "--mock-option",
                "personality=Unregistered=20%",
            ],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.lines.first == "token,reason,timestamp")
        let rows = outcome.lines.dropFirst()
        #expect(rows.count > 20)
        #expect(rows.allSatisfy { $0.contains(",Unregistered,") })
        #expect(outcome.errors.contains("\(rows.count) rejected"), "the summary is on stderr")
        #expect(try folder.files() == [])
    }

    @Test func resultGoesToStandardOutputAlone() async throws {
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            ["run", "--installs", "50", "--out", "-"],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 50))
        #expect(outcome.errors.contains("50 accepted"), "the summary is on stderr")
        #expect(try folder.files() == [])
    }
}
