import Foundation
import Testing

/// Runs that die and are continued: nothing is lost, and what may have gone out twice is said.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct JournalTests {
    /// At the rate of 5000, seconds more than any test lets pass before it ends a run.
    private static let pushes = 40_000

    private func words(_ mock: RunningMock, rate: Int? = 5000) -> [String] {
        ["run", "--installs", "\(Self.pushes)", "--journal", "run.journal"] + mock.flags
            + (rate.map { ["--rate", "\($0)"] } ?? [])
    }

    @Test(arguments: [[2000], [3000, 8000, 16_000], [1, 500]])
    func killedRunIsContinuedByTheSameCommand(kills: [Int]) async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        for count in kills {
            let run = try Program(path: Program.binary(), words(mock), in: folder.path)
            try await run.wait { try await mock.statistics()["accepted"].int ?? 0 >= count }
            run.signal(SIGKILL)
            #expect(try await run.finish().code == nil)
        }
        let last = try await Program.pushbench(
            words(mock, rate: nil) + ["--json", "--quiet"],
            in: folder.path
        )
        #expect(last.code == 0, "\(last.errors)")
        #expect(try last.account() == Account(allAccepted: Self.pushes))
        #expect(
            last.errorLines.count == 1 && last.errors.contains("Continuing run.journal"),
            "\(last.errors)"
        )
        let before = try last.json()["runs"][0]["continuation"]
        let perhapsTwice = try #require(before["perhapsTwice"].int)
        #expect(before["rejected"].int == 0)
        #expect(before["unknown"].int == 0)
        let accepted = try await mock.statistics()["accepted"].int ?? 0
        // Once more for each time that a push was in doubt.
        #expect((Self.pushes...Self.pushes + perhapsTwice * kills.count).contains(accepted))
        #expect(perhapsTwice <= Self.pushes / 2, "it does not say so of all that was sent")

        let again = try await Program.pushbench(words(mock), in: folder.path)
        #expect(again.code == 0)
        #expect(again.lines.count == 1)
        #expect(again.text.contains("All \(Self.pushes) pushes of run.journal have ended"))
        #expect(again.text.contains("Nothing was sent"))
        if perhapsTwice > 0 {
            #expect(again.text.contains("\(perhapsTwice) may have arrived more than once"))
        }
        #expect(try await mock.stop()["accepted"].int == accepted)
        #expect(try folder.files() == ["run.journal"])
    }

    @Test func summaryAndResultTellWhatWasContinued() async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        let run = try Program(path: Program.binary(), words(mock), in: folder.path)
        try await run.wait { try await mock.statistics()["accepted"].int ?? 0 >= 1000 }
        run.signal(SIGINT)
        let interrupted = try await run.finish()
        #expect(interrupted.code == 130)
        #expect(interrupted.errors.contains("the same command sends the rest"))
        let outcome = try await Program.pushbench(
            words(mock, rate: nil) + ["--out", "out.json"],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("40,000 accepted (100%)"))
        let line = try #require(outcome.lines.first { $0.hasPrefix("  continued") })
        #expect(!line.contains("twice"), "a polite end leaves nothing in doubt")
        let written = try JSONNode(folder.read("out.json"))["runs"][0]
        #expect(Account(of: written) == Account(allAccepted: Self.pushes))
        #expect(written["continuation"]["accepted"].int ?? 0 >= 1000)
        #expect(try await mock.stop()["accepted"].int == Self.pushes)

        let finished = try await Program.pushbench(
            words(mock) + ["--out", "finished.json"],
            in: folder.path
        )
        #expect(finished.code == 0, "the mock is gone, and is not asked: \(finished.errors)")
        let account = Account(of: try JSONNode(folder.read("finished.json"))["runs"][0])
        #expect(account == Account(allAccepted: Self.pushes))
    }

    @Test func embeddedMockServesAContinuedRunToo() async throws {
        let folder = try Folder()
        let words = [
            "run", "--installs", "3000", "--journal", "run.journal", "--mock-option",
            "verify=content", "--json",
        ]
        let run = try Program(path: Program.binary(), words + ["--rate", "600"], in: folder.path)
        try await run.wait { (try? folder.read("run.journal").count) ?? 0 > 500 }
        run.signal(SIGKILL)
        _ = try await run.finish()
        let outcome = try await Program.pushbench(words, in: folder.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 3000))
    }

    @Test func preparedSecretsServeAContinuedRunToo() async throws {
        let folder = try Folder()
        let made = try await Program.pushbench(
            [
                "installs", "generate", "--count", "1500", "--uids", "--keys", "2",
                "--private-keys", "keys.pem", "--out", "installs.csv",
            ],
            in: folder.path
        )
        try #require(made.code == 0, "\(made.errors)")
        let words = [
            "run", "--dialect", "salesforce", "--installs", "installs.csv", "--encryption",
            "prepared", "--journal", "run.journal", "--mock-option", "verify=content",
            "--mock-option", "private-keys=keys.pem", "--json", "--quiet",
        ]
        let run = try Program(path: Program.binary(), words + ["--rate", "300"], in: folder.path)
        try await run.wait { (try? folder.read("run.journal").count) ?? 0 > 500 }
        run.signal(SIGKILL)
        _ = try await run.finish()
        let outcome = try await Program.pushbench(words, in: folder.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 1500))
        #expect(try outcome.json()["runs"][0]["continuation"]["accepted"].int ?? 0 > 0)
    }

    // MARK: - Faults

    @Test func anotherCommandOnAJournalIsRefused() async throws {
        let folder = try Folder()
        try folder.write("other.csv", "token\n00ff\n")
        let run = ["run", "--journal", "run.journal", "--quiet"]
        let first = try await Program.pushbench(run + ["--installs", "50"], in: folder.path)
        #expect(first.code == 0, "\(first.errors)")
        for (flags, name) in [
            (["--installs", "51"], "audience and pushes"),
            (["--installs", "50", "--seed", "2"], "audience"),
            (["--installs", "50", "--dialect", "mapp"], "message"),
            (["--installs", "50", "--topic", "com.example.other"], "message"),
            (["--installs", "50", "--shard", "1/2"], "shard and pushes"),
            (["--installs", "50", "--pushes", "20"], "pushes"),
            (["--installs", "50", "--target", "http://127.0.0.1:9"], "target"),
        ] {
            expectSentence(
                try await Program.pushbench(run + flags, in: folder.path),
                code: 3,
                naming: ["run.journal", "another run: \(name) differ"]
            )
        }
        expectSentence(
            try await Program.pushbench(
                ["run", "--journal", "other.csv", "--installs", "50"],
                in: folder.path
            ),
            code: 3,
            naming: ["other.csv", "not a journal"]
        )
        #expect(try folder.read("other.csv") == Data("token\n00ff\n".utf8))
    }

    @Test func installsOfAnotherEnvironmentAreAnotherAudience() async throws {
        let folder = try Folder()
        let run = ["run", "--journal", "run.journal", "--quiet", "--installs", "installs.csv"]
        try folder.write("installs.csv", "token,environment\n00ff,production\n")
        let first = try await Program.pushbench(run, in: folder.path)
        #expect(first.code == 0, "\(first.errors)")
        try folder.write("installs.csv", "token,environment\n00ff,sandbox\n")
        expectSentence(
            try await Program.pushbench(run, in: folder.path),
            code: 3,
            naming: ["run.journal", "another run: audience differs"]
        )
    }

    @Test func runToTwoEnvironmentsIsContinued() async throws {
        let folder = try Folder()
        let mock = try await RunningMock("--plain")
        let sandbox = try await RunningMock("--plain", "--environment", "sandbox")
        try folder.write("installs.csv", "token,environment\n00ff,production\n11ff,sandbox\n")
        let run = ["run", "--journal", "run.journal", "--installs", "installs.csv", "--json"]
        for place in [sandbox.target, sandbox.target + "/"] {
            let outcome = try await Program.pushbench(
                run + ["--sandbox-target", place] + mock.flags,
                in: folder.path
            )
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try outcome.account().accepted == 2)
        }
        #expect(try await mock.stop()["accepted"].int == 1)
        #expect(try await sandbox.stop()["accepted"].int == 1)
        let other = try await Program.pushbench(run + mock.flags, in: folder.path)
        expectSentence(other, code: 3, naming: ["another run: target differs"])
    }

    @Test(arguments: [
        (["--out", "run.journal"], ["--out", "--journal"]),
        (["--rejected-out", "./run.journal"], ["--rejected-out", "--journal"]),
        (["--out", "a.json", "--rejected-out", "a.json"], ["--rejected-out", "--out"]),
        (["--rejected-out", "installs.csv"], ["--rejected-out", "--installs"]),
        (["--out", "link.csv"], ["--out", "--installs"]),
    ])
    func fileThatWouldBeLostIsRefused(flags: [String], naming: [String]) async throws {
        let folder = try Folder()
        try folder.write("installs.csv", "token\n00ff\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link.csv",
            withDestinationPath: "installs.csv"
        )
        expectSentence(
            try await Program.pushbench(
                ["run", "--installs", "installs.csv", "--journal", "run.journal"] + flags,
                in: folder.path
            ),
            code: 2,
            naming: naming
        )
        #expect(try folder.read("installs.csv") == Data("token\n00ff\n".utf8))
        #expect(try folder.files().count == 2)
    }

    /// The tokens of a list of `--rejected-out`.
    private func tokens(_ name: String, in folder: Folder) throws -> [Substring] {
        String(decoding: try folder.read(name), as: UTF8.self).split(separator: "\n").dropFirst()
            .map { $0.prefix { $0 != "," } }
    }

    /// Ended in order or killed, a run's refusals are known to those that continue it.
    @Test(arguments: [SIGINT, SIGKILL])
    func continuedRunKnowsTheRefusalsOfTheOneBefore(signal: Int32) async throws {
        let mock = try await RunningMock(
            "--plain",
            "--personality",
            "Unregistered=20%,PayloadTooLarge=5%"
        )
        let folder = try Folder()
        let list = ["--rejected-out", "rejected.csv"]
        try folder.write("rejected.csv", "token,reason,timestamp\n0fffff,BadDeviceToken,\n")
        let run = try Program(path: Program.binary(), words(mock) + list, in: folder.path)
        try await run.wait { try await mock.statistics()["accepted"].int ?? 0 >= 1000 }
        run.signal(signal)
        #expect(try await run.finish().code == (signal == SIGINT ? 130 : nil))
        let outcome = try await Program.pushbench(
            words(mock, rate: nil) + list + ["--json"],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        let result = try outcome.json()["runs"][0]
        #expect(result["continuation"]["rejected"].int ?? 0 >= 200)
        let account = try outcome.account()
        #expect(account.addsUp)
        #expect(Set(account.rejected.keys) == ["Unregistered", "PayloadTooLarge"])
        let tokens = try tokens("rejected.csv", in: folder)
        #expect(Set(tokens).count == tokens.count)
        #expect(tokens.count == account.rejected["Unregistered"])
        #expect(result["badTokens"].int == tokens.count)
        #expect(!tokens.contains("0fffff"), "that one is of another run")
        let times = String(decoding: try folder.read("rejected.csv"), as: UTF8.self)
            .split(separator: "\n").dropFirst().map { $0.split(separator: ",").count }
        #expect(times.allSatisfy { $0 == 3 }, "each has its time")
        _ = try await mock.stop()

        // The same once more, from the journal alone.
        let again = try await Program.pushbench(
            words(mock) + ["--rejected-out", "again.csv", "--json"],
            in: folder.path
        )
        #expect(again.code == 0, "\(again.errors)")
        #expect(try again.account() == account)
        #expect(try folder.read("again.csv") == folder.read("rejected.csv"))
    }

    /// A run that ended without all it wanted says so as often as it is asked.
    @Test func finishedJournalEndsAsItsRunDid() async throws {
        let mock = try await RunningMock("--plain", "--personality", "faults.internalError=5%")
        let folder = try Folder()
        for _ in 0..<2 {
            let outcome = try await Program.pushbench(
                words(mock, rate: nil) + ["--json"],
                in: folder.path
            )
            #expect(outcome.code == 1, "\(outcome.errors)")
            #expect(try outcome.account().unknown ?? 0 > 0)
            #expect(try outcome.account().addsUp)
        }
        let told = try await Program.pushbench(words(mock), in: folder.path)
        #expect(told.code == 1)
        #expect(told.text.contains("Nothing was sent"))
        let strict = try await Program.pushbench(
            words(mock) + ["--slo", "errors<50%", "--slo", "p99<1ns"],
            in: folder.path
        )
        #expect(strict.code == 1, "an objective that needs a measurement is not looked at")
        _ = try await mock.stop()
    }

    @Test(arguments: [
        (["--repeat", "2"], "--repeat"), (["--duration", "1s"], "--duration"),
        (["--pushes", "101"], "--pushes 101"),
    ])
    func whatAJournalCannotHoldIsRefused(flags: [String], name: String) async throws {
        let folder = try Folder()
        let words = ["run", "--installs", "100", "--journal", "run.journal"]
        expectSentence(
            try await Program.pushbench(words + flags, in: folder.path),
            code: 2,
            naming: ["--journal", name]
        )
        #expect(try folder.files() == [])
    }

    @Test func twoRunsDoNotShareAJournal() async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        let run = try Program(path: Program.binary(), words(mock, rate: 1000), in: folder.path)
        try await run.wait { try await mock.statistics()["accepted"].int ?? 0 > 20 }
        expectSentence(
            try await Program.pushbench(words(mock), in: folder.path),
            code: 1,
            naming: ["run.journal", "in use"]
        )
        run.signal(SIGKILL)
        _ = try await run.finish()
        _ = try await mock.stop()
    }

    @Test func journalThatCannotBeMadeIsTold() async throws {
        let folder = try Folder()
        expectSentence(
            try await Program.pushbench(
                ["run", "--installs", "5", "--journal", "none/run.journal"],
                in: folder.path
            ),
            code: 1,
            naming: ["none/run.journal", "No such file"]
        )
    }

    @Test func fullDiskStopsTheRunPolitelyAndLosesNothing() async throws {
        let mock = try await RunningMock("--plain")
        let folder = try Folder()
        let command = (["pushbench"] + words(mock)).joined(separator: " ")
        // The limit of a file's size, 1 KiB, takes the disk's place.
        let full = try await Program.shell(
            "trap '' XFSZ; ulimit -f 1; \(command) --json",
            in: folder.path
        )
        #expect(full.code == 1)
        #expect(full.errors.contains("run.journal cannot be written: File too large"))
        let account = try full.account()
        #expect(account.addsUp)
        #expect(account.neverSent ?? 0 > 0)
        #expect(try await mock.statistics()["accepted"].int == account.accepted)

        let outcome = try await Program.pushbench(
            words(mock, rate: nil) + ["--json"],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: Self.pushes))
        let perhapsTwice = try outcome.json()["runs"][0]["continuation"]["perhapsTwice"].int ?? 0
        let accepted = try await mock.stop()["accepted"].int ?? 0
        #expect((Self.pushes...Self.pushes + perhapsTwice).contains(accepted))
    }
}
