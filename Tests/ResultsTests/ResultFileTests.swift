import Foundation
import Testing

@testable import Results

@Suite struct ResultFileTests {
    @Test func aResultComesBackAsItWas() throws {
        let result = try Samples.result()
        let data = try result.encoded()
        let decoded = try ResultFile(decoding: data, name: "result")
        #expect(decoded == result)
        #expect(try decoded.encoded() == data)
    }

    @Test func absentValuesHaveNoKey() throws {
        let bare = try Samples.result(
            runs: [
                RunRecord(
                    account: Account(audience: 5, accepted: 0, neverSent: 5),
                    throughput: Throughput(acknowledged: 0, bytes: 0, elapsedNanoseconds: 0),
                    makespan: nil,
                    latency: Latency(response: nil, service: nil, lateness: nil)
                )
            ],
            verdict: Verdict(valid: false)
        )
        let data = try bare.encoded()
        #expect(!String(decoding: data, as: UTF8.self).contains("null"))
        #expect(try ResultFile(decoding: data, name: "bare") == bare)
    }

    @Test(arguments: [
        (
            "",
            [
                "schema", "id", "startedAt", "finishedAt", "complete", "build", "machine",
                "workload", "runs", "verdict",
            ]
        ),
        ("build", ["version", "commit", "dirty", "swift", "flags"]),
        (
            "machine",
            [
                "key", "cpu", "cores", "memoryBytes", "os", "kernel", "governor", "cgroupCPUs",
                "steal",
            ]
        ),
        (
            "workload",
            [
                "hash", "dialect", "engine", "encryption", "installs", "languages", "bodyBytes",
                "tls", "auth", "connections", "streams", "mode", "rate", "arrivals", "seed",
                "message", "settings",
            ]
        ),
        ("workload.bodyBytes", ["min", "mean", "max"]),
        (
            "runs.0",
            [
                "account", "throughput", "makespan", "latency", "cost", "connections", "series",
            ]
        ),
        (
            "runs.0.account",
            ["audience", "accepted", "rejected", "unknown", "neverSent", "duplicates"]
        ),
        (
            "runs.0.throughput",
            ["pushesPerSecond", "bytesPerSecond", "offeredRate", "achievedRate"]
        ),
        ("runs.0.makespan", ["p50", "p90", "p99", "p99_9", "p100", "curve"]),
        ("runs.0.latency", ["response", "service", "lateness"]),
        (
            "runs.0.latency.service",
            [
                "count", "min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max", "hdr",
                "outOfRange",
            ]
        ),
        (
            "runs.0.cost",
            ["cpuNanosecondsPerPush", "stages", "peakRSSBytes", "allocationsPerPush"]
        ),
        ("runs.0.cost.stages.render", ["cpuNanosecondsPerPush", "limitNanosecondsPerPush"]),
        ("runs.0.connections.0", ["opened", "closed", "reason", "pushes"]),
        (
            "runs.0.series.0",
            [
                "t", "sent", "accepted", "rejected", "p50", "p99", "responseP50", "responseP99",
                "inFlight",
            ]
        ),
        ("verdict", ["bottleneck", "evidence", "valid", "slo"]),
    ])
    func theFieldsHaveTheNamesOfTheFormat(path: String, names: [String]) throws {
        var run = try Samples.run()
        run.throughput.offeredRate = 1_000
        run.throughput.achievedRate = 999
        run.latency.service?.outOfRange = 1
        var machine = Samples.machine
        machine.governor = "performance"
        machine.cgroupCPUs = 1.5
        let workload = Samples.workload(
            message: "m",
            encryption: "inline",
            rate: 1_000,
            arrivals: "poisson"
        )
        let result = try Samples.result(machine: machine, workload: workload, runs: [run])
        var value: Any = try JSONSerialization.jsonObject(with: result.encoded())
        for step in path.split(separator: ".") {
            if let index = Int(step) {
                value = try #require((value as? [Any])?[index])
            } else {
                value = try #require((value as? [String: Any])?[String(step)])
            }
        }
        let object = try #require(value as? [String: Any])
        #expect(Set(object.keys) == Set(names))
    }

    @Test func theJSONIsMadeToBeReadAndCompared() throws {
        let text = String(decoding: try Samples.result().encoded(), as: UTF8.self)
        #expect(text.hasPrefix("{\n  \"build\" : {\n    \"commit\" : \"0123abc\",\n"))
        #expect(text.hasSuffix("}\n"))
        #expect(text.contains("\"schema\" : \"pushbench.result/1\""))
        #expect(text.contains("\"startedAt\" : \"2026-01-31T23:59:58.250Z\""))
        #expect(text.contains("\"memoryBytes\" : 25276514304"))
        #expect(text.contains("\"seed\" : 18446744073709551615"))
        #expect(text.contains("\"cpuNanosecondsPerPush\" : 470.5"))
    }

