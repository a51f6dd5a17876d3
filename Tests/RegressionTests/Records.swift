import Foundation
import HDRHistogram
import PushModel

@testable import Regression
@testable import Results

/// Runs and results for tests, with the numbers that metrics read.
enum Records {
    private static let summary: LatencySummary? = {
        let histogram = Histogram(.latency)
        histogram.record(1_000)
        return try? LatencySummary(histogram)
    }()

    /// A run in which everything that is better lower is `factor` times its usual value, and the
    /// rate as much less.
    static func run(_ factor: Double = 1, errors: Int = 100) throws -> RunRecord {
        func nanoseconds(_ usual: Double) -> Int64 { Int64((usual * factor).rounded()) }
        var response = summary
        response?.p50 = nanoseconds(400_000)
        response?.p90 = nanoseconds(500_000)
        response?.p99 = nanoseconds(700_000)
        response?.p999 = nanoseconds(1_500_000)
        response?.p9999 = nanoseconds(1_700_000)
        response?.max = nanoseconds(1_900_000)
        var makespan = Makespan(Histogram(.latency), audience: 0)
        makespan.p100 = nanoseconds(213_000_000)
        let rejected = Int((Double(errors) * factor).rounded())
        var throughput = Throughput(acknowledged: 1, bytes: 1, elapsedNanoseconds: 1)
        throughput.pushesPerSecond = 900_000 / factor
        return RunRecord(
            account: Account(
                audience: 10_000,
                accepted: 10_000 - rejected,
                rejected: rejected > 0 ? ["Unregistered": rejected] : [:]
            ),
            throughput: throughput,
            makespan: makespan,
            latency: Latency(response: response, service: nil, lateness: nil),
            cost: Cost(
                cpuNanosecondsPerPush: 800 * factor,
                peakRSSBytes: nanoseconds(46_000_000),
                allocationsPerPush: 2 * factor
            )
        )
    }

    /// A run of which little but the CPU time is known: simulations need no more.
    static func bareRun(_ factor: Double) -> RunRecord {
        RunRecord(
            account: Account(audience: 0, accepted: 0),
            throughput: Throughput(acknowledged: 1, bytes: 1, elapsedNanoseconds: 1),
            makespan: nil,
            latency: Latency(response: nil, service: nil, lateness: nil),
            cost: Cost(cpuNanosecondsPerPush: 800 * factor)
        )
    }

    /// Runs that swing by about half a percent, around so many times the usual value.
    static func runs(
        _ count: Int,
        around factor: Double = 1,
        spread: Double = 0.005,
        seed: UInt64
    ) throws -> [RunRecord] {
        var random = SplitMix64(seed: seed)
        return try (0..<count).map { _ in
            try run(factor * exp(Double.random(in: -spread...spread, using: &random)))
        }
    }

    /// A stored result of such runs.
    static func result(
        _ runs: [RunRecord],
        day: Int = 0,
        commit: String? = nil,
        isValid: Bool = true
    ) -> ResultFile {
        let start = Date(timeIntervalSince1970: 1_770_000_000 + Double(day) * 86_400)
        return ResultFile(
            id: ResultFile.makeID(startedAt: start),
            startedAt: start,
            finishedAt: start,
            complete: true,
            build: Build(
                version: "0.1.0",
                commit: commit,
                dirty: nil,
                swift: "6.3",
                flags: ["release"]
            ),
            machine: Machine(
                key: "cpu-2c-4g-debian-12",
                cpu: "cpu",
                cores: 2,
                memoryBytes: 4 << 30,
                os: "Debian",
                kernel: "6.1"
            ),
            workload: Workload(
                dialect: "xulo",
                engine: "wire",
                installs: 10_000,
                languages: ["en": 1],
                tls: "none",
                auth: "token",
                connections: 1,
                streams: 500,
                mode: "closed"
            ),
            runs: runs,
            verdict: Verdict(valid: isValid)
        )
    }
}

extension Comparison {
    /// Compares runs each of which is a result of its own.
    init(base: [RunRecord], new: [RunRecord], options: Options = Options()) throws(RegressionError)
    {
        try self.init(base: base.map { [$0] }, new: new.map { [$0] }, options: options)
    }
}
