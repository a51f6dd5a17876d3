import Foundation
import Testing

/// Apple's hosts are refused, from the command line alone, unless all is given that a send there needs.
///
/// No test gets as far as a name service.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AppleGuardTests {
    /// Everything that a send to Apple needs, and a message that is not there: what passes the guard
    /// ends at that.
    private static let complete = [
        "run", "--message", "/nonexistent/message.json", "--installs", "/nonexistent/installs.csv",
        "--auth-key", "/nonexistent/AuthKey_ABCDE12345.p8", "--team-id", "TEAMTEAM00", "--topic",
        "com.example.app", "--rate", "50", "--i-mean-apple", "--target",
    ]
    private static let host = "https://api.push.apple.com"

    /// The complete command without a flag and its value.
    private func without(_ flag: String) -> [String] {
        var words = Self.complete
        guard let index = words.firstIndex(of: flag) else { return words }
        words.removeSubrange(index...(flag == "--i-mean-apple" ? index : index + 1))
        return words
    }

    @Test(arguments: [
        "https://api.push.apple.com", "https://api.push.apple.com:443",
        "https://api.sandbox.push.apple.com:2197", "https://api.development.push.apple.com",
        "https://API.Push.Apple.COM/", "https://api.push.apple.com.", "https://push.apple.com",
        "https://any.thing.push.apple.com", "http://api.push.apple.com",
    ])
    func refusedUnlessMeant(target: String) async throws {
        for words in [["run", "--target", target], without("--i-mean-apple") + [target]] {
            expectSentence(
                try await Program.pushbench(words),
                code: 2,
                naming: ["Apple", "real devices", "--i-mean-apple", "--rate", "1000"]
            )
        }
    }

    @Test(arguments: [
        ("--rate", "closed loop"), ("--installs", "synthetic"), ("--auth-key", "give both"),
        ("--topic", "--topic"),
    ])
    func refusedWhereSomethingIsMissing(flag: String, word: String) async throws {
        expectSentence(
            try await Program.pushbench(without(flag) + [Self.host]),
            code: 2,
            naming: [word]
        )
    }

    @Test(arguments: [
        (["--rate", "1001"], "--rate 1001 is over 1000"),
        (["--installs", "100"], "synthetic"),
        (["--insecure"], "--insecure"),
    ])
    func refusedWhereItWouldHarm(flags: [String], words: String) async throws {
        expectSentence(
            try await Program.pushbench(without(flags[0]) + [Self.host] + flags),
            code: 2,
            naming: ["Apple", words]
        )
    }

    @Test func throwAwayKeyIsRefused() async throws {
        var words = without("--auth-key")
        if let index = words.firstIndex(of: "--team-id") { words.removeSubrange(index...index + 1) }
        expectSentence(
            try await Program.pushbench(words + [Self.host]),
            code: 2,
            naming: ["throw-away key", "--auth-key", "--cert"]
        )
    }

    @Test func plainHTTPIsRefused() async throws {
        expectSentence(
            try await Program.pushbench(Self.complete + ["http://api.push.apple.com"]),
            code: 2,
            naming: ["TLS only", "https://"]
        )
    }

    @Test func completeCommandPassesTheGuard() async throws {
        let outcome = try await Program.pushbench(Self.complete + [Self.host])
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("/nonexistent/"))
    }

    @Test(arguments: [
        "https://api.push.apple.com.example.invalid", "https://notpush.apple.com.invalid",
        "https://xpush.apple.com.invalid",
    ])
    func otherHostsAreNotApples(target: String) async throws {
        let words = ["run", "--message", "/nonexistent/message.json", "--target", target]
        let outcome = try await Program.pushbench(words)
        #expect(outcome.code == 3)
        #expect(!outcome.errors.contains("Apple"))
    }
}
