import Foundation
import Testing

/// Targets: a mock of its own by every address, and those that are no good.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TargetTests {
    private static let places = [
        [], ["--plain"], ["--host", "::1"], ["--host", "::1", "--plain"],
    ]

    @Test(arguments: places.filter { !$0.contains("::1") || hasIPv6 })
    func mockIsReachedByItsAddress(flags: [String]) async throws {
        let mock: RunningMock
        switch flags.count {
        case 0: mock = try await RunningMock()
        case 1: mock = try await RunningMock(flags[0])
        case 2: mock = try await RunningMock(flags[0], flags[1])
        default: mock = try await RunningMock(flags[0], flags[1], flags[2])
        }
        let words = ["run", "--installs", "500", "--connections", "2", "--json"]
        let outcome = try await Program.pushbench(words + mock.flags)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 500))
        let tls = try outcome.json()["workload"]["tls"].string
        #expect(tls == (flags.contains("--plain") ? "none" : "TLSv1.3"))
        let counters = try await mock.stop()
        #expect(counters["accepted"].int == 500)
        #expect(counters["refused"].int == 0)
    }

    @Test func hostNameIsResolved() async throws {
        let mock = try await RunningMock("--plain")
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "50",
            "--target",
            "http://localhost:\(mock.port)/",
            "--json"
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 50))
        _ = try await mock.stop()
    }

    @Test func certificateThatIsNotTrustedIsRefused() async throws {
        let mock = try await RunningMock()
        let words = ["run", "--installs", "50", "--target", mock.target]
        expectSentence(
            try await Program.pushbench(words),
            code: 1,
            naming: ["127.0.0.1:\(mock.port)", "certificate", "--cacert", "--insecure"]
        )
        let insecure = try await Program.pushbench(words + ["--insecure", "--json"])
        #expect(insecure.code == 0)
        #expect(try insecure.account() == Account(allAccepted: 50))
        #expect(insecure.errorLines.count == 1 && insecure.errors.contains("--insecure"))
        _ = try await mock.stop()
    }

    @Test func refusedConnectionNamesTheAddress() async throws {
        // A port that was free a moment ago, as the mock that had it is gone, on a host where nobody
        // else takes ports.
        let mock = try await RunningMock("--plain", "--host", "127.0.0.29")
        let target = mock.target
        _ = try await mock.stop()
        for scheme in ["http", "https"] {
            expectSentence(
                try await Program.pushbench(
                    ["run", "--installs", "50", "--target", target.replacing("http", with: scheme)]
                ),
                code: 1,
                naming: ["127.0.0.29:\(mock.port)", "refused"]
            )
        }
    }

    @Test func hostThatDoesNotExistIsNamed() async throws {
        // A part of a name is shorter: no name service is asked, however it would answer.
        let host = String(repeating: "h", count: 64) + ".invalid"
        expectSentence(
            try await Program.pushbench(
                ["run", "--installs", "50", "--target", "https://\(host):443"]
            ),
            code: 1,
            naming: [host]
        )
    }

    @Test func portInUseIsToldByTheMock() async throws {
        let mock = try await RunningMock("--plain")
        let outcome = try await Program.pushbench("mock", "--port", "\(mock.port)")
        expectSentence(outcome, code: 1, naming: ["127.0.0.1:\(mock.port)", "in use"])
        _ = try await mock.stop()
    }

    // MARK: - Peers that speak something else

    /// Expects a failed run whose pushes are all accounted for, with these words on stderr.
    private func expectFailure(
        _ flags: [String],
        naming words: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            ["run", "--installs", "100", "--out", "out.json"] + flags,
            in: folder.path
        )
        #expect(outcome.code == 1, sourceLocation: sourceLocation)
        for word in words {
            #expect(
                outcome.errors.contains(word),
                "\(outcome.errors)",
                sourceLocation: sourceLocation
            )
        }
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
        guard try folder.files() == ["out.json"] else { return }
        let run = try JSONNode(folder.read("out.json"))["runs"][0]
        #expect(Account(of: run).addsUp, sourceLocation: sourceLocation)
        #expect(Account(of: run).accepted == 0, sourceLocation: sourceLocation)
        #expect(run["throughput"]["bytesPerSecond"].number == 0, sourceLocation: sourceLocation)
    }

    @Test func plainServerOfHTTP1IsTold() async throws {
        let server = try ListeningSocket(answer: "HTTP/1.1 400 Bad Request\r\n\r\n")
        try await expectFailure(
            ["--target", "http://127.0.0.1:\(server.port)"],
            naming: ["127.0.0.1:\(server.port)", "HTTP/2"]
        )
    }

    @Test func serverThatHangsUpIsTold() async throws {
        let server = try ListeningSocket(answer: "")
        let folder = try Folder()
        let tls = try await SelfSigned(in: folder)
        try await expectFailure(
            ["--target", "http://127.0.0.1:\(server.port)"],
            naming: ["127.0.0.1:\(server.port)", "HTTP/2"]
        )
        try await expectFailure(
            ["--target", "https://127.0.0.1:\(server.port)", "--cacert", tls.cert],
            naming: ["127.0.0.1:\(server.port)", "handshake"]
        )
    }

    @Test func plainToTLSAndTLSToPlainAreTold() async throws {
        let tls = try await RunningMock()
        try await expectFailure(
            ["--target", "http://127.0.0.1:\(tls.port)"],
            naming: ["127.0.0.1:\(tls.port)"]
        )
        _ = try await tls.stop()
        let plain = try await RunningMock("--plain")
        try await expectFailure(
            ["--target", "https://127.0.0.1:\(plain.port)"],
            naming: ["127.0.0.1:\(plain.port)", "plain"]
        )
        _ = try await plain.stop()
    }

    @Test(arguments: [[], ["-alpn", "http/1.1"]])
    func serverWithoutHTTP2OverTLSIsTold(alpn: [String]) async throws {
        let folder = try Folder()
        let tls = try await SelfSigned(in: folder)
        let server = try await ForeignServer(
            "openssl",
            ["s_server", "-accept", "127.0.0.1:0", "-cert", tls.cert, "-key", tls.key, "-www"]
                + alpn,
            package: "openssl"
        )
        try await expectFailure(
            ["--target", "https://127.0.0.1:\(server.port)", "--cacert", tls.cert],
            naming: ["127.0.0.1:\(server.port)", "HTTP/2", "ALPN"]
        )
        try await server.stop()
    }

    @Test func restartOfTheTargetIsSurvivedByAllConnections() async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        let run = try Program(
            path: Program.binary(),
            [
                "run", "--installs", "500", "--rate", "500", "--duration", "4s", "--connections",
                "6", "--json", "--target", mock.target,
            ]
        )
        try await run.wait { try await mock.statistics()["accepted"].int ?? 0 > 100 }
        _ = try await mock.stop()
        let ready = folder.path + "/ready.json"
        let second = try Program(
            path: Program.binary(),
            ["mock", "--plain", "--port", "\(mock.port)", "--ready-file", ready]
        )
        try await second.wait { FileManager.default.fileExists(atPath: ready) }
        let outcome = try await run.finish()
        second.signal(SIGTERM)
        let accepted = try await second.finish().json()["accepted"].int ?? 0
        let account = try outcome.account()
        #expect(account.addsUp)
        #expect(accepted > 0, "six connections that fall together are one failure, not six")
        #expect(account.unknown ?? 0 <= 3000)
    }
}
