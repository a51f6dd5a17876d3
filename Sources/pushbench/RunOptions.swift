import Foundation
import HTTP2
import LoadEngine
import Results

/// When the secrets of encrypted pushes are made (design 3.3).
enum EncryptionMode: String, CaseIterable {
    /// In the send.
    case inline
    /// In a phase before it.
    case prepared
}

/// What of a lost connection's pushes goes out again.
enum ResendMode: String, CaseIterable {
    /// What was certainly not processed.
    case safe
    /// Also what may have been.
    case unknown
}

/// The checked choices of a run, beside its message, audience and target.
struct RunOptions {
    let seed: UInt64
    let connections: Int
    let streams: Int
    let loops: Int
    let renderQueues: Int
    let load: LoadModel
    /// nil: the audience once.
    let goal: PushGoal?
    let warmUpNanoseconds: UInt64
    let engine: HTTP2Engine
    let indexing: RequestProfile.Indexing
    let encryption: EncryptionMode
    let objectives: [ServiceLevelObjective]
    let repetitions: Int
    let shard: (index: Int, count: Int)
    let timeouts: RunConfiguration.Timeouts
    let tokenAges: ProviderTokenSource.Ages
    let retryLimit: Int
    /// nil: by the target.
    let retryDelay: UInt64?
    let resend: ResendMode
    let isQuiet: Bool

    private static let mostInFlight = 10_000_000
    static let defaultRetryLimit = 3
    static let defaultTopic = "com.example.pushbench"

    /// Checks the flags, all before the first one has an effect.
    init(_ arguments: Arguments) throws {
        seed = UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 1)
        let connections = try arguments.integer("connections", in: 1...100_000)
        let wantedLoops = try arguments.integer("loops", in: 1...1024)
        loops = min(wantedLoops ?? Processors.half, connections ?? .max)
        self.connections = connections ?? loops
        streams = try arguments.integer("streams", in: 1...1_000_000) ?? 500
        // Each costs some hundred bytes from the start.
        guard self.connections * streams <= Self.mostInFlight else {
            throw UsageError(
                "\(self.connections) --connections of \(streams) --streams are over "
                    + "\(Self.mostInFlight) pushes in flight: lower one of them."
            )
        }
        renderQueues =
            try arguments.integer("render-workers", in: 1...1024) ?? Processors.half
        warmUpNanoseconds = try arguments.duration("warmup") ?? 0
        indexing = try arguments.choice("hpack", of: RequestProfile.Indexing.self) ?? .indexedAuth
        engine = try arguments.choice("engine", of: HTTP2Engine.self) ?? .wire
        encryption = try arguments.choice("encryption", of: EncryptionMode.self) ?? .inline
        repetitions = try arguments.integer("repeat", in: 1...10_000) ?? 1
        shard = try Self.shard(arguments["shard"])
        timeouts = try Self.timeouts(arguments)
        tokenAges = try Self.tokenAges(arguments)
        retryLimit = try arguments.integer("retry-limit", in: 0...100) ?? Self.defaultRetryLimit
        retryDelay = try Self.time("retry-delay", arguments)
        resend = try arguments.choice("resend", of: ResendMode.self) ?? .safe
        isQuiet = arguments.has("quiet")
        objectives = try arguments.all("slo").map { try ServiceLevelObjective.parse($0) }

        let arrivals = try arguments.choice("arrivals", of: LoadModel.Arrivals.self)
        // A push in a quarter of an hour at least, a nanosecond apart at most.
        if let rate = try arguments.number("rate", in: 0.001...1e9) {
            load = .openLoop(rate: rate, arrivals: arrivals ?? .constant)
        } else {
            guard arrivals == nil else {
                throw UsageError("--arrivals needs a schedule: give --rate too.")
            }
            load = .closedLoop
        }
        let pushes = try arguments.integer("pushes", in: 1...1_000_000_000_000)
        let duration = try arguments.duration("duration")
        switch (pushes, duration) {
        case (_?, _?): throw UsageError("--pushes and --duration exclude each other: give one.")
        case (let pushes?, nil): goal = .pushes(pushes)
        case (nil, let nanoseconds?):
            guard nanoseconds > 0 else {
                throw UsageError("--duration 0s sends nothing: give a longer time.")
            }
            guard warmUpNanoseconds < nanoseconds else {
                throw UsageError(
                    "--warmup \(arguments["warmup"] ?? "") leaves nothing of --duration "
                        + "\(arguments["duration"] ?? ""): make it shorter."
                )
            }
            goal = .duration(nanoseconds: nanoseconds)
        case (nil, nil): goal = nil
        }
    }

    /// Whether each install of an audience gets one push at most.
    func sendsOnce(toInstalls count: Int) -> Bool {
        guard repetitions == 1 else { return false }
        switch goal {
        case nil: return true
        case .pushes(let pushes): return pushes <= shardSize(ofInstalls: count)
        case .duration: return false
        }
    }

    /// The installs of this shard.
    func shardSize(ofInstalls count: Int) -> Int {
        (count - shard.index + shard.count - 1) / shard.count
    }

    private static func timeouts(
        _ arguments: Arguments
    ) throws(UsageError) -> RunConfiguration.Timeouts {
        var timeouts = RunConfiguration.Timeouts()
        timeouts.connect = try time("connect-timeout", arguments) ?? timeouts.connect
        timeouts.answer = try time("answer-timeout", arguments) ?? timeouts.answer
        timeouts.pingInterval = try time("ping-interval", arguments) ?? timeouts.pingInterval
        timeouts.pong = try time("ping-timeout", arguments) ?? timeouts.pong
        return timeouts
    }

    private static func tokenAges(
        _ arguments: Arguments
    ) throws(UsageError) -> ProviderTokenSource.Ages {
        var ages = ProviderTokenSource.Ages()
        guard let lifetime = try arguments.duration("token-lifetime") else { return ages }
        let minute: UInt64 = 60_000_000_000
        guard (20 * minute...55 * minute).contains(lifetime) else {
            throw UsageError(
                "--token-lifetime \(arguments["token-lifetime"] ?? "") does not fit: Apple takes a "
                    + "new token every 20 minutes and none older than an hour; give 20m to 55m."
            )
        }
        ages.lifetime = lifetime
        return ages
    }

    /// A time of a millisecond or more.
    private static func time(
        _ name: String,
        _ arguments: Arguments
    ) throws(UsageError) -> UInt64? {
        guard let time = try arguments.duration(name) else { return nil }
        guard (1_000_000...86_400_000_000_000).contains(time) else {
            throw UsageError(
                "--\(name) \(arguments[name] ?? "") does not fit: give 1ms to 24h."
            )
        }
        return time
    }

    private static func shard(_ text: String?) throws(UsageError) -> (index: Int, count: Int) {
        guard let text else { return (0, 1) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1],
            (1...1_000_000).contains(count), (1...count).contains(index)
        else { throw UsageError("--shard \(text) does not fit: give I/N with I from 1 to N.") }
        return (index - 1, count)
    }
}
