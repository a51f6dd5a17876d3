import Foundation
import LoadEngine

/// How long a run may take that has these flags, before it is taken for one that hangs.
enum RunLimit {
    /// Connecting, a slow machine.
    private static let base = 60.0
    private static let factor = 2.0
    /// Slower than any target that is worth a comparison of builds.
    private static let slowestClosedLoop = 1_000.0
    /// Secrets a second, made on one slow processor.
    private static let slowestPreparation = 2_000.0
    /// A line of an installs file is longer.
    private static let bytesPerInstall = 20
    private static let longest = 365.0 * 86_400

    /// The limit, in nanoseconds: a minute, and twice what these flags of `run` ask for.
    static func nanoseconds(_ words: [String]) -> UInt64 {
        do {
            return try known(words)
        } catch {
            // Whether the flags are right is for the builds to say: they may know more of them.
            return 3_600_000_000_000
        }
    }

    private static func known(_ words: [String]) throws -> UInt64 {
        var arguments = try Arguments(words, for: RunCommand.spec)
        if let path = arguments.positionals.first {
            _ = try Scenario(path, into: &arguments, spec: RunCommand.spec)
        }
        let options = try RunOptions(arguments)
        let audience = Self.audience(arguments["installs"])
        var seconds: Double
        switch options.goal {
        case .duration(let nanoseconds): seconds = Double(nanoseconds) / 1e9
        case .pushes(let pushes): seconds = Double(pushes) / rate(of: options.load)
        case nil:
            seconds =
                Double(options.shardSize(ofInstalls: audience)) / rate(of: options.load)
        }
        // The last pushes may go out again, each time after twice the pause.
        let target = try Target(arguments["target"] ?? "mock")
        let sandbox = try Target.sandbox(arguments, besides: target)
        let delay =
            options.retryDelay
            ?? RunPlan.defaultRetryDelay(
                arguments,
                target.endpoints + [sandbox].compactMap(\.self)
            )
        let pause = Double(delay) / 1e9
        seconds += pause * pow(2, Double(min(options.retryLimit, 7)))
        seconds += Double(options.timeouts.answer) / 1e9
        if options.encryption == .prepared { seconds += Double(audience) / slowestPreparation }
        let sending = seconds * Double(options.repetitions)
        let all = base + factor * (Audience.secondsToLoad(audience) + sending)
        return UInt64(min(all, longest) * 1e9)
    }

    private static func rate(of load: LoadModel) -> Double {
        guard case .openLoop(let rate, _) = load else { return slowestClosedLoop }
        return rate
    }

    private static func audience(_ installs: String?) -> Int {
        guard let installs else { return Audience.defaultCount }
        if let count = Int(installs) { return count }
        var status = stat()
        return stat(installs, &status) == 0 ? Int(status.st_size) / bytesPerInstall : 0
    }
}
