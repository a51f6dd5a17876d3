import Foundation
import HDRHistogram

@testable import Results

/// Results and folders that the tests share.
enum Samples {
    static let machine = Machine(
        key: "amd-epyc-2c-32g-debian-12",
        cpu: "AMD EPYC",
        cores: 2,
        memoryBytes: 25_276_514_304,
        os: "Debian GNU/Linux 12 (bookworm)",
        kernel: "6.1.0-18-amd64",
        steal: 0.0125
    )

    static func workload(
        dialect: String = "xulo",
        message: String? = nil,
        engine: String = "wire",
        encryption: String? = nil,
        installs: Int = 200_000,
        languages: [String: Double] = ["en": 60, "tr": 40],
        bodyBytes: Workload.BodyBytes? = Workload.BodyBytes(min: 300, mean: 322.5, max: 380),
        tls: String = "TLSv1.3",
        auth: String = "token",
        connections: Int = 1,
        streams: Int = 500,
        mode: String = "closed",
        rate: Double? = nil,
        arrivals: String? = nil,
        seed: UInt64? = .max,
        settings: [String: String] = ["target": "mock"]
    ) -> Workload {
        Workload(
            dialect: dialect,
            message: message,
            engine: engine,
            encryption: encryption,
            installs: installs,
            languages: languages,
            bodyBytes: bodyBytes,
            tls: tls,
            auth: auth,
            connections: connections,
            streams: streams,
            mode: mode,
            rate: rate,
            arrivals: arrivals,
            seed: seed,
            settings: settings
        )
    }

    /// A histogram of `count` times, spread evenly from one to `count` steps.
    static func histogram(count: Int64, step: Int64) -> Histogram {
        let histogram = Histogram(.latency)
        var value = step
        for _ in 0..<Int(count) {
            histogram.record(value)
            value += step
        }
        return histogram
    }

    static func run(
        account: Account = Account(
            audience: 200_000,
            accepted: 199_990,
            rejected: ["BadDeviceToken": 8, "Unregistered": 2],
            duplicates: 0
        ),
        elapsedNanoseconds: Int64 = 162_000_000
    ) throws -> RunRecord {
        RunRecord(
            account: account,
            throughput: Throughput(
                acknowledged: account.acknowledged,
                bytes: account.acknowledged * 322,
                elapsedNanoseconds: elapsedNanoseconds
            ),
            makespan: Makespan(
                histogram(count: 200_000, step: elapsedNanoseconds / 200_000),
                audience: account.audience
            ),
            latency: Latency(
                response: try LatencySummary(histogram(count: 10_000, step: 250)),
                service: try LatencySummary(histogram(count: 10_000, step: 240)),
                lateness: try LatencySummary(histogram(count: 10_000, step: 2))
            ),
            cost: Cost(
                cpuNanosecondsPerPush: 1_350,
                stages: [
                    "render": Cost.Stage(cpuNanosecondsPerPush: 118, limitNanosecondsPerPush: 90),
                    "frame": Cost.Stage(cpuNanosecondsPerPush: 470.5),
                ],
                peakRSSBytes: 212_000_000,
                allocationsPerPush: 0
            ),
            connections: [
                ConnectionRecord(opened: 1_000, closed: 90_000, reason: "GOAWAY", pushes: 1_000),
                ConnectionRecord(opened: 95_000, pushes: 199_000),
            ],
            series: [
                SeriesPoint(
                    t: 1_000_000_000,
                    sent: 200_000,
                    accepted: 199_990,
                    rejected: 10,
                    p50: 1_250_000,
                    p99: 2_475_000,
                    responseP50: 1_260_000,
                    responseP99: 2_500_000,
                    inFlight: 0
                )
            ]
        )
    }

    static func result(
        complete: Bool = true,
        machine: Machine = machine,
        workload: Workload = workload(),
        runs: [RunRecord]? = nil,
        verdict: Verdict = Verdict(
            bottleneck: "client CPU",
            evidence: ["the client's thread was on the CPU 98% of the time"],
            valid: true
        )
    ) throws -> ResultFile {
        ResultFile(
            id: "20260131T235958Z-04f2a9",
            startedAt: Date(timeIntervalSince1970: 1_769_903_998.25),
            finishedAt: Date(timeIntervalSince1970: 1_769_904_001.5),
            complete: complete,
            build: Build(
                version: "0.1.0",
                commit: "0123abc",
                dirty: false,
                swift: "6.3",
                flags: ["release"]
            ),
            machine: machine,
            workload: workload,
            runs: try runs ?? [run()],
            verdict: verdict
        )
    }
}

/// A folder that lasts as long as the test that made it.
final class TemporaryFolder {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("pushbench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Everything in the folder, hidden files too.
    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    /// Writes files below the folder, by path.
    func fill(_ files: [String: String]) throws {
        for (name, content) in files {
            let url = URL(fileURLWithPath: path + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content.utf8).write(to: url)
        }
    }
}
