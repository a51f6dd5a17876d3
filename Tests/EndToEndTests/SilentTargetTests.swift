import Foundation
import Testing

/// A target that takes connections and never says a word.
///
/// A suite of its own, for it waits for answers and needs no processor meanwhile.
@Suite(.timeLimit(.minutes(3)))
struct SilentTargetTests {
    @Test(arguments: [false, true])
    func runEndsWithItsPushesAccountedForAndItsMemoryFlat(greets: Bool) async throws {
        let server = try ListeningSocket(greeting: greets ? ListeningSocket.settings : [])
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            [
                "run", "--target", "http://127.0.0.1:\(server.port)", "--installs", "300000",
                "--json",
            ],
            in: folder.path,
            within: 120
        )
        #expect(outcome.code == 1)
        let cause = greets ? "no answer to a PING" : "did not begin HTTP/2"
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(cause))
        // Nothing is sent before the target's SETTINGS, and then there is nothing to tell.
        guard greets else {
            #expect(outcome.text == "")
            return
        }
        let run = try outcome.json()["runs"][0]
        let account = Account(of: run)
        #expect(account.audience == 300_000)
        #expect(account.accepted == 0 && account.rejected.isEmpty)
        #expect(account.unknown ?? 0 > 0)
        #expect(account.neverSent ?? 0 > 0)
        #expect(account.addsUp)
        let reasons = run["connections"].elements.compactMap { $0["reason"].string }
        #expect(reasons.first?.contains(cause) == true, "\(reasons)")
        // 300,000 installs are 24 MB, the program itself some 30.
        let peak = try #require(run["cost"]["peakRSSBytes"].int)
        #expect(peak < 120_000_000 || Program.isSanitized)
    }

    @Test func handshakeThatNeverEndsIsToldWithoutAResult() async throws {
        let server = try ListeningSocket()
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            "run",
            "--target",
            "https://127.0.0.1:\(server.port)",
            "--cacert",
            SelfSigned(in: folder).cert,
            "--installs",
            "100"
        )
        expectSentence(outcome, code: 1, naming: ["127.0.0.1", "within 5 s"])
    }
}
