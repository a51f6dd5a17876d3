import Foundation
import Testing

/// `pushbench ab`, with stand-ins for builds whose cost is known.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AbTests {
    /// A program that answers `run` with a result whose CPU per push is so many percent of usual,
    /// give or take a fifth of a percent.
    private func build(
        _ name: String,
        percent: Int = 100,
        before: String = "",
        in folder: Folder
    ) async throws -> String {
        if !FileManager.default.fileExists(atPath: folder.path + "/template") {
            let outcome = try await Program.pushbench("run", "--installs", "50", "--json")
            let template = outcome.text
                .replacing(/"cpuNanosecondsPerPush" : [0-9.]+,\n *"peakRSS/) { match in
                    "\"cpuNanosecondsPerPush\" : @CPU@,\n\"peakRSS"
                }
                .replacing(/"pushesPerSecond" : [0-9.e+]+/, with: "\"pushesPerSecond\" : @RATE@")
            try #require(template.contains("@CPU@") && template.contains("@RATE@"))
            try folder.write("template", template)
        }
        let path = try folder.write(
            name,
            """
            #!/bin/bash
            cd '\(folder.path)'
            \(before)
            cpu=$(( (80000 + RANDOM % 320) * \(percent) / 100 ))
            rate=$(( (900000 + RANDOM % 9000) * 100 / \(percent) ))
            sed "s/@CPU@/$((cpu / 100))/; s/@RATE@/$rate/" template
            """
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func ab(
        _ a: String,
        _ b: String,
        _ words: String...,
        in folder: Folder
    ) async throws -> Program.Outcome {
        try await Program.pushbench(
            ["ab", "--a", a, "--b", b, "--quiet"] + words,
            in: folder.path,
            within: 150
        )
    }

    @Test(arguments: [(100, "same", 0), (105, "worse", 5), (80, "better", 0)])
    func answerFollowsTheBuilds(percent: Int, answer: String, code: Int32) async throws {
        let folder = try Folder()
        let (a, b) = (
            try await build("a", in: folder), try await build("b", percent: percent, in: folder)
        )
        let outcome = try await ab(a, b, "--json", "--", "--installs", "50", in: folder)
        #expect(outcome.code == code, "\(outcome.errors)\(outcome.text)")
        let document = try outcome.json()
        #expect(document["answer"].string == answer)
        #expect(document["trial"]["voidPairs"].int == 0)
        let pairs = document["trial"]["pairs"].elements.compactMap(\.int)
        #expect(pairs.count == (answer == "worse" ? 2 : 1), "an alarm is repeated")
        #expect(pairs.allSatisfy { $0 <= 33 }, "a clear answer ends a series early: \(pairs)")
        if answer == "worse" {
            #expect(document["trial"]["confirmed"].elements.contains(.string("cpu")))
        }
    }

    @Test func tableNamesBothBuildsAndWhatItRests() async throws {
        let folder = try Folder()
        let (a, b) = (try await build("a", in: folder), try await build("b", in: folder))
        let outcome = try await ab(a, b, in: folder)
        #expect(outcome.code == 0 && outcome.errors == "", "\(outcome.errors)")
        for word in [a, b, "detectable", "same: ", "pairs"] {
            #expect(outcome.text.contains(word), "\(word)")
        }
    }

    @Test func sickBuildIsReportedAndNotCounted() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        // Works at first, fails once, works again.
        let once = """
            echo x >> count; if (( $(wc -l < count) == 4 )); then
                echo 'pushbench: The disk is full.' >&2; exit 1; fi
            """
        let outcome = try await ab(a, try await build("b", before: once, in: folder), in: folder)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(
            outcome.text.contains("1 run of --b failed") && outcome.text.contains("disk is full")
        )
        let always = "echo x >> more; (( $(wc -l < more) < 4 )) || exit 1"
        expectSentence(
            try await ab(a, try await build("c", before: always, in: folder), in: folder),
            code: 1,
            naming: ["--b", "failed 3 times", "exit code 1"]
        )
        expectSentence(
            try await ab(a, try await build("d", before: "kill -9 $$", in: folder), in: folder),
            code: 1,
            naming: ["signal 9"]
        )
        let garbage = try await build("e", before: "echo nonsense; exit 0", in: folder)
        expectSentence(try await ab(a, garbage, in: folder), code: 1, naming: ["on stdout"])
    }

    @Test func fileNamedWithoutAFolderIsTheOneHere() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        _ = try await build("true", in: folder)
        let outcome = try await ab(a, "true", "--", "--installs", "50", in: folder)
        #expect(outcome.code == 0, "/usr/bin/true is no build: \(outcome.errors)")
    }

    @Test func programThatPrintsWithoutAnEndIsNoBuild() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        let endless = try await build("b", before: "exec yes \"$(printf %4096s)\"", in: folder)
        expectSentence(
            try await ab(a, endless, in: folder),
            code: 1,
            naming: ["--b", "prints without an end"]
        )
    }

    @Test func buildThatHangsIsEndedAndTold() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        let hanging = try await build("b", before: "trap '' TERM; exec sleep 1000", in: folder)
        expectSentence(
            try await ab(a, hanging, "--run-timeout", "300ms", in: folder),
            code: 1,
            naming: ["--b", "did not end within 300 ms", "--run-timeout"]
        )
    }

    @Test func voidRunsDropTheirPairAndAreCounted() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        let sometimes = "echo x >> void; (( $(wc -l < void) % 4 )) || exit 7"
        let b = try await build("b", before: sometimes, in: folder)
        let outcome = try await ab(a, b, "--json", in: folder)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.json()["trial"]["voidPairs"].int ?? 0 > 1)
        let always = try await build("c", before: "exit 7", in: folder)
        expectSentence(try await ab(a, always, in: folder), code: 6, naming: ["10 were void"])
    }

    @Test func controlCGivesTheVerdictSoFar() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        let b = try await build("b", before: "echo x >> runs; sleep 0.2", in: folder)
        let program = try Program(
            path: Program.binary(),
            ["ab", "--a", a, "--b", b, "--json", "--metric", "cpu"],
            in: folder.path
        )
        try await program.wait { (try? folder.read("runs").count) ?? 0 > 8 }
        program.signal(SIGINT)
        let outcome = try await program.finish()
        #expect(outcome.code == 130)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains("Stopping"))
        let document = try outcome.json()
        #expect(document["trial"]["interrupted"].bool == true)
        #expect(document["trial"]["pairs"][0].int ?? 0 > 0)
    }

    @Test func realBuildAgainstItselfRaisesNoAlarm() async throws {
        let folder = try Folder()
        let binary = try Program.binary()
        let outcome = try await ab(
            binary,
            binary,
            "--pairs",
            "12",
            "--",
            "--installs",
            "200",
            "--mock-option",
            "plain",
            in: folder
        )
        #expect([0, 6].contains(outcome.code), "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.contains("12 pairs"))
        #expect(try folder.files() == [])
    }

    @Test func wrongUseIsTold() async throws {
        let folder = try Folder()
        let a = try await build("a", in: folder)
        let cases: [([String], Int32, String)] = [
            ([], 2, "--a BINARY"), (["--a", a], 2, "--b BINARY"),
            (["--a", a, "--b", "none"], 3, "none"),
            (["--a", a, "--b", "/etc/passwd"], 3, "passwd"),
            (["--a", a, "--b", a, "--pairs", "2"], 2, "never be significant"),
            (["--a", a, "--b", a, "--", "--json"], 2, "--json is not for"),
            (["--a", a, "--b", a, "--", "--out=x"], 2, "--out is not for"),
            (["--a", a, "--b", a, "--", "--journal", "x"], 2, "--journal is not for"),
            (["--a", a, "--b", a, "--metric", "x"], 2, "no metric x"),
            (["--a", a, "--b", a, "--threshold", "x"], 2, "5%"),
            (["--a", a, "--b", a, "--pushes", "3"], 2, "--pushes"),
        ]
        for (words, code, text) in cases {
            expectSentence(
                try await Program.pushbench(["ab"] + words, in: folder.path),
                code: code,
                naming: [text]
            )
        }
        // What is wrong with the flags of run is told by run, with its code.
        let binary = try Program.binary()
        let flags = try await ab(binary, binary, "--", "--instals", "5", in: folder)
        expectSentence(flags, code: 2, naming: ["did you mean --installs"])
        let message = try await ab(binary, binary, "--", "--installs", "none.csv", in: folder)
        expectSentence(message, code: 3, naming: ["none.csv"])
    }
}
