import Foundation
import Testing

/// `--metrics-listen` of `run` and `mock`.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct MetricsTests {
    /// The address that a program tells on stderr.
    private func address(of program: Program) async throws -> String {
        try await program.wait { program.errors.contains("/metrics\n") }
        let word = program.errors.split { $0.isWhitespace }.first { $0.hasSuffix("/metrics") }
        return String(try #require(word))
    }

    private func scrape(_ address: String) async throws -> [String: Double] {
        let outcome = try await Program.run(
            "curl",
            ["--silent", "--show-error", "--fail", "--globoff", address]
        )
        try #require(outcome.code == 0, "\(outcome.errors)")
        var samples: [String: Double] = [:]
        for line in outcome.lines where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            samples[parts.dropLast().joined(separator: " ")] = Double(parts.last ?? "")
        }
        return samples
    }

    @Test func aMockShowsWhatItCounts() async throws {
        let folder = try Folder()
        let ready = folder.path + "/ready.json"
        let mock = try Program(
            path: Program.binary(),
            [
                "mock", "--plain", "--auth", "off", "--quiet", "--ready-file", ready,
                "--metrics-listen", "localhost:0",
            ]
        )
        let address = try await address(of: mock)
        let port = try #require(JSONNode(folder.read("ready.json"))["port"].int)
        let target = ["--target", "http://127.0.0.1:\(port)", "--quiet"]
        let good = try await Program.pushbench(["run", "--installs", "300"] + target)
        #expect(good.code == 0, "\(good.errors)")
        let bad = try await Program.run(
            "curl",
            [
                "--silent", "--http2-prior-knowledge", "--data", "{}",
                "http://127.0.0.1:\(port)/3/device/zz",
            ]
        )
        #expect(bad.code == 0)
        let samples = try await scrape(address)
        #expect(samples["pushbench_mock_accepted_total"] == 300)
        #expect(samples["pushbench_mock_requests_total"] == 301)
        let refused = samples.filter { $0.key.hasPrefix("pushbench_mock_refused_total{reason=") }
        #expect(refused.values.reduce(0, +) == 1)
        #expect(samples["pushbench_mock_connections_opened_total"] == 2)
        mock.signal(SIGTERM)
        #expect(try await mock.finish().code == 0)
    }

    @Test func aRunShowsItsPushesWhileItLasts() async throws {
        let run = try Program(
            path: Program.binary(),
            [
                "run", "--rate", "500", "--duration", "30s", "--installs", "100", "--quiet",
                "--metrics-listen", ":0",
            ]
        )
        let address = try await address(of: run)
        #expect(address.hasPrefix("http://127.0.0.1:"))
        var samples: [String: Double] = [:]
        // The histogram is of full seconds: the first is there after a little more than one.
        try await run.wait {
            samples = try await scrape(address)
            return (samples["pushbench_service_time_seconds_count"] ?? 0) > 0
        }
        let accepted = try #require(
            samples[#"pushbench_pushes_answered_total{outcome="accepted"}"#]
        )
        let sent = try #require(samples["pushbench_pushes_sent_total"])
        let inFlight = try #require(samples["pushbench_pushes_in_flight"])
        #expect(accepted > 0)
        #expect(sent >= accepted)
        #expect(inFlight >= 0)
        #expect(samples["pushbench_connections"] == 1)
        #expect(samples["pushbench_repetitions_started_total"] == 1)
        #expect(
            samples[#"pushbench_service_time_seconds_bucket{le="+Inf"}"#]
                == samples["pushbench_service_time_seconds_count"]
        )
        #expect(samples[#"pushbench_build_info{version="0.1.0"}"#] == 1)
        run.signal(SIGINT)
        #expect(try await run.finish().code == 130)
    }

    @Test(arguments: ["9000x", "localhost", "::1:0", "127.0.0.1:70000", "127.0.0.1:"])
    func aPlaceThatDoesNotFitIsRefused(place: String) async throws {
        let words = ["run", "--installs", "10", "--quiet", "--metrics-listen", place]
        let outcome = try await Program.pushbench(words)
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains("give HOST:PORT"), "\(outcome.errors)")
    }

    @Test func aPortInUseIsTold() async throws {
        let taken = try await RunningMock("--plain")
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "10",
            "--quiet",
            "--metrics-listen",
            "127.0.0.1:\(taken.port)"
        )
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("--metrics-listen"), "\(outcome.errors)")
        _ = try await taken.stop()
    }
}
