import Foundation
import HTTP2
import LoadEngine
import PushInstalls
import PushModel
import PushPayload
import Results

/// The flags that change what is measured and have no field of their own in a workload, in a form
/// that is the same for the same meaning: defaults left out, units folded, files by content.
enum WorkloadSettings {
    /// The settings of a plan.
    static func settings(of plan: RunPlan) -> [String: String] {
        let options = plan.options
        var settings: [String: String] = [:]
        switch options.goal {
        case nil: break
        case .pushes(let count): if count != plan.audienceSize { settings["pushes"] = "\(count)" }
        case .duration(let nanoseconds): settings["duration"] = duration(nanoseconds)
        }
        if options.warmUpNanoseconds > 0 {
            settings["warmup"] = duration(options.warmUpNanoseconds)
        }
        if options.shard.count > 1 {
            settings["shard"] = "\(options.shard.index + 1)/\(options.shard.count)"
        }
        if options.indexing != .indexedAuth { settings["hpack"] = options.indexing.rawValue }
        if let sandbox = plan.arguments["sandbox-target"] {
            settings["sandbox-target"] = target(sandbox)
        }
        if options.resend != .safe { settings["resend"] = options.resend.rawValue }
        if options.retryLimit != RunOptions.defaultRetryLimit {
            settings["retry-limit"] = String(options.retryLimit)
        }
        if let delay = options.retryDelay { settings["retry-delay"] = duration(delay) }
        // Every push is written down twice.
        if plan.arguments.has("journal") { settings["journal"] = "on" }
        settings["loops"] = String(options.loops)
        settings["render-workers"] = String(options.renderQueues)
        settings["scenario"] = plan.scenario
        settings["target"] = target(plan.arguments["target"] ?? "mock")
        let table = plan.audience.table
        if plan.payload.isSealed, table.count > 0 {
            // An encrypted push costs twenty plain ones.
            let share = Double(table.installsWithKey) / Double(table.count)
            settings["encrypted"] = "\(Int((share * 100).rounded()))%"
        }
        let mock = mockOptions(plan.arguments.all("mock-option"))
        if !mock.isEmpty { settings["mock-option"] = mock }
        return settings
    }

    /// The shares of a synthetic audience's languages as they were asked for: what a seed draws of
    /// them differs from seed to seed.
    static func shares(of audience: Audience) -> [String: Double]? {
        guard let mix = audience.mix else { return nil }
        let total = mix.entries.reduce(0.0) { $0 + Double($1.share) }
        var shares: [String: Double] = [:]
        for entry in mix.entries where entry.share > 0 {
            let name = entry.language.isEmpty ? "none" : entry.language
            shares[name] = (10_000 * Double(entry.share) / total).rounded() / 10_000
        }
        return shares
    }

    /// A time in the largest unit that needs no fraction.
    static func duration(_ nanoseconds: UInt64) -> String {
        for (unit, length) in [("s", 1_000_000_000), ("ms", 1_000_000)] as [(String, UInt64)]
        where nanoseconds % length == 0 {
            return "\(nanoseconds / length)\(unit)"
        }
        return "\(nanoseconds)ns"
    }

    /// A target with its port only where it is not the scheme's own.
    private static func target(_ text: String) -> String {
        guard case .server(let endpoint)? = try? Target(text) else { return text }
        return (endpoint.isTLS ? "https://" : "http://") + endpoint.authority
    }

    /// What the mock does without being told.
    private static let mockDefaults = [
        "verify": "full", "auth": "any", "environment": "production", "streams": "1000",
        "host": "127.0.0.1", "port": "0", "personality": "accept-all",
    ]
    /// Files that are made anew for each run, and change nothing but whether it works.
    private static let mockKeyFiles: Set = ["private-keys", "tls-cert", "tls-key", "client-ca"]

    /// The mock's options in order, each once.
    static func mockOptions(_ options: [String]) -> String {
        var words: Set<String> = []
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            let name = parts.first ?? ""
            let value = parts.count == 2 ? parts[1] : "true"
            if value == "false" || mockDefaults[name] == value { continue }
            if mockKeyFiles.contains(name) {
                words.insert(name)
            } else if let bytes = contents(ofFile: value) {
                var digest = StableDigest("pushbench.file/1")
                digest.add("bytes", bytes: bytes)
                words.insert("\(name)=\(digest.hex)")
            } else {
                words.insert(value == "true" ? name : "\(name)=\(value)")
            }
        }
        return words.sorted().joined(separator: " ")
    }

    /// The bytes of a regular file; nil of anything else, which may have no end, or is gone once read.
    private static func contents(ofFile path: String) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileManager.default.contents(atPath: path).map(Array.init)
    }
}
