import Foundation
import Testing

/// Interrupts: politely once, at once the second time; nothing is left behind.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SignalTests {
    /// A run of a minute against a mock that has begun to get its pushes.
    private func startRun(
        _ mock: RunningMock,
        _ flags: [String],
        in folder: Folder
    ) async throws
        -> Program
    {
        let run = try Program(
            path: Program.binary(),
            ["run", "--installs", "500"] + flags + mock.flags,
            in: folder.path
        )
        try await run.wait { try await mock.statistics()["accepted"].int ?? 0 > 20 }
        return run
    }

    @Test(arguments: [
        [SIGINT, 0], [SIGTERM, 0], [SIGINT, 1],
    ])
    func firstSignalKeepsAPartialResult(kind: [Int32]) async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        let load =
            kind[1] == 0 ? ["--rate", "500", "--duration", "60s"] : ["--pushes", "100000000"]
        let run = try await startRun(mock, load + ["--out", "part.json"], in: folder)
        run.signal(kind[0])
        let outcome = try await run.finish()
        #expect(outcome.code == 130)
        #expect(outcome.text.contains("PARTIAL"))
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains("Stopping"))
        let result = try JSONNode(folder.read("part.json"))
        #expect(result["complete"] == .bool(false))
        let account = Account(of: result["runs"][0])
        #expect(account.addsUp)
        #expect(account.accepted ?? 0 > 20)
        #expect(account.unknown == 0, "the pushes in flight got their answers")
        #expect(account.audience == (kind[1] == 0 ? 30_000 : 100_000_000))
        #expect(try await mock.stop()["accepted"].int == account.accepted)
    }

    @Test func secondSignalLeavesAtOnceAndLeavesNothing() async throws {
        // A target that takes pushes and never answers keeps a polite end waiting.
        let server = try ListeningSocket(greeting: ListeningSocket.settings)
        let folder = try Folder()
        let run = try Program(
            path: Program.binary(),
            [
                "run", "--installs", "500", "--target", "http://127.0.0.1:\(server.port)",
                "--out", "part.json",
            ],
            in: folder.path
        )
        // More than a preface: pushes are in flight.
        try await run.wait { server.receivedBytes > 1000 }
        run.signal(SIGINT)
        try await run.wait { run.errors.contains("Stopping") }
        run.signal(SIGINT)
        let outcome = try await run.finish()
        #expect(outcome.code == 130)
        #expect(outcome.text == "", "a polite end, after some seconds, prints what it has")
        #expect(try folder.files() == [], "no half result, no temporary file")
    }

    /// Whether a process has a socket open: its run has begun.
    private func hasConnection(_ program: Program) throws -> Bool {
        let folder = "/proc/\(program.pid)/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return names.contains { name in
            let path = folder + "/" + name
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return link?.hasPrefix("socket:") == true
        }
    }

    @Test func interruptedRepetitionsAreMarkedThoughEachRunIsWhole() async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        let run = try await startRun(mock, ["--repeat", "10000", "--out", "r.json"], in: folder)
        run.signal(SIGINT)
        let outcome = try await run.finish()
        #expect(outcome.code == 130)
        let result = try JSONNode(folder.read("r.json"))
        #expect(result["complete"] == .bool(false))
        let accounts = result["runs"].elements.map(Account.init)
        #expect(accounts.count > 0)
        for account in accounts { #expect(account.addsUp) }
    }

    @Test func embeddedMockAndItsFolderGoWithTheRun() async throws {
        let folder = try Folder()
        for signals in [[SIGINT], [SIGINT, SIGINT], [SIGKILL]] {
            let run = try Program(
                path: Program.binary(),
                ["run", "--installs", "500", "--rate", "100", "--duration", "60s"],
                environment: ["TMPDIR": folder.path],
                in: folder.path
            )
            var mock: Int32?
            // The run has begun once the mock's folder has come and gone.
            try await run.wait {
                mock = mock ?? self.children(of: run.pid).first
                return try mock != nil && self.hasConnection(run) && folder.isEmpty()
            }
            for signal in signals { run.signal(signal) }
            let outcome = try await run.finish()
            #expect(outcome.code == (signals == [SIGKILL] ? nil : 130))
            let child = try #require(mock)
            let deadline = Date(timeIntervalSinceNow: 30)
            while !hasEnded(child), Date() < deadline {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(hasEnded(child), "the mock has outlived its run")
            #expect(try folder.isEmpty())
        }
    }

    /// Whether a process has ended; in a container it may be that nobody reaps it then.
    private func hasEnded(_ pid: Int32) -> Bool {
        guard kill(pid, 0) == 0,
            let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        else { return true }
        return text.contains(") Z ")
    }

    private func children(of pid: Int32) -> [Int32] {
        let path = "/proc/\(pid)/task/\(pid)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func mockPrintsItsCountersAndExitsWith0(signal: Int32) async throws {
        let folder = try Folder()
        let ready = folder.path + "/ready.json"
        let mock = try Program(
            path: Program.binary(),
            ["mock", "--plain", "--ready-file", ready],
            in: folder.path
        )
        try await mock.wait { FileManager.default.fileExists(atPath: ready) }
        mock.signal(signal)
        let outcome = try await mock.finish()
        #expect(outcome.code == 0)
        #expect(outcome.lines.count == 1)
        let counters = try outcome.json()
        #expect(counters["schema"] == .string("pushbench.mock/1"))
        #expect(counters["requests"].int == 0)
        #expect(outcome.errors.contains("http://127.0.0.1:"), "it says where it listens")
    }
}

extension Folder {
    func isEmpty() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: path).isEmpty
    }
}
