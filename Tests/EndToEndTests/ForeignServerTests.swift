import Foundation
import Testing

/// Our client against nghttpd, a server that is not ours.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ForeignServerTests {
    /// 300 installs as a file, and a document root in which each has an empty file.
    private struct Audience {
        let folder: Folder
        let installs: String
        let root: String

        init(hasFiles: Bool) async throws {
            folder = try Folder()
            installs = folder.path + "/installs.csv"
            root = try folder.makeFolder("root")
            let words = ["installs", "generate", "--count", "300", "--out", installs]
            try #require(try await Program.pushbench(words).code == 0)
            guard hasFiles else { return }
            _ = try folder.makeFolder("root/3/device")
            let lines = try String(contentsOfFile: installs, encoding: .utf8).split(separator: "\n")
            for line in lines.dropFirst() {
                let token = try #require(line.split(separator: ",").first)
                try folder.write("root/3/device/\(token)", "")
            }
        }
    }

    @Test(arguments: [true, false], [1, 100])
    func everyPushIsAccepted(isTLS: Bool, streams: Int) async throws {
        let audience = try await Audience(hasFiles: true)
        let tls = isTLS ? try await SelfSigned(in: audience.folder) : nil
        let server = try await ForeignServer.nghttpd(root: audience.root, tls: tls)
        let scheme = isTLS ? "https" : "http"
        let outcome = try await Program.pushbench(
            [
                "run", "--installs", audience.installs, "--streams", "\(streams)", "--json",
                "--target", "\(scheme)://127.0.0.1:\(server.port)",
            ] + (tls.map { ["--cacert", $0.cert] } ?? [])
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 300))
        #expect(try outcome.json()["runs"][0]["connections"].elements.count == 1)
        try await server.stop()
    }

    @Test func answersWithoutAReasonAreCountedByTheirStatus() async throws {
        let audience = try await Audience(hasFiles: false)
        let server = try await ForeignServer.nghttpd(root: audience.root, tls: nil)
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            audience.installs,
            "--json",
            "--target",
            "http://127.0.0.1:\(server.port)"
        )
        #expect(outcome.code == 1, "not one was accepted")
        let account = try outcome.account()
        #expect(account.rejected == ["HTTP 404": 300])
        #expect(account.addsUp)
        try await server.stop()
    }
}
