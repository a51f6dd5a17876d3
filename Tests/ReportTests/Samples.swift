import Foundation
import HDRHistogram
import Results

/// Results for the tests to show.
enum Samples {
    /// A histogram of `count` times, spread evenly from one to `count` steps.
    static func histogram(count: Int, step: Int64) -> Histogram {
        let histogram = Histogram(.latency)
        for index in 1...count { histogram.record(Int64(index) * step) }
        return histogram
    }

    static func run(
        account: Account = Account(
            audience: 1_000,
            accepted: 990,
            rejected: ["BadDeviceToken": 8, "Unregistered": 2]
        ),
        pushesPerSecond: Int = 1_000,
        reason: String = "GOAWAY"
    ) throws -> RunRecord {
        RunRecord(
            account: account,
            throughput: Throughput(
                acknowledged: pushesPerSecond,
                bytes: pushesPerSecond * 322,
                elapsedNanoseconds: 1_000_000_000
            ),
            makespan: Makespan(histogram(count: 1_000, step: 3_000_000), audience: 1_000),
            latency: Latency(
                response: try LatencySummary(histogram(count: 10_000, step: 250)),
                service: try LatencySummary(histogram(count: 10_000, step: 240)),
                lateness: try LatencySummary(histogram(count: 10_000, step: 2))
            ),
            cost: Cost(
                cpuNanosecondsPerPush: 1_350,
                stages: [
                    "render": Cost.Stage(cpuNanosecondsPerPush: 118, limitNanosecondsPerPush: 90),
                    "send": Cost.Stage(cpuNanosecondsPerPush: 470.5),
                ],
                peakRSSBytes: 212_000_000,
                allocationsPerPush: 0
            ),
            connections: [
                ConnectionRecord(opened: 1_000, closed: 90_000, reason: reason, pushes: 100),
                ConnectionRecord(opened: 95_000, pushes: 900),
            ],
            series: (1...3).map { second in
                SeriesPoint(
                    t: Int64(second) * 1_000_000_000,
                    sent: 333,
                    accepted: 330,
                    rejected: 3,
                    p50: 1_250_000,
                    p99: 2_475_000 * Int64(second),
                    inFlight: second
                )
            }
        )
    }

    /// A result all of whose strings are `text`, where one is given.
    static func result(
        _ text: String? = nil,
        runs: [RunRecord]? = nil,
        complete: Bool = true,
        connections: Int = 1,
        verdict: Verdict? = nil
    ) throws -> ResultFile {
        let start = Date(timeIntervalSince1970: 1_769_903_998.25)
        return ResultFile(
            id: text ?? "20260131T235958Z-04f2a9",
            startedAt: start,
            finishedAt: start + 3,
            complete: complete,
            build: Build(
                version: text ?? "0.1.0",
                commit: text ?? "0123abc",
                dirty: true,
                swift: text ?? "6.3",
                flags: [text ?? "release"]
            ),
            machine: Machine(
                key: text ?? "amd-epyc-2c-32g-debian-12",
                cpu: text ?? "AMD EPYC",
                cores: 2,
                memoryBytes: 25_276_514_304,
                os: text ?? "Debian GNU/Linux 12 (bookworm)",
                kernel: text ?? "6.1.0-18-amd64",
                governor: text ?? "performance",
                cgroupCPUs: 1.5,
                steal: 0.0125
            ),
            workload: Workload(
                dialect: text ?? "xulo",
                message: text ?? "00ff",
                engine: text ?? "wire",
                encryption: text,
                installs: 1_000,
                languages: [text ?? "en": 60, "tr": 40],
                bodyBytes: Workload.BodyBytes(min: 300, mean: 322.5, max: 380, limit: 4_096),
                tls: text ?? "TLSv1.3",
                auth: text ?? "token",
                connections: connections,
                streams: 500,
                mode: text ?? "open",
                rate: 1_000,
                arrivals: text ?? "poisson",
                seed: .max,
                settings: [text ?? "target": text ?? "mock"]
            ),
            runs: try runs ?? [
                run(
                    account: Account(
                        audience: 1_000,
                        accepted: 990,
                        rejected: [text ?? "BadDeviceToken": 10]
                    ),
                    reason: text ?? "GOAWAY"
                )
            ],
            verdict: verdict
                ?? Verdict(
                    bottleneck: text ?? "target",
                    evidence: [text ?? "the busiest event loop was idle for 49% of the time"],
                    valid: true,
                    slo: [
                        SLOOutcome(
                            expression: text ?? "p99<50ms",
                            metric: text ?? "p99",
                            limit: 5e7,
                            actual: 2_475_000,
                            met: true
                        )
                    ]
                )
        )
    }
}
