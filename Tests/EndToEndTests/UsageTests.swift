import Foundation
import Testing

/// Words that make no command: exit code 2 and one sentence that names the thing and the mend.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct UsageTests {
    struct Slip: Sendable, CustomTestStringConvertible {
        let words: [String]
        let naming: [String]

        init(_ words: String, _ naming: String...) {
            // A word of two quotes is an empty one.
            self.words = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
            self.naming = naming
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    private static let slips = [
        Slip("runn", "runn", "did you mean run?"),
        Slip("fly", "fly", "--help"),
        Slip("--json", "--json", "--help"),
        Slip("installs", "installs generate", "installs check"),
        Slip("installs destroy", "installs generate"),
        Slip("run --instals 5", "--instals", "did you mean --installs?"),
        Slip("run --render_workers=2", "--render_workers", "did you mean --render-workers?"),
        Slip("run --frobnicate", "--frobnicate", "run --help"),
        Slip("run -n 5", "-n", "--help"),
        Slip("mock --prt 5", "--prt", "did you mean --port?"),
        Slip("render --mesage x", "--mesage", "did you mean --message?"),
        Slip("installs generate --cont 5", "--cont", "did you mean --count?"),
        Slip("run a.json b.json", "b.json", "run --help"),
        Slip("mock x", "'x'", "mock --help"),
        Slip("installs check", "installs check FILE"),
        Slip("run --installs", "--installs", "needs a value"),
        Slip("run --out --json", "--out", "--json"),
        Slip("run --installs ''", "--installs", "empty"),
        Slip("run --out=", "--out", "empty"),
        Slip("run --json=yes", "--json", "switch"),
        Slip("run --seed 1 --seed 2", "--seed", "twice"),
        Slip("run --quiet --quiet", "--quiet", "twice"),
        Slip("run --streams 0", "--streams 0", "1 to 1000000"),
        Slip("run --streams 1000001", "--streams 1000001", "1 to 1000000"),
        Slip("run --streams 5.5", "--streams 5.5", "whole number"),
        Slip("run --streams 99999999999999999999", "--streams", "whole number"),
        Slip("run --connections -1", "--connections -1"),
        Slip("run --connections 10000 --streams 1000000", "--connections", "--streams"),
        Slip("run --loops 0", "--loops 0"),
        Slip("run --render-workers none", "--render-workers none"),
        Slip("run --repeat 0", "--repeat 0"),
        Slip("run --seed -1", "--seed -1"),
        Slip("run --installs 0", "--installs 0"),
        Slip("run --installs -1", "--installs -1"),
        Slip("run --installs 1000000001", "--installs 1000000001"),
        Slip("run --rate 0", "--rate 0"),
        Slip("run --rate -5", "--rate -5"),
        Slip("run --rate nan", "--rate nan"),
        Slip("run --rate 1e300", "--rate 1e300", "1000000000"),
        Slip("run --rate 1e-300", "--rate 1e-300", "0.001"),
        Slip("run --rate fast", "--rate fast"),
        Slip("run --arrivals poisson", "--arrivals", "--rate"),
        Slip("run --rate 5 --arrivals often", "--arrivals often", "constant", "poisson"),
        Slip("run --pushes 0", "--pushes 0"),
        Slip("run --pushes 5 --duration 1s", "--pushes", "--duration"),
        Slip("run --duration 5", "--duration 5", "10s"),
        Slip("run --duration 5x", "--duration 5x"),
        Slip("run --duration 0s", "--duration 0s"),
        Slip("run --duration 1e30s", "--duration 1e30s"),
        Slip("run --duration 1s --warmup 2s", "--warmup", "--duration"),
        Slip("run --warmup -1s", "--warmup -1s"),
        Slip("run --shard 3/2", "--shard 3/2", "I/N"),
        Slip("run --shard 0/2", "--shard 0/2"),
        Slip("run --shard 1", "--shard 1"),
        Slip("run --target foo", "foo", "https://HOST:PORT"),
        Slip("run --target ftp://h:1", "ftp://h:1"),
        Slip("run --target https://", "https://"),
        Slip("run --target https://h:99999", "99999", "65535"),
        Slip("run --target https://h:0", "https://h:0", "65535"),
        Slip("run --target https://h:1/3/device", "/3/device"),
        Slip("run --target https://h:1#top", "#top"),
        Slip("run --target http://h:1 --mock-option plain", "--mock-option", "--target"),
        Slip("run --languages en", "en"),
        Slip("run --languages en=0", "0"),
        Slip("run --languages en=x", "'x'"),
        Slip("run --languages en=-1", "-1"),
        Slip("run --installs audience.csv --languages en=1", "--languages", "file"),
        Slip("run --dialect sms", "--dialect sms", "apns", "xulo"),
        Slip("run --dialect apns --message m.json", "--dialect", "--message"),
        Slip("run --engine curl", "--engine curl", "nghttp2"),
        Slip("run --option foo=1", "foo", "languageAliases"),
        Slip("run --option languageAliases=maybe", "languageAliases", "maybe"),
        Slip("run --option languageAliases", "languageAliases", "NAME=VALUE"),
        Slip("run --slo p99", "p99", "p99<50ms"),
        Slip("run --slo p99<50", "p99<50", "ms"),
        Slip("run --slo speed<5ms", "speed"),
        Slip("run --slo p99>5ms", "p99>5ms"),
        Slip("run --mock-option ''", "--mock-option", "empty"),
        Slip("run --mock-option =", "--mock-option ="),
        Slip("run --mock-option verfy=full", "verfy", "did you mean verify?"),
        Slip("run --mock-option ready-file=x", "ready-file"),
        Slip("run --mock-option verify=some", "verify", "some", "headers"),
        Slip("run --mock-option verify", "verify", "value"),
        Slip("run --mock-option plain=maybe", "plain"),
        Slip("run --auth-key k.p8", "--auth-key", "--key-id", "--team-id"),
        Slip("run --auth-key k.p8 --cert c.pem", "--auth-key", "--cert"),
        Slip("run --cert-key k.pem", "--cert-key", "--cert"),
        Slip("run --installs - --message -", "--installs", "--message", "stdin"),
        Slip("mock --port 65536", "--port 65536", "65535"),
        Slip("mock --tls-cert c.pem", "--tls-cert", "--tls-key"),
        Slip("mock --plain --tls-cert c.pem --tls-key k.pem", "--plain", "--tls-cert"),
        Slip("mock --verify most", "--verify most", "headers", "full"),
        Slip("mock --environment moon", "--environment moon", "production", "sandbox"),
        Slip("mock --streams 0", "--streams 0"),
        Slip("mock --auth off --auth any", "--auth off", "--auth any"),
        Slip("mock --auth k.pem,environment=moon", "environment=moon", "sandbox"),
        Slip("mock --auth k.pem,key-id=KEY", "key-id=KEY", "10 characters"),
        Slip("mock --auth k.pem,team", "'team'", "team-id=T"),
        Slip("mock --idle-timeout long", "--idle-timeout long", "10s"),
        Slip("render --dialect sms", "--dialect sms"),
        Slip("render --option x=y", "x"),
        Slip("installs generate --count 0", "--count 0"),
        Slip("installs generate --format xml", "--format xml", "csv", "ndjson"),
        Slip("installs generate --languages =5", "=5"),
    ]

    @Test(arguments: slips)
    func slipIsExitCode2(slip: Slip) async throws {
        let folder = try Folder()
        expectSentence(
            try await Program.pushbench(slip.words, in: folder.path),
            code: 2,
            naming: slip.naming
        )
        #expect(try folder.files() == [])
    }

    @Test func quotedValuesCannotSteerATerminal() async throws {
        for word in ["--\u{1B}[31mred", "a\nb", "\u{9B}31m"] {
            let slips = [
                [word], ["run", word], ["run", "--target", word], ["run", "--languages", word],
            ]
            for words in slips {
                let outcome = try await Program.pushbench(words)
                #expect(outcome.code == 2 || outcome.code == 3)
                #expect(outcome.errorLines.count == 1)
                let isClean = outcome.errors.dropLast().unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control
                }
                #expect(isClean, "\(outcome.errors.debugDescription)")
            }
        }
    }

    @Test func noCommandPrintsTheOverviewOnStderr() async throws {
        let outcome = try await Program.pushbench([])
        #expect(outcome.code == 2)
        #expect(outcome.text == "")
        #expect(outcome.errors.contains("usage: pushbench COMMAND"))
    }
}