    @Test func resultsOfEarlierVersionsAreRead() throws {
        var old = try Samples.result()
        old.runs[0].makespan?.curve = nil
        old.runs[0].series[0].responseP50 = nil
        old.runs[0].series[0].responseP99 = nil
        let text = String(decoding: try old.encoded(), as: UTF8.self)
        #expect(!text.contains("curve") && !text.contains("responseP"))
        #expect(try ResultFile(decoding: Data(text.utf8), name: "old") == old)
    }

    @Test func keysOfLaterVersionsAreIgnored() throws {
        let result = try Samples.result()
        let text = String(decoding: try result.encoded(), as: UTF8.self)
            .replacingOccurrences(of: "\"build\" : {", with: "\"colour\" : 1, \"build\" : {")
            .replacingOccurrences(of: "\"p50\" :", with: "\"p49\" : [null], \"p50\" :")
        #expect(try ResultFile(decoding: Data(text.utf8), name: "later") == result)
    }

    private static let good = Result {
        String(decoding: try Samples.result().encoded(), as: UTF8.self)
    }

    @Test(arguments: [
        (
            "pushbench.result/1", "pushbench.result/2",
            ResultError.otherSchema(path: "r.json", schema: "pushbench.result/2")
        ),
        ("pushbench.result/1", "benchmark/1", .notAResult(path: "r.json")),
        ("\"schema\" :", "\"format\" :", .notAResult(path: "r.json")),
        (
            "\"unknown\" : 0", "\"unknown\" : \"\"",
            .damaged(path: "r.json", field: "runs[0].account.unknown")
        ),
        (
            "\"unknown\" : 0", "\"unknown\" : null",
            .damaged(path: "r.json", field: "runs[0].account.unknown")
        ),
        (
            "\"unknown\" : 0", "\"unknown\" : 0.5", .notJSON(path: "r.json")
        ),
        (
            "\"unknown\" : 0", "\"unknown\" : 1e40", .notJSON(path: "r.json")
        ),
        (
            "\"inFlight\" :", "\"in\" :",
            .damaged(path: "r.json", field: "runs[0].series[0].inFlight")
        ),
        (
            "2026-01-31T23:59:58.250Z", "yesterday",
            .damaged(path: "r.json", field: "startedAt or finishedAt")
        ),
        ("\"complete\"", "complete", .notJSON(path: "r.json")),
    ])
    func damageIsNamedWithItsPlace(old: String, new: String, error: ResultError) throws {
        let text = try Self.good.get().replacingOccurrences(of: old, with: new)
        #expect(throws: error) { try ResultFile(decoding: Data(text.utf8), name: "r.json") }
        #expect(error.description.contains("r.json"))
    }

    @Test(arguments: ["", "{", "[]", "\"text\"", "null", "{}", "\u{0}"])
    func otherFilesAreRefused(text: String) {
        #expect(throws: ResultError.self) {
            try ResultFile(decoding: Data(text.utf8), name: "r.json")
        }
    }

    @Test func everyCutIsRefused() throws {
        let data = try Samples.result().encoded()
        for length in stride(from: 0, to: data.count - 2, by: 97) {
            #expect(throws: ResultError.notJSON(path: "r.json")) {
                try ResultFile(decoding: data.prefix(length), name: "r.json")
            }
        }
    }

    @Test func aNumberThatIsNoneIsNamedRatherThanWritten() throws {
        var result = try Samples.result()
        result.runs[0].cost.cpuNanosecondsPerPush = .nan
        #expect(throws: ResultError.notEncodable(field: "runs[0].cost.cpuNanosecondsPerPush")) {
            try result.encoded()
        }
    }

    @Test func idsSortByTimeAndDiffer() {
        let early = ResultFile.makeID(startedAt: Date(timeIntervalSince1970: 1_769_903_998))
        let late = ResultFile.makeID(startedAt: Date(timeIntervalSince1970: 1_769_904_000))
        #expect(early.hasPrefix("20260131T235958Z-"))
        #expect(early.count == "20260131T235958Z-04f2a9".count)
        #expect(early < late)
    }

    @Test func theBuildTakesItsCommitFromTheEnvironment() {
        let known = Build.current(
            version: "1.2.3",
            environment: ["PUSHBENCH_COMMIT": "0123abc", "PUSHBENCH_DIRTY": "1"]
        )
        #expect(known.commit == "0123abc")
        #expect(known.dirty == true)
        #expect(known.version == "1.2.3")
        #expect(known.swift.hasPrefix("6."))
        let unknown = Build.current(version: "1", environment: ["PUSHBENCH_COMMIT": ""])
        #expect(unknown.commit == nil)
        #expect(unknown.dirty == nil)
    }
}
