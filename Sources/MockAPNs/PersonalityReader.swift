public import PushPayload

/// Reads personalities: names, JSON objects and `KEY=VALUE` texts, each over what was read before.
///
/// Names are those of ``builtIn``, which are JSON texts themselves, so that whatever they do can be
/// written in a file too.
public struct PersonalityReader: Sendable {
    /// What was read so far.
    public internal(set) var personality = Personality()
    /// The reasons, with those that a file added.
    public private(set) var reasons: ReasonTable

    /// The built-in personalities and what they are.
    public static let builtIn: [(name: String, json: String)] = [
        ("accept-all", "{}"),
        (
            "apple",
            """
            {"streamLimit": {"untilFirstSuccess": 1, "afterRejection": 1},
             "disconnect": {"errors": 1000, "badDeviceTokenWeight": 5},
             "goAway": {"twice": true, "grace": "10ms"}}
            """
        ),
        (
            "flaky",
            """
            {"faults": {"refusedStream": "0.5%", "internalError": "0.1%", "reset": "0.01%",
                        "silentDeath": "0.002%"},
             "goAway": {"everyPushes": 5000}}
            """
        ),
        (
            "slow",
            """
            {"delay": {"logNormal": {"median": "20ms", "sigma": 0.5}, "driftPerMinute": 1.2,
                       "stalls": [{"at": "30s", "for": "2s"}]}}
            """
        ),
        (
            "throttling",
            """
            {"throttling": {"TooManyRequests": {"share": "5%", "times": 1},
                            "ServiceUnavailable": {"share": "1%", "times": 1, "retryAfter": "1s"}}}
            """
        ),
    ]

    /// Makes a reader that has read nothing: all is accepted at once.
    public init(reasons: ReasonTable = ReasonTable()) { self.reasons = reasons }

    /// Takes a built-in personality.
    ///
    /// - Parameter name: Its name.
    /// - Returns: False where there is none of that name.
    /// - Throws: A fault of its text.
    public mutating func read(builtIn name: String) throws(PayloadFault) -> Bool {
        guard let found = Self.builtIn.first(where: { $0.name == name }) else { return false }
        try read(Array(found.json.utf8))
        return true
    }

    /// Takes a JSON text.
    ///
    /// - Parameter json: One object.
    /// - Throws: The first fault, with its path and the mend.
    public mutating func read(_ json: [UInt8]) throws(PayloadFault) {
        switch JSONDocument.parse(json) {
        case .faults(let faults):
            throw faults.first
                ?? PayloadFault(code: .invalidJSON, path: "", message: "the text is no JSON")
        case .value(let value):
            try read(PersonalityValue(value, path: ""))
        }
    }

    /// Takes one value of the command line.
    ///
    /// - Parameters:
    ///   - key: A key of the JSON, with the keys above it before it and dots between, or the name of
    ///     a reason.
    ///   - text: The value; a number and a truth value may be meant.
    /// - Throws: The fault, with its path and the mend.
    public mutating func read(_ key: String, _ text: String) throws(PayloadFault) {
        var value = PersonalityValue.value(of: text)
        var keys = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if keys.count == 1, key.first?.isUppercase == true { keys.insert("reasons", at: 0) }
        for key in keys.reversed() { value = .object(JSONObject([.init(key: key, value: value)])) }
        try read(PersonalityValue(value, path: ""))
    }

    // MARK: - The parts

    private mutating func read(_ value: PersonalityValue) throws(PayloadFault) {
        let members = try value.members(Self.keys)
        // Wherever it stands, the other keys change it.
        for (key, value) in members where key == "personality" {
            let name = try value.text("a built-in personality")
            guard try read(builtIn: name) else {
                throw value.unknown(name, "personality", Self.builtIn.map(\.name))
            }
        }
        for (key, value) in members {
            switch key {
            case "seed": personality.seed = try value.integer(0...UInt64(Int64.max))
            case "delay": try readDelay(value)
            case "reasons": try readReasons(value)
            case "throttling": try readThrottling(value)
            case "streamLimit": try readStreamLimit(value)
            case "disconnect": try readDisconnect(value)
            case "faults": try readFaults(value)
            case "goAway": try readGoAway(value)
            case "settings": try readSettings(value)
            default: break
            }
        }
    }

    private static let keys = [
        "personality", "description", "seed", "delay", "reasons", "throttling", "streamLimit",
        "disconnect", "faults", "goAway", "settings",
    ]

