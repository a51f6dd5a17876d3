import Glibc
import HTTP2
import MockAPNs
import Testing

/// A personality under which no push may be lost or doubled.
struct ProofPlan: Sendable, CustomTestStringConvertible {
    let name: String
    /// The personality's JSON text.
    let json: String
    /// Whether pushes may be struck so that no sender can know whether they arrived.
    var leavesDoubt = false
    /// Whether windows shrink: nghttp2's server resets streams whose bytes were on their way then.
    var shrinksWindows = false

    var testDescription: String { name }

    /// Every personality that the mock has by name, then mixes of what they do.
    static let all: [ProofPlan] =
        PersonalityReader.builtIn.map { name, json in
            ProofPlan(name: name, json: json, leavesDoubt: name == "flaky")
        } + mixes

    private static let mixes = [
        ProofPlan(
            name: "reasons",
            json: """
                {"personality": "apple", "reasons": {"BadDeviceToken": "1%", "Unregistered": "2%",
                    "PayloadEmpty": "0.5%", "InternalServerError": "0.2%"}}
                """
        ),
        ProofPlan(
            name: "changing settings",
            json: """
                {"delay": "200us", "settings": {"maxConcurrentStreams": 50, "headerTableBytes": 4096,
                    "changes": [
                    {"afterPushes": 100, "maxConcurrentStreams": 1, "headerTableBytes": 0},
                    {"afterPushes": 150, "maxConcurrentStreams": 1000, "initialWindowBytes": 100},
                    {"afterPushes": 400, "maxConcurrentStreams": 3, "maxFrameBytes": 20000},
                    {"at": "20ms", "initialWindowBytes": 0},
                    {"at": "25ms", "initialWindowBytes": 1},
                    {"afterPushes": 410, "maxConcurrentStreams": 0},
                    {"at": "50ms", "initialWindowBytes": 65535, "maxConcurrentStreams": 200},
                    {"at": "80ms", "headerTableBytes": 8192, "maxConcurrentStreams": 2},
                    {"at": "90ms", "maxConcurrentStreams": 700}]}}
                """,
            shrinksWindows: true
        ),
        // All that strikes before a push is processed, and says so.
        ProofPlan(
            name: "refusals and goodbyes",
            json: """
                {"delay": {"uniform": ["0us", "400us"]}, "faults": {"refusedStream": "3%"},
                 "goAway": {"everyPushes": 300, "twice": true, "grace": "1ms"}}
                """
        ),
        ProofPlan(
            name: "all at once",
            json: """
                {"personality": "apple", "delay": {"twoPoint": {"fast": "50us", "slow": "3ms",
                    "slowShare": "5%"}},
                 "reasons": {"BadDeviceToken": "0.2%", "Unregistered": "1%"},
                 "throttling": {"TooManyRequests": {"share": "3%", "times": 2},
                                "ServiceUnavailable": {"share": "1%"}},
                 "faults": {"refusedStream": "1%", "internalError": "0.2%", "reset": "0.04%",
                            "silentDeath": "0.002%"},
                 "goAway": {"everyPushes": 900, "twice": true, "grace": "2ms"}}
                """,
            leavesDoubt: true
        ),
    ]
}

/// How much is proved: a glance at each personality by default, all of it where
/// `PUSHBENCH_PROOF=full` asks for that.
enum ProofScale {
    static let isFull = getenv("PUSHBENCH_PROOF").map { String(cString: $0) } == "full"
    static let seeds: ClosedRange<UInt64> = isFull ? 1...20 : 1...2
    static let pushes = isFull ? 50_000 : 2000
}

/// How a run of the proof is set up, all of it by its seed.
struct ProofSetting {
    let seed: UInt64
    let isTLS: Bool
    let mockEngine: HTTP2Engine
    let loops: Int
    let connections: Int
    let streams: Int

    init(of plan: ProofPlan, seed: UInt64) {
        self.seed = seed
        isTLS = seed.isMultiple(of: 2)
        mockEngine = plan.shrinksWindows || seed / 2 % 2 == 0 ? .wire : .nghttp2
        loops = 1 + Int(seed % 3) / 2
        connections = loops + Int(seed % 4)
        streams = [500, 100, 1000, 50, 256][Int(seed % 5)]
    }
}
