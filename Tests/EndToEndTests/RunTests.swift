import Foundation
import Testing

/// `pushbench run` with the embedded mock: what it prints, stores and leaves alone.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RunTests {
    @Test func summaryIsShortAndLeadsWithThroughputMakespanAndLatency() async throws {
        let outcome = try await Program.pushbench("run", "--installs", "1000")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.errors == "", "nothing is shown live where stderr is no terminal")
        #expect(outcome.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 31)
        let labels = outcome.lines.dropFirst().compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(labels.prefix(4) == ["throughput", "makespan", "response", "account"])
        #expect(outcome.text.contains("p50") && outcome.text.contains("p99.9"))
        #expect(outcome.text.contains("1,000 accepted (100%)"))
        #expect(!outcome.text.contains("\u{1B}"), "colours are for terminals")
    }

    @Test func jsonIsOneDocumentWithTheFieldsOfTheResultFile() async throws {
        let outcome = try await Program.pushbench("run", "--installs", "500", "--json")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        let result = try outcome.json()
        #expect(result["schema"] == .string("pushbench.result/1"))
        #expect(result["complete"] == .bool(true))
        for (part, fields) in Self.fields {
            let node = part.split(separator: ".").reduce(result) { node, key in
                Int(key).map { node[$0] } ?? node[String(key)]
            }
            for field in fields { #expect(node[field] != .absent, "\(part).\(field)") }
        }
        let account = Account(of: result["runs"][0])
        #expect(account == Account(allAccepted: 500))
        #expect(result["workload"]["bodyBytes"]["min"].int ?? 0 > 100)
        #expect(result["runs"][0]["latency"]["response"]["count"].int == 500)
        let hdr = try #require(result["runs"][0]["latency"]["response"]["hdr"].string)
        #expect(Data(base64Encoded: hdr) != nil)
    }

    /// The fields of design 5 that a finished closed-loop run has.
    private static let fields: [(String, [String])] = [
        ("", ["id", "startedAt", "finishedAt", "build", "machine", "workload", "runs", "verdict"]),
        ("build", ["version", "swift", "flags"]),
        ("machine", ["key", "cpu", "cores", "memoryBytes", "os", "kernel", "steal"]),
        (
            "workload",
            [
                "hash", "dialect", "engine", "installs", "languages", "bodyBytes", "tls", "auth",
                "connections", "streams", "mode", "seed",
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
        ("runs.0.throughput", ["pushesPerSecond", "bytesPerSecond", "achievedRate"]),
        ("runs.0.makespan", ["p50", "p90", "p99", "p99_9", "p100", "curve"]),
        (
            "runs.0.latency.response",
            ["count", "min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max", "hdr"]
        ),
        ("runs.0.latency.service", ["count", "p50", "hdr"]),
        ("runs.0.cost", ["cpuNanosecondsPerPush", "stages", "peakRSSBytes"]),
        ("runs.0.connections.0", ["opened", "closed", "pushes"]),
        ("runs.0.series.0", ["t", "sent", "accepted", "rejected", "p50", "p99", "inFlight"]),
        ("runs.0.series.0", ["responseP50", "responseP99"]),
        ("verdict", ["evidence", "valid", "slo"]),
    ]

    @Test func outHoldsTheSameDocumentAndNothingElseIsLeft() async throws {
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            ["run", "--installs", "300", "--json", "--out", "result.json"],
            in: folder.path
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try folder.read("result.json") == outcome.stdout)
        #expect(try folder.files() == ["result.json"])
    }

    @Test func saveStoresBelowResultsByMachineAndWorkload() async throws {
        let folder = try Folder()
        let words = ["run", "--installs", "300", "--json"]
        let unsaved = try await Program.pushbench(words, in: folder.path)
        #expect(unsaved.code == 0)
        #expect(try folder.files() == [], "nothing is stored without --save")

        let saved = try await Program.pushbench(words + ["--save"], in: folder.path)
        #expect(saved.code == 0)
        let result = try saved.json()
        let machine = try #require(result["machine"]["key"].string)
        let hash = try #require(result["workload"]["hash"].string)
        let id = try #require(result["id"].string)
        #expect(try folder.files() == ["results/\(machine)/\(hash)/\(id).json"])
        #expect(try folder.read("results/\(machine)/\(hash)/\(id).json") == saved.stdout)
        #expect(try unsaved.json()["workload"]["hash"].string == hash, "same flags, same workload")
        #expect(try unsaved.json()["id"].string != id)
    }

    @Test func keysOfTwoDocumentsStandInTheSameOrder() async throws {
        let folder = try Folder()
        func keys(_ text: String) -> [String] {
            text.split(separator: "\n").filter { $0.hasPrefix("  \"") }
                .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
        }
        var found: [[String]] = []
        for _ in 0..<2 {
            let words = ["run", "--installs", "50", "--json"]
            found.append(keys(try await Program.pushbench(words, in: folder.path).text))
        }
        #expect(found[0].count >= 10)
        #expect(found[0] == found[1])
    }

    @Test func repeatMakesRunsOfTheirOwn() async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "400",
            "--repeat",
            "3",
            "--json"
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        let runs = try outcome.json()["runs"].elements
        #expect(runs.map(Account.init) == Array(repeating: Account(allAccepted: 400), count: 3))
    }

    @Test func pushesAboveTheAudienceStartItAnew() async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "300",
            "--pushes",
            "1000",
            "--json"
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 1000))
    }

    @Test func durationEndsAClosedLoop() async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "300",
            "--duration",
            "400ms",
            "--json"
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        let account = try outcome.account()
        #expect(account.accepted ?? 0 > 0)
        #expect(account.addsUp && account.accepted == account.audience)
    }

    @Test(arguments: ["constant", "poisson"])
    func scheduleIsKeptToItsLastPush(arrivals: String) async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "300",
            "--rate",
            "1000",
            "--arrivals",
            arrivals,
            "--duration",
            "1s",
            "--loops",
            "2",
            "--connections",
            "2",
            "--warmup",
            "200ms",
            "--json"
        )
        let result = try outcome.json()
        let account = try outcome.account()
        let audience = try #require(account.audience)
        if arrivals == "constant" {
            #expect(audience == 1000)
        } else {
            #expect((800...1200).contains(audience), "six standard deviations and a fixed seed")
        }
        // A machine that is too busy may miss the schedule, which is code 4 or 7; nothing is lost.
        #expect([0, 4, 7].contains(outcome.code), "\(outcome.errors)")
        #expect(account.addsUp && account.unknown == 0)
        #expect(result["workload"]["mode"] == .string("open"))
        #expect(result["workload"]["arrivals"] == .string(arrivals))
        #expect(result["runs"][0]["throughput"]["offeredRate"].number == 1000)
        let measured = try #require(result["runs"][0]["latency"]["lateness"]["count"].int)
        #expect(measured > 0 && measured < audience, "the warm-up is left out")
    }

    @Test func shardsShareTheAudience() async throws {
        var accounts: [Account] = []
        for shard in ["1/2", "2/2"] {
            let words = ["run", "--installs", "501", "--shard", shard, "--json"]
            let outcome = try await Program.pushbench(words)
            #expect(outcome.code == 0, "\(outcome.errors)")
            accounts.append(try outcome.account())
        }
        #expect(accounts == [Account(allAccepted: 251), Account(allAccepted: 250)])
    }

    @Test func connectionsAndLoopsShareThePushes() async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "2000",
            "--connections",
            "5",
            "--loops",
            "2",
            "--streams",
            "20",
            "--render-workers",
            "2",
            "--json"
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 2000))
        let pushes = try outcome.json()["runs"][0]["connections"].elements.map { $0["pushes"].int }
        #expect(pushes.count == 5)
        #expect(pushes.compactMap(\.self).reduce(0, +) == 2000)
        #expect(pushes.allSatisfy { $0 ?? 0 > 0 })
    }

    @Test func aMockThatRefusesIsCountedByReason() async throws {
        // The token's own rules hold: a key that the mock does not know is no sender.
        let folder = try Folder()
        let key = folder.path + "/key.pem"
        let make =
            "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out key.pem"
        _ = try await Program.shell(make, in: folder.path)
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "200",
            "--mock-option",
            "auth=\(key)",
            "--json"
        )
        #expect(outcome.code == 1, "nothing was accepted")
        let account = try outcome.account()
        #expect(account.rejected == ["InvalidProviderToken": 200])
        #expect(account.addsUp)
    }

    @Test func missedObjectiveIsExitCode4AndTheResultIsKept() async throws {
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "200",
            "--slo",
            "p99<1ns",
            "--slo",
            "errors<1%",
            "--out",
            "kept.json",
            in: folder.path
        )
        #expect(outcome.code == 4)
        #expect(outcome.text.contains("MISSED") && outcome.text.contains("p99<1ns"))
        #expect(outcome.text.contains("met") && outcome.text.contains("errors<1%"))
        let slo = try JSONNode(folder.read("kept.json"))["verdict"]["slo"]
        #expect(slo[0]["met"] == .bool(false))
        #expect(slo[1]["met"] == .bool(true))
    }

    @Test func scheduleBeyondThisMachineIsNoFailedRun() async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "500",
            "--rate",
            "900000000",
            "--duration",
            "1500ms",
            "--json"
        )
        #expect([4, 7].contains(outcome.code), "missed by the target, or by pushbench itself")
        let account = try outcome.account()
        #expect(account.audience == 1_350_000_000)
        #expect(account.addsUp && account.neverSent ?? 0 > 0)
    }

    @Test func warmUpOfTheWholeRunLeavesNoTimesAndSaysSo() async throws {
        let outcome = try await Program.pushbench("run", "--installs", "50", "--warmup", "1m")
        #expect(outcome.code == 0)
        #expect(outcome.text.contains("the warm-up took the whole run"))
        #expect(outcome.text.contains("50 accepted"))
    }

    @Test func differentSeedsGiveDifferentInstallsOfTheSameWorkload() async throws {
        let folder = try Folder()
        var texts: [String] = []
        for seed in ["1", "1", "2"] {
            let words = ["installs", "generate", "--count", "20", "--seed", seed]
            texts.append(try await Program.pushbench(words, in: folder.path).text)
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0] != texts[2])
    }
}