    private mutating func readStreamLimit(_ value: PersonalityValue) throws(PayloadFault) {
        var limit = personality.streamLimit ?? Personality.StreamLimit()
        for (key, value) in try value.members(["untilFirstSuccess", "normal", "afterRejection"]) {
            let streams = UInt32(try value.integer(1...1_000_000))
            switch key {
            case "untilFirstSuccess": limit.untilFirstSuccess = streams
            case "normal": limit.normal = streams
            default: limit.afterRejection = streams
            }
        }
        personality.streamLimit = limit
    }

    private mutating func readDisconnect(_ value: PersonalityValue) throws(PayloadFault) {
        for (key, value) in try value.members(["errors", "badDeviceTokenWeight"]) {
            let number = try value.integer(0...1_000_000_000)
            if key == "errors" {
                personality.disconnection.errors = number
            } else {
                personality.disconnection.badDeviceTokenWeight = number
            }
        }
    }

    private mutating func readFaults(_ value: PersonalityValue) throws(PayloadFault) {
        let keys = ["silentDeath", "reset", "refusedStream", "internalError"]
        for (key, value) in try value.members(keys) {
            let share = try value.share()
            switch key {
            case "silentDeath": personality.faults.silentDeath = share
            case "reset": personality.faults.reset = share
            case "refusedStream": personality.faults.refusedStream = share
            default: personality.faults.internalError = share
            }
        }
        let faults = personality.faults
        let sum =
            faults.silentDeath.fraction + faults.reset.fraction + faults.refusedStream.fraction
            + faults.internalError.fraction
        try value.check(sharesAddUpTo: sum)
    }

    private mutating func readGoAway(_ value: PersonalityValue) throws(PayloadFault) {
        for (key, value) in try value.members(["everyPushes", "twice", "grace", "reason"]) {
            switch key {
            case "everyPushes":
                personality.goodbye.everyPushes = try value.integer(0...UInt64(Int64.max))
            case "twice": personality.goodbye.isTwice = try value.boolean()
            case "grace": personality.goodbye.graceNanoseconds = try value.time()
            default:
                let name = try value.text("a reason")
                try value.checkReason(name)
                personality.goodbye.reason = name
            }
        }
    }

    // MARK: - Reasons

    private mutating func readReasons(_ value: PersonalityValue) throws(PayloadFault) {
        for (name, value) in try value.members() {
            var share = Share.none
            var status: UInt64?
            if value.isObject {
                for (key, value) in try value.members(["share", "status"]) {
                    if key == "share" {
                        share = try value.share()
                    } else {
                        status = try value.integer(400...599)
                    }
                }
            } else {
                share = try value.share()
            }
            let reason = try code(of: name, status: status, value)
            personality.reasons.removeAll { $0.reason == reason }
            personality.reasons.append(.init(reason: reason, share: share))
        }
        try value.check(sharesAddUpTo: personality.reasons.reduce(0) { $0 + $1.share.fraction })
    }

    private mutating func readThrottling(_ value: PersonalityValue) throws(PayloadFault) {
        for (name, value) in try value.members() {
            let reason = try code(of: name, status: nil, value)
            var throttle =
                personality.throttles.first { $0.reason == reason }
                ?? Throttle(reason: reason, share: .none)
            for (key, value) in try value.members(["share", "times", "retryAfter"]) {
                switch key {
                case "share": throttle.share = try value.share()
                case "times": throttle.times = UInt8(try value.integer(1...255))
                default:
                    // The header counts whole seconds (RFC 9110 section 10.2.3).
                    let seconds = (try value.time() + 999_999_999) / 1_000_000_000
                    throttle.retryAfterSeconds = UInt32(seconds)
                }
            }
            personality.throttles.removeAll { $0.reason == reason }
            personality.throttles.append(throttle)
        }
        try value.check(sharesAddUpTo: personality.throttles.reduce(0) { $0 + $1.share.fraction })
    }

    private mutating func code(
        of name: String,
        status: UInt64?,
        _ value: PersonalityValue
    ) throws(PayloadFault) -> ReasonCode {
        if let known = reasons.code(named: name) { return known }
        guard let status else {
            let names = (0..<reasons.count).map { reasons.name(at: $0) }
            throw value.unknown(name, "reason", names)
        }
        try value.checkReason(name)
        guard let added = reasons.add(name: name, status: UInt16(status)) else {
            throw value.fault(.outOfRange, "has more reasons than the mock can hold")
        }
        return added
    }
}
