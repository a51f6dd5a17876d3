import Foundation
import Testing

/// `--help` of every command.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct HelpTests {
    /// Every command with the flags that scripts depend on (design 4), as far as they are there.
    private static let commands: [(String, [String])] = [
        (
            "run",
            [
                "target", "message", "dialect", "installs", "languages", "seed", "connections",
                "streams", "rate", "arrivals", "pushes", "duration", "warmup", "render-workers",
                "loops", "engine", "auth-key", "key-id", "team-id", "cert", "cert-key",
                "cert-password-file", "topic", "cacert", "insecure", "slo", "repeat", "shard",
                "out",
                "save", "mock-option", "metrics-listen", "strict", "allow-void", "quiet", "json",
                "option",
            ]
        ),
        (
            "mock",
            [
                "port", "host", "plain", "tls-cert", "tls-key", "ready-file", "auth", "client-ca",
                "broadcast-app", "verify", "environment", "idle-timeout", "loops", "metrics-listen",
            ]
        ),
        ("report", ["out", "plots", "json"]),
        ("render", ["message", "language", "install", "option", "topic", "strict", "json"]),
        ("decode", ["dialect", "private-key", "json"]),
        ("installs generate", ["count", "languages", "seed", "format", "out"]),
        ("installs check", ["strict", "json"]),
        (
            "compare",
            [
                "baseline", "metric", "threshold", "alpha", "seed", "allow-different-machine",
                "store", "format", "out", "json",
            ]
        ),
        (
            "ab",
            ["a", "b", "pairs", "metric", "threshold", "seed", "quiet", "format", "out", "json"]
        ),
        ("results list", ["workload", "machine", "last", "store", "json"]),
        ("results show", ["workload", "machine", "last", "store", "json"]),
        (
            "results trend",
            ["workload", "machine", "last", "store", "metric", "threshold", "seed", "json"]
        ),
        ("results export", ["workload", "machine", "last", "store", "format", "out"]),
    ]

    @Test func overviewNamesEveryCommand() async throws {
        for word in ["--help", "-h", "help"] {
            let outcome = try await Program.pushbench(word)
            #expect(outcome.code == 0)
            #expect(outcome.errors == "")
            for (command, _) in Self.commands { #expect(outcome.text.contains("  \(command) ")) }
        }
        #expect(try await Program.pushbench("installs", "--help").code == 0)
        let version = try await Program.pushbench("--version")
        #expect(version.code == 0)
        #expect(version.text.hasPrefix("pushbench "))
    }

    @Test(arguments: 0..<commands.count)
    func helpNamesEveryFlagAndEveryFlagOfTheHelpIsTaken(index: Int) async throws {
        let (command, flags) = Self.commands[index]
        let words = command.split(separator: " ").map(String.init)
        let outcome = try await Program.pushbench(words + ["--help"])
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
        #expect(outcome.lines.first?.hasPrefix("usage: pushbench \(command)") == true)
        #expect(outcome.lines.allSatisfy { $0.count <= 100 })
        for flag in flags { #expect(outcome.text.contains("\n  --\(flag)"), "--\(flag)") }
        // What is known complains of the missing value at most.
        for line in outcome.lines where line.hasPrefix("  --") {
            let name = try #require(line.split(separator: " ").first)
            guard name != "--help" else { continue }
            let slip = try await Program.pushbench(words + ["\(name)="])
            #expect(!slip.errors.contains("Unknown"), "\(slip.errors)")
        }
    }
}
