import Foundation
import Testing

/// `pushbench report` as a program; what is on the page is the module's own test.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ReportTests {
    /// A folder with a small result in it.
    private func folder() async throws -> Folder {
        let folder = try Folder()
        let run = try await Program.pushbench(
            "run",
            "--installs",
            "100",
            "--quiet",
            "--out",
            "result.json",
            in: folder.path
        )
        try #require(run.code == 0, "\(run.errors)")
        return folder
    }

    @Test func writesThePageBesideTheResult() async throws {
        let folder = try await folder()
        let outcome = try await Program.pushbench("report", "result.json", in: folder.path)
        #expect(outcome.code == 0)
        #expect(outcome.text == "The page is result.html\n")
        let page = String(decoding: try folder.read("result.html"), as: UTF8.self)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(page.contains("<strong>result.json</strong>"))
        #expect(try folder.files() == ["result.html", "result.json"])
    }

    @Test func twoResultsGiveAPageNamedAfterBoth() async throws {
        let folder = try await folder()
        try folder.write("other.json", folder.read("result.json"))
        let words = ["report", "result.json", "other.json", "--plots", "none", "--json"]
        let outcome = try await Program.pushbench(words, in: folder.path)
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
        let node = try outcome.json()
        #expect(node["file"].string == "result-vs-other.html")
        #expect(try folder.read("result-vs-other.html").count == node["bytes"].int)
    }

    @Test func aDashIsStandardOutputAndInput() async throws {
        let folder = try await folder()
        let text = String(decoding: try folder.read("result.json"), as: UTF8.self)
        let outcome = try await Program.pushbench(
            "report",
            "-",
            "--plots",
            "none",
            input: text,
            in: folder.path
        )
        #expect(outcome.code == 0)
        #expect(outcome.text.hasPrefix("<!DOCTYPE html>"))
        #expect(outcome.text.hasSuffix("</html>\n"))
        #expect(try folder.files() == ["result.json"])
    }

    /// Two pages of one result differ in the word that their own scripts bear, and in nothing else.
    @Test func noTwoPagesShareTheirNonce() async throws {
        let folder = try await folder()
        var nonces: [String] = []
        for _ in 0..<2 {
            let outcome = try await Program.pushbench(
                "report",
                "result.json",
                "--out",
                "-",
                "--plots",
                "none",
                in: folder.path
            )
            let parts = outcome.text.split(separator: " nonce=\"")
            nonces.append(String(try #require(parts.dropFirst().first).prefix { $0 != "\"" }))
        }
        #expect(nonces[0].count > 15)
        #expect(nonces[0] != nonces[1])
    }

    @Test func historyIsOfTheSameMachineAndWorkload() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        for day in 1...24 {
            try results.store(results.result(runs: 1, factor: day > 12 ? 1.2 : 1, day: day))
        }
        let other = try results.result(runs: 1, day: 25) { result in
            var machine = result["machine"] as? [String: Any] ?? [:]
            machine["key"] = "\(machine["key"] ?? "")-and-more"
            result["machine"] = machine
        }
        try results.store(other)
        try results.write("new.json", results.result(runs: 1, factor: 1.2, day: 26))
        let words = ["report", "new.json", "--history", "--plots", "none", "--out", "-"]
        let outcome = try await Program.pushbench(words, in: folder.path)
        #expect(outcome.code == 0 && outcome.errors == "", "\(outcome.errors)")
        #expect(outcome.text.contains(/worse \+[0-9.]+% since 20260113T120000Z-000023/))
        #expect(outcome.text.contains("The 25 results"))
        #expect(outcome.text.contains("this result"))
        #expect(!outcome.text.contains("20260125T120000Z"))
        let without = try await Program.pushbench(
            ["report", "new.json", "--plots", "none", "--out", "-"],
            in: folder.path
        )
        #expect(!without.text.contains("id=\"history\""))
    }

    @Test(arguments: [
        (["report"], 2, "needs a result"),
        (["report", "missing.json"], 3, "missing.json"),
        (["report", "cut.json"], 3, "cut.json"),
        (["report", "result.json", "--out", "result.json"], 2, "is the result itself"),
        (["report", "result.json", "--out", "no/such/page.html"], 1, "make its folder first"),
        (["report", "result.json", "--plots", "missing.js"], 3, "missing.js"),
        (["report", "result.json", "--plots", "cut.json"], 3, "is not D3"),
        (["report", "result.json", "--store", "."], 2, "--store is for --history"),
        (["report", "-", "-"], 2, "Both results are standard input"),
    ])
    func whatIsWrongIsSaidInOneSentence(words: [String], code: Int32, part: String) async throws {
        let folder = try await folder()
        try folder.write("cut.json", #"{"schema":"pushbench.result/1","#)
        let outcome = try await Program.pushbench(words, in: folder.path)
        #expect(outcome.code == code)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains(part), "\(outcome.errors)")
        #expect(outcome.text == "")
        #expect(try folder.files() == ["cut.json", "result.json"])
    }

    @Test func aResultOfALaterSchemaIsNamed() async throws {
        let folder = try await folder()
        let text = String(decoding: try folder.read("result.json"), as: UTF8.self)
        let later = text.replacingOccurrences(of: "pushbench.result/1", with: "pushbench.result/9")
        try folder.write("later.json", later)
        let outcome = try await Program.pushbench("report", "later.json", in: folder.path)
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("pushbench.result/9"))
    }
}
