import PushPayload

/// Answer times and settings.
extension PersonalityReader {
    private static let laws = ["constant", "uniform", "exponential", "logNormal", "twoPoint"]

    /// A time alone is all there is to the delay; an object changes what it names.
    mutating func readDelay(_ value: PersonalityValue) throws(PayloadFault) {
        var delay = AnswerDelay()
        guard value.isObject else {
            delay.law = .constant(try value.time())
            personality.delay = delay
            return
        }
        delay = personality.delay
        var law: String?
        for (key, value) in try value.members(Self.laws + ["driftPerMinute", "stalls"]) {
            switch key {
            case "driftPerMinute": delay.driftPerMinute = try value.number(0.01...100)
            case "stalls":
                delay.stalls = []
                for stall in try value.elements() { delay.stalls.append(try Self.stall(stall)) }
            default:
                if let law { throw value.fault(.invalidEnum, "stands beside \(law): keep one law") }
                law = key
                delay.law = try Self.law(key, value)
            }
        }
        personality.delay = delay
    }

    private static func stall(_ value: PersonalityValue) throws(PayloadFault) -> AnswerDelay.Stall {
        var stall = AnswerDelay.Stall(start: 0, length: 0)
        for (key, value) in try value.members(["at", "for"]) {
            if key == "at" {
                stall.start = try value.time()
            } else {
                stall.length = try value.time()
            }
        }
        return stall
    }

    private static func law(
        _ name: String,
        _ value: PersonalityValue
    ) throws(PayloadFault) -> AnswerDelay.Law {
        switch name {
        case "constant": return .constant(try value.time())
        case "exponential": return .exponential(mean: try value.time())
        case "uniform":
            let ends = try value.elements()
            guard ends.count == 2 else {
                throw value.fault(.wrongType, #"must be two times, as in ["1ms", "9ms"]"#)
            }
            let (low, high) = (try ends[0].time(), try ends[1].time())
            guard low <= high else {
                throw value.fault(.outOfRange, "must have the lower time first")
            }
            return .uniform(low, high)
        case "logNormal":
            var median: UInt64 = 0
            var sigma = 1.0
            for (key, value) in try value.members(["median", "sigma"]) {
                if key == "median" {
                    median = try value.time()
                } else {
                    sigma = try value.number(0...10)
                }
            }
            return .logNormal(median: median, sigma: sigma)
        default:
            var (fast, slow): (UInt64, UInt64) = (0, 0)
            var share = Share.none
            for (key, value) in try value.members(["fast", "slow", "slowShare"]) {
                switch key {
                case "fast": fast = try value.time()
                case "slow": slow = try value.time()
                default: share = try value.share()
                }
            }
            return .twoPoint(fast: fast, slow: slow, slowShare: share)
        }
    }

    // MARK: - SETTINGS

    private static let settingKeys = [
        "maxConcurrentStreams", "initialWindowBytes", "headerTableBytes", "maxFrameBytes",
        "maxHeaderListBytes",
    ]

    mutating func readSettings(_ value: PersonalityValue) throws(PayloadFault) {
        for (key, value) in try value.members(Self.settingKeys + ["changes"]) {
            guard key == "changes" else {
                try Self.read(key, value, into: &personality.settings.start)
                continue
            }
            personality.settings.steps = []
            for element in try value.elements() {
                personality.settings.steps.append(try Self.step(element))
            }
        }
    }

    private static func step(_ value: PersonalityValue) throws(PayloadFault) -> SettingsScript.Step
    {
        var moment: SettingsScript.Step.Moment?
        var change = SettingsChange()
        for (key, value) in try value.members(settingKeys + ["afterPushes", "at"]) {
            guard key == "afterPushes" || key == "at" else {
                try read(key, value, into: &change)
                continue
            }
            guard moment == nil else {
                throw value.fault(.invalidEnum, "is a second moment: keep afterPushes or at")
            }
            moment =
                key == "at"
                ? .at(try value.time()) : .afterPushes(try value.integer(1...UInt64(Int64.max)))
        }
        guard let moment else {
            throw value.fault(.missingField, "needs its moment: add afterPushes or at")
        }
        return SettingsScript.Step(moment: moment, change: change)
    }

    private static func read(
        _ key: String,
        _ value: PersonalityValue,
        into change: inout SettingsChange
    ) throws(PayloadFault) {
        // The bounds are the protocol's (RFC 9113 section 6.5.2), and what the engines keep.
        switch key {
        case "maxConcurrentStreams":
            change.maxConcurrentStreams = UInt32(try value.integer(0...1_000_000))
        case "initialWindowBytes":
            change.initialWindowSize = UInt32(try value.integer(0...0x7FFF_FFFF))
        case "headerTableBytes": change.headerTableSize = UInt32(try value.integer(0...1_048_576))
        case "maxFrameBytes":
            change.maxFrameSize = UInt32(try value.integer(16_384...16_777_215))
        default: change.maxHeaderListSize = UInt32(try value.integer(64...1_048_576))
        }
    }
}
