import Foundation
import Testing

/// `pushbench results`: list, show, trend and export.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResultsCommandTests {
    private func results(_ words: String..., in folder: Folder) async throws -> Program.Outcome {
        try await Program.pushbench(["results"] + words, in: folder.path)
    }

    /// A store of twenty days, the last ten of them slower, beside files that cannot be read.
    private func makeStore(_ folder: Folder, days: Int = 20, bad: Bool = true) async throws {
        let stored = try await StoredResults(in: folder)
        for day in 1...days {
            try stored.store(stored.result(runs: 3, factor: day > 10 ? 1.1 : 1, day: day))
        }
        guard bad, let first = try folder.files().first else { return }
        let place = String(first.prefix(upTo: first.lastIndex(of: "/") ?? first.startIndex))
        try folder.write(place + "/1-cut.json", "{\"schema\":\"pushbench.res")
        try folder.write(place + "/2-empty.json", "")
        try folder.write(place + "/1-future.json", "{\"schema\":\"pushbench.result/9\"}")
    }

    @Test func listNamesEachResultAndSkipsWhatCannotBeRead() async throws {
        let folder = try Folder()
        try await makeStore(folder)
        let outcome = try await results("list", in: folder)
        #expect(outcome.code == 0)
        #expect(outcome.lines.count == 22, "heads, a machine and twenty results")
        #expect(outcome.errorLines.count == 3)
        for name in ["1-cut", "2-empty", "pushbench.result/9"] {
            #expect(outcome.errors.contains(name))
        }
        let last = try await results("list", "--last", "2", "--json", in: folder)
        let entries = try last.json().elements
        #expect(entries.map { $0["id"].string?.prefix(8) } == ["20260119", "20260120"])
        #expect(entries[0]["values"]["cpu"].number ?? 0 > 870)
        #expect(last.errors == "", "the damaged ones are older")
        #expect(try await results("list", "--workload", "zzz", in: folder).code == 0)
        let empty = try await results("list", in: Folder())
        #expect(empty.code == 0 && empty.text == "" && empty.errors.contains("run --save"))
    }

    @Test func showPrintsOneResultAndItsEnvironment() async throws {
        let folder = try Folder()
        try await makeStore(folder)
        let newest = try await results("show", in: folder)
        #expect(newest.code == 0, "\(newest.errors)")
        for word in ["20260120T120000Z", "kernel", "workload", "accepted"] {
            #expect(newest.text.contains(word), "\(word)")
        }
        let json = try await results("show", "20260103", "--json", in: folder)
        #expect(try json.json()["id"].string?.hasPrefix("20260103") == true)
        expectSentence(
            try await results("show", "2026010", in: folder),
            code: 3,
            naming: ["begins the ids of 9"]
        )
        expectSentence(
            try await results("show", "1-cut", in: folder),
            code: 3,
            naming: ["1-cut.json"]
        )
        expectSentence(try await results("show", "nope", in: folder), code: 3, naming: ["nope"])
        expectSentence(try await results("show", in: Folder()), code: 3, naming: ["run --save"])
    }

    @Test func trendShowsWhereTheLevelChanged() async throws {
        let folder = try Folder()
        try await makeStore(folder)
        let outcome = try await results("trend", "--metric", "cpu", in: folder)
        #expect(outcome.code == 0)
        #expect(outcome.errorLines.count == 3)
        #expect(outcome.text.contains("worse +10.0% since 20260111T120000Z"), "\(outcome.text)")
        #expect(!outcome.text.contains("\u{1B}"))
        let json = try await results("trend", "--json", in: folder)
        let metrics = try json.json()["metrics"].elements
        #expect(metrics.map { $0["metric"].string } == ["rate", "p99", "cpu"])
        for metric in metrics {
            #expect(metric["points"].elements.count == 20)
            #expect(metric["changePoints"].elements.count == 1)
            #expect(metric["changePoints"][0]["index"].int == 10)
            #expect(metric["changePoints"][0]["improvement"].bool == false)
        }
        let narrow = try await Program.pushbench(
            ["results", "trend"],
            environment: ["COLUMNS": "40"],
            in: folder.path
        )
        let plot = narrow.lines.filter { $0.contains("|") }
        #expect(plot.count == 30 && plot.allSatisfy { $0.count <= 40 })
        expectSentence(try await results("trend", in: Folder()), code: 3, naming: ["run --save"])
        expectSentence(
            try await results("trend", "--metric", "speed", in: folder),
            code: 2,
            naming: ["speed"]
        )
    }

    @Test func exportHasARowForEachRun() async throws {
        let folder = try Folder()
        try await makeStore(folder, days: 3, bad: false)
        let csv = try await results("export", in: folder)
        #expect(csv.code == 0 && csv.errors == "")
        #expect(csv.lines.count == 10)
        let heads = csv.lines[0].split(separator: ",")
        #expect(csv.lines.allSatisfy { $0.count { $0 == "," } == heads.count - 1 })
        let lines = try await results("export", "--format", "ndjson", "--last", "1", in: folder)
        #expect(try lines.lines.map { try JSONNode($0)["run"].int } == [1, 2, 3])
        let file = try await results("export", "--out", "t.csv", in: folder)
        #expect(file.text == "")
        #expect(try folder.read("t.csv") == csv.stdout)
        expectSentence(
            try await results("export", "--format", "xml", in: folder),
            code: 2,
            naming: ["csv, ndjson"]
        )
        let elsewhere = try await results("list", "--store", folder.path + "/none", in: folder)
        #expect(elsewhere.text == "")
    }

    @Test func readersThatHaveSeenEnoughAreNoFault() async throws {
        let folder = try Folder()
        try await makeStore(folder, bad: false)
        let outcome = try await Program.shell(
            """
            for words in list 'show' trend export 'export --format ndjson'; do
                pushbench results $words | head -n 1 > /dev/null; echo "${PIPESTATUS[0]}"
            done
            """,
            in: folder.path
        )
        #expect(outcome.lines == ["0", "0", "0", "0", "0"], "\(outcome.errors)")
    }

    /// What means the same is the same workload; what changes a run is another.
    @Test func workloadHashIsThatOfTheMeaning() async throws {
        func hash(_ words: String) async throws -> String? {
            let flags = words.split(separator: " ").map(String.init)
            let outcome = try await Program.pushbench(
                ["run", "--installs", "60", "--json"] + flags
            )
            #expect(outcome.code == 0, "\(words): \(outcome.errors)")
            return try outcome.json()["workload"]["hash"].string
        }
        let usual = try await hash("")
        for same in [
            "--seed 2", "--pushes 60", "--warmup 0s", "--shard 1/1", "--hpack indexed-auth",
            "--target mock", "--mock-option verify=full", "--dialect xulo", "--streams 500",
            "--languages en=80,tr=40,de-DE=30,zh-Hant-TW=30,ar=10,sv=10", "--slo p99<10s",
            "--mock-option plain=false", "--option extraFields=nested",
            "--option appleNumericFlags=true", "--option onesignal=false",
            "--option characters=graphemes",
        ] {
            #expect(try await hash(same) == usual, "\(same)")
        }
        var others: Set<String?> = [usual]
        let unlike = [
            "--pushes 61", "--streams 100", "--hpack strict", "--mock-option verify=headers",
            "--dialect apns", "--engine nghttp2", "--languages en=1", "--mock-option plain",
            "--option onesignal=true", "--option languageAliases=true", "--warmup 1ms",
            "--connections 3", "--rate 5000 --pushes 50",
        ]
        for words in unlike { others.insert(try await hash(words)) }
        #expect(others.count == unlike.count + 1)
    }
}
