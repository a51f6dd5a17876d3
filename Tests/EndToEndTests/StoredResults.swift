import Foundation
import Testing

/// Result files made from a real one, with numbers of our choice.
struct StoredResults {
    private let template: [String: Any]
    let folder: Folder

    /// Makes a real result to begin with.
    init(in folder: Folder) async throws {
        let outcome = try await Program.pushbench("run", "--installs", "200", "--json")
        try #require(outcome.code == 0, "\(outcome.errors)")
        template = try #require(
            try JSONSerialization.jsonObject(with: outcome.stdout) as? [String: Any]
        )
        self.folder = folder
    }

    /// A result whose runs need so many times the usual time and CPU.
    func result(
        runs count: Int,
        factor: Double = 1,
        day: Int = 1,
        change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> [String: Any] {
        var result = template
        let run = try #require((template["runs"] as? [[String: Any]])?.first)
        result["runs"] = try (0..<count).map { index in
            // A spread of half a percent that is the same in every test.
            let value = factor * (1 + Double((index * 7 + day * 3) % 11 - 5) / 1_000)
            var run = run
            var latency = try #require(run["latency"] as? [String: [String: Any]])
            latency["response"]?["p99"] = Int(700_000 * value)
            run["latency"] = latency
            var cost = try #require(run["cost"] as? [String: Any])
            cost["cpuNanosecondsPerPush"] = 800 * value
            run["cost"] = cost
            var throughput = try #require(run["throughput"] as? [String: Any])
            throughput["pushesPerSecond"] = 900_000 / value
            run["throughput"] = throughput
            return run
        }
        let date = "2026-01-\(day < 10 ? "0" : "")\(day)"
        result["id"] = date.replacing("-", with: "") + "T120000Z-0000\(10 + day)"
        result["startedAt"] = "\(date)T12:00:00.000Z"
        result["finishedAt"] = "\(date)T12:01:00.000Z"
        change(&result)
        return result
    }

    /// Writes a result as a file and returns its path.
    @discardableResult
    func write(_ name: String, _ result: [String: Any]) throws -> String {
        try folder.write(name, try JSONSerialization.data(withJSONObject: result))
    }

    /// Puts a result into the store below the folder, as `run --save` does.
    func store(_ result: [String: Any]) throws {
        let machine = try #require((result["machine"] as? [String: Any])?["key"] as? String)
        let hash = try #require((result["workload"] as? [String: Any])?["hash"] as? String)
        let id = try #require(result["id"] as? String)
        _ = try folder.makeFolder("results/\(machine)/\(hash)")
        try write("results/\(machine)/\(hash)/\(id).json", result)
    }
}
