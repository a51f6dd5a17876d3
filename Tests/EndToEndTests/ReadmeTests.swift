import Foundation
import Testing

/// Every ```sh block of the README does what it says: it runs.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReadmeTests {
    /// The blocks, in order; none where there is no README.
    private static let blocks: [String] = {
        let path = Program.root + "/README.md"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                if line == "```" {
                    blocks.append(lines.joined(separator: "\n"))
                    block = nil
                } else {
                    block = lines + [line]
                }
            } else if line == "```sh" {
                block = []
            }
        }
        return blocks
    }()

    @Test func thereAreBlocksToRun() {
        #expect(Self.blocks.count >= 3, "README.md is missing or shows too little")
    }

    @Test(arguments: blocks)
    func blockRuns(block: String) async throws {
        // A build inside a test run would wait for the test run's end: these scripts only have to
        // be there, and their own checks are the continuous integration.
        var script = ["set -euo pipefail"]
        for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
            let word = line.split(separator: " ").first.map(String.init) ?? ""
            if word.hasPrefix("./scripts/") || word.hasPrefix("scripts/") {
                let isThere = FileManager.default.isExecutableFile(
                    atPath: Program.root + "/" + word
                )
                #expect(isThere, "\(word)")
            } else if word == "pushbench", line.contains(" --rate "), !line.hasSuffix("&") {
                // A machine that is too busy misses a schedule, which is code 4 or 7.
                script.append(line + " || [[ $? == 4 || $? == 7 ]]")
            } else {
                script.append(String(line))
            }
        }
        let outcome = try await Program.shell(
            script.joined(separator: "\n"),
            in: Program.root,
            within: 300
        )
        #expect(outcome.code == 0, "\(block)\n\(outcome.text)\n\(outcome.errors)")
    }
}
