import Foundation
import Testing

/// What a person sees: the live line, colours, Ctrl-C on the keyboard.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TerminalTests {
    private static let clearLine = "\r\u{1B}[K"

    /// Starts pushbench on a terminal of its own, by way of `script`, that is so many columns wide.
    private func start(
        _ words: String,
        columns: Int = 100,
        environment: [String: String?] = [:]
    ) throws -> Program {
        let binary = try Program.binary()
        return try Program(
            path: "/usr/bin/script",
            [
                "--quiet", "--return", "--command", "stty cols \(columns); exec \(binary) \(words)",
                "/dev/null",
            ],
            keepsInput: true,
            environment: ["TERM": "xterm", "SHELL": "/bin/sh"].merging(environment) { $1 }
        )
    }

    private func run(
        _ words: String,
        columns: Int = 100,
        environment: [String: String?] = [:]
    ) async throws -> Program.Outcome {
        let program = try start(words, columns: columns, environment: environment)
        let outcome = try await program.finish()
        program.type("", isLast: true)
        return outcome
    }

    private let load = "run --installs 500 --rate 500 --duration 1500ms"
    /// Long enough for lines after the first second on a busy machine too.
    private let longerLoad = "run --installs 500 --rate 500 --duration 4s"

    @Test func liveLineTellsRateCountAndRemainingTimeAndIsCleared() async throws {
        let outcome = try await run(longerLoad)
        let parts = outcome.text.components(separatedBy: Self.clearLine)
        #expect(parts.count > 3, "\(outcome.text)")
        let live = parts.dropFirst().dropLast()
        #expect(live.allSatisfy { !$0.contains("\n") })
        let last = try #require(live.last)
        for word in ["/s", "acknowledged", "in flight", "left"] { #expect(last.contains(word)) }
        #expect(live.contains { $0.contains("p99") }, "after the first second")
        #expect(parts.last?.contains("throughput") == true, "the summary stands alone")
        #expect(outcome.text.contains("\u{1B}[1m"), "the headline is set off")
    }

    @Test func liveLineFitsANarrowTerminal() async throws {
        let outcome = try await run(longerLoad, columns: 40)
        let parts = outcome.text.components(separatedBy: Self.clearLine).dropFirst().dropLast()
        #expect(parts.count > 2)
        #expect(parts.allSatisfy { $0.count < 40 }, "\(parts)")
    }

    @Test(arguments: ["TERM=dumb", "CI=true", "--quiet"])
    func noLiveLineWhereItIsNotWanted(reason: String) async throws {
        let pair = reason.split(separator: "=").map(String.init)
        let environment = pair.count == 2 ? [pair[0]: pair[1]] : [:]
        let words = pair.count == 2 ? load : "\(load) \(reason)"
        let outcome = try await run(words, environment: environment)
        #expect(!outcome.text.contains("\u{1B}[K"))
        #expect(outcome.text.contains("accepted"))
        if reason == "TERM=dumb" { #expect(!outcome.text.contains("\u{1B}")) }
    }

    @Test func noColourWhereItIsNotWanted() async throws {
        let outcome = try await run("run --installs 50 --quiet", environment: ["NO_COLOR": "1"])
        #expect(outcome.text.contains("50 accepted"))
        #expect(!outcome.text.contains("\u{1B}"))
    }

    @Test func summaryOnStderrHasNoColour() async throws {
        let outcome = try await run("run --installs 50 --quiet --out -")
        #expect(outcome.text.contains("50 accepted"))
        #expect(!outcome.text.contains("\u{1B}[1m"))
        #expect(!outcome.text.contains("\u{FFFD}"))
    }

    @Test func controlCStopsPolitelyAndTheMockAnswersToTheEnd() async throws {
        let program = try start("run --installs 500 --rate 500 --duration 60s")
        // A live line with pushes: the run is under way.
        try await program.wait { program.text.contains("acknowledged") && !self.isAtZero(program) }
        program.type("\u{3}")
        let outcome = try await program.finish()
        #expect(outcome.code == 130)
        let text = outcome.text
        let stopping = try #require(text.range(of: "Stopping"))
        #expect(text[..<stopping.lowerBound].hasSuffix(Self.clearLine), "on a line of its own")
        #expect(text.contains("PARTIAL"))
        #expect(text.contains("0 unknown"), "the mock is not stopped by the same key")
    }

    private func isAtZero(_ program: Program) -> Bool {
        let live = program.text.components(separatedBy: Self.clearLine).last ?? ""
        return live.isEmpty || live.contains(" 0 acknowledged")
    }
}
