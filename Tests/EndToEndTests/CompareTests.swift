import Foundation
import Testing

/// `pushbench compare` over files and stored results.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CompareTests {
    private func compare(_ words: String..., in folder: Folder) async throws -> Program.Outcome {
        try await Program.pushbench(["compare"] + words, in: folder.path)
    }

    @Test(arguments: [
        (1.0, "same", 0), (1.2, "worse", 5), (1 / 1.2, "better", 0), (1.01, "same", 0),
    ])
    func answerAndExitCodeFollowTheRuns(factor: Double, answer: String, code: Int32) async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("base.json", results.result(runs: 10))
        try results.write("new.json", results.result(runs: 10, factor: factor, day: 2))
        let outcome = try await compare("base.json", "new.json", in: folder)
        #expect(outcome.code == code, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.errors == "")
        #expect(outcome.lines.contains { $0.hasPrefix("\(answer): ") }, "\(outcome.text)")
        let json = try await compare("base.json", "new.json", "--json", in: folder)
        #expect(json.code == code)
        let document = try json.json()
        #expect(document["answer"].string == answer)
        #expect(document["exitCode"].int == Int(code))
        #expect(document["base"]["runs"].int == 10)
    }

    @Test func fewRunsAreInconclusiveAndSayHowManyAreNeeded() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("a.json", results.result(runs: 1))
        try results.write("b.json", results.result(runs: 1, factor: 2, day: 2))
        let outcome = try await compare("a.json", "b.json", in: folder)
        #expect(outcome.code == 6)
        #expect(outcome.text.contains("cpu needs about 6 runs a side"))
    }

    @Test func sideMayBeSeveralFilesOrAFolder() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        _ = try folder.makeFolder("many")
        for day in 1...4 {
            try results.write("many/\(day).json", results.result(runs: 2, day: day))
            try results.write("n\(day).json", results.result(runs: 2, factor: 1.3, day: day + 10))
        }
        let outcome = try await compare(
            "many",
            "n1.json,n2.json,n3.json,n4.json",
            "--json",
            in: folder
        )
        #expect(outcome.code == 5, "\(outcome.errors)")
        let document = try outcome.json()
        #expect(document["base"]["runs"].int == 8 && document["new"]["runs"].int == 8)
        #expect(document["base"]["results"].elements.count == 4)
    }

    @Test func storedResultsAreTheBaseline() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        for day in 1...3 { try results.store(results.result(runs: 6, day: day)) }
        let slow = try results.result(runs: 6, factor: 1.2, day: 4)
        try results.store(slow)
        try results.write("new.json", results.result(runs: 6, factor: 1.2, day: 5))
        let latest = try await compare("--baseline", "latest", "new.json", "--json", in: folder)
        #expect(latest.code == 0, "the latest is as slow")
        #expect(try latest.json()["base"]["results"][0].string == slow["id"] as? String)
        let median = try await compare(
            "--baseline",
            "median-of 3",
            "20260104",
            "--json",
            in: folder
        )
        #expect(median.code == 5)
        #expect(try median.json()["base"]["runs"].int == 18)
        // The newest is never its own base.
        let itself = try await compare("--baseline", "latest", "20260104", "--json", in: folder)
        #expect(itself.code == 5, "\(itself.errors)")
        let file = try await compare("--baseline", "20260101", "20260102", in: folder)
        #expect(file.code == 0)
        expectSentence(
            try await compare("--baseline", "latest", "20260101", in: folder),
            code: 3,
            naming: ["no older result", "run --save"]
        )
    }

    @Test func unlikeWorkloadsAndMachinesAreRefusedFieldByField() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("a.json", results.result(runs: 6))
        let workload = try results.result(runs: 6, day: 2) { result in
            var workload = result["workload"] as? [String: Any] ?? [:]
            workload["streams"] = 100
            workload["engine"] = "nghttp2"
            result["workload"] = workload
        }
        try results.write("b.json", workload)
        let refused = try await compare("a.json", "b.json", in: folder)
        #expect(refused.code == 3 && refused.text == "")
        for words in ["unlike workloads", "streams: 500, not 100", "engine: wire, not nghttp2"] {
            #expect(refused.errors.contains(words), "\(refused.errors)")
        }
        let machine = try results.result(runs: 6, day: 2) { result in
            var machine = result["machine"] as? [String: Any] ?? [:]
            machine["key"] = "other-machine"
            machine["cpu"] = "Other"
            machine["kernel"] = "1.0"
            result["machine"] = machine
        }
        try results.write("c.json", machine)
        let other = try await compare("a.json", "c.json", in: folder)
        #expect(other.code == 3 && other.errors.contains("not Other"))
        let allowed = try await compare(
            "a.json",
            "c.json",
            "--allow-different-machine",
            in: folder
        )
        #expect(allowed.code == 0, "\(allowed.errors)")
        #expect(allowed.text.contains("unlike machines") && allowed.text.contains("kernel"))
        // A seed is another draw of the same workload.
        let seed = try results.result(runs: 6, day: 2) { result in
            var workload = result["workload"] as? [String: Any] ?? [:]
            workload["seed"] = 99
            result["workload"] = workload
        }
        try results.write("d.json", seed)
        #expect(try await compare("a.json", "d.json", in: folder).code == 0)
    }

    @Test func voidPartialDoubledAndDamagedFilesAreNamedAndNotCompared() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        _ = try folder.makeFolder("many")
        try results.write("many/good.json", results.result(runs: 8))
        try results.write("many/same.json", results.result(runs: 8))
        try results.write(
            "many/void.json",
            results.result(runs: 8, factor: 9, day: 2) { result in
                result["verdict"] = ["valid": false, "slo": [], "evidence": ["too slow"]]
            }
        )
        try results.write(
            "many/part.json",
            results.result(runs: 8, factor: 9, day: 3) { result in
                result["complete"] = false
            }
        )
        try results.write(
            "many/minus.json",
            results.result(runs: 8, factor: -1, day: 5)
        )
        try folder.write("many/cut.json", "{\"schema\":\"pushbench.result/1\",")
        try results.write("new.json", results.result(runs: 8, day: 4))
        let outcome = try await compare("many", "new.json", "--json", in: folder)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.json()["base"]["runs"].int == 8)
        for name in [
            "void.json", "part.json", "same.json", "cut.json", "too slow",
            "minus.json is not compared: it has an impossible value of rate",
        ] {
            #expect(outcome.errors.contains(name), "\(name)")
        }
        #expect(outcome.errorLines.count == 5)
        let nothing = try await compare("many/cut.json", "new.json", in: folder)
        #expect(nothing.code == 3 && nothing.errorLines.count == 2)
    }

    @Test func foldersThatCannotBeReadAreNamedAndSkipped() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        for day in 1...2 { try results.store(results.result(runs: 8, day: day)) }
        for name in ["loop", "results/loop"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/" + name,
                withDestinationPath: "loop"
            )
        }
        let both = try await compare("loop,20260101", "20260102", in: folder)
        #expect(both.code == 0, "\(both.errors)")
        #expect(both.errors.contains("Cannot read the result loop: Too many levels"))
        #expect(both.errors.contains("Cannot read the folder results/loop: Too many levels"))
        let alone = try await compare("loop", "20260102", in: folder)
        #expect(alone.code == 3 && alone.errors.contains("loop has no result that can be compared"))
        for words in [["list"], ["show"], ["show", "20260101"], ["trend"], ["export"]] {
            let outcome = try await Program.pushbench(["results"] + words, in: folder.path)
            #expect(outcome.code == 0)
            #expect(outcome.errorLines.filter { $0.contains("results/loop") }.count == 1)
        }
    }

    @Test(arguments: [
        ("markdown", "### pushbench compare: worse"), ("junit", "<?xml"), ("bmf", "{"),
        ("github-benchmark", "["), ("github-benchmark-bigger", "["), ("json", "{"),
        ("table", "xulo"),
    ])
    func everyFormatGoesToAFileWhole(format: String, start: String) async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("a.json", results.result(runs: 8))
        try results.write("b.json", results.result(runs: 8, factor: 1.3, day: 2))
        let words = ["a.json", "b.json", "--format", format]
        let outcome = try await Program.pushbench(
            ["compare"] + words + ["--out", "out.txt"],
            in: folder.path
        )
        #expect(outcome.code == 5 && outcome.text == "" && outcome.errors == "")
        let text = String(decoding: try folder.read("out.txt"), as: UTF8.self)
        #expect(text.hasPrefix(start) && text.hasSuffix("\n"))
        let direct = try await Program.pushbench(["compare"] + words, in: folder.path)
        #expect(direct.text == text)
        #expect(try folder.files() == ["a.json", "b.json", "out.txt"])
    }

    @Test func wrongUseIsTold() async throws {
        let folder = try Folder()
        let cases: [([String], Int32, String)] = [
            (["a.json"], 2, "two sides"), ([], 2, "two sides"), (["a", "b", "c"], 2, "'c'"),
            (["--baseline", "latest", "a", "b"], 2, "NEW alone"),
            (["--baseline", "median-of x", "a"], 2, "median-of 5"),
            (["a", "b", "--threshold", "5"], 2, "cpu=2%"),
            (["a", "b", "--metric", "speed"], 2, "speed"),
            (["a", "b", "--alpha", "7"], 2, "0.0001 to 0.5"),
            (["a", "b", "--format", "xml"], 2, "junit"),
            (["a", "b", "--format", "junit", "--json"], 2, "exclude"),
            (["a", "b", "--out", "none/x"], 1, "none/x"), (["a", "b"], 3, "b is no file"),
        ]
        for (words, code, text) in cases {
            expectSentence(
                try await Program.pushbench(["compare"] + words, in: folder.path),
                code: code,
                naming: [text]
            )
        }
    }

    @Test func whatWeakensTheAnswerIsNoted() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("a.json", results.result(runs: 8))
        let itself = try await compare("a.json", "a.json", in: folder)
        #expect(itself.code == 0 && itself.text.contains("is on both sides"))
        let blind = try results.result(runs: 8, day: 2) { result in
            var runs = result["runs"] as? [[String: Any]] ?? []
            for index in runs.indices { runs[index]["latency"] = [String: Any]() }
            result["runs"] = runs
        }
        try results.write("b.json", blind)
        let outcome = try await compare("a.json", "b.json", in: folder)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("p99 does not decide, since not every run has it"))
        #expect(!itself.text.contains("does not decide"))
    }

    @Test func noStringOfAFileReachesTheTerminalAsItIs() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        let hostile = try results.result(runs: 8) { result in
            var workload = result["workload"] as? [String: Any] ?? [:]
            workload["engine"] = "\u{1B}[2J\nworse: everything"
            result["workload"] = workload
            var build = result["build"] as? [String: Any] ?? [:]
            build["version"] = "\u{1B}[31m\r"
            result["build"] = build
        }
        try results.write("a\u{1B}[1m.json", hostile)
        for format in ["table", "markdown"] {
            let outcome = try await compare(
                "a\u{1B}[1m.json",
                "a\u{1B}[1m.json",
                "--format",
                format,
                in: folder
            )
            #expect(outcome.code == 0 && !outcome.text.contains("\u{1B}"))
            #expect(!outcome.lines.contains { $0.hasPrefix("worse") })
        }
    }

    @Test(arguments: [
        (["compare", "/dev/zero", "a.json"], "File too large"),
        (["compare", "", "a.json"], "A side is empty"),
        (["compare", "--store", "a.json", "1", "a.json"], "--store a.json is no folder"),
        (["results", "list", "--store", "none"], "--store none is no folder"),
        (["report", "a.json", "--history", "--store", "none"], "--store none is no folder"),
    ])
    func namesOfNoUseAreTold(words: [String], part: String) async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("a.json", results.result(runs: 1))
        let outcome = try await Program.pushbench(words, in: folder.path)
        #expect(outcome.code == 3 && outcome.text == "")
        #expect(outcome.errors.contains(part), "\(outcome.errors)")
    }

    @Test func readerThatHasSeenEnoughIsNoFault() async throws {
        let folder = try Folder()
        let results = try await StoredResults(in: folder)
        try results.write("a.json", results.result(runs: 8))
        let outcome = try await Program.shell(
            """
            pushbench compare a.json a.json 2>/dev/null | head -n 1 > /dev/null
            echo "${PIPESTATUS[0]}"
            pushbench compare a.json a.json > /dev/full; echo $?
            """,
            in: folder.path
        )
        #expect(outcome.lines == ["0", "1"])
    }
}
