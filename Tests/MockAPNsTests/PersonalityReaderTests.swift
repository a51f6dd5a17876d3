import PushModel
import PushPayload
import Testing

@testable import MockAPNs

@Suite struct PersonalityReaderTests {
    /// Longer than a reason may be.
    private static let longName = String(repeating: "R", count: 101)

    private func read(_ json: String) throws(PayloadFault) -> Personality {
        var reader = PersonalityReader()
        try reader.read(Array(json.utf8))
        return reader.personality
    }

    @Test(arguments: PersonalityReader.builtIn.map(\.name))
    func everyBuiltInPersonalityReads(_ name: String) throws {
        var reader = PersonalityReader()
        #expect(try reader.read(builtIn: name))
        #expect((reader.personality == Personality()) == (name == "accept-all"))
    }

    @Test func aFileSaysAllThereIs() throws {
        let personality = try read(
            """
            {"description": "all of it", "seed": 9,
             "delay": {"twoPoint": {"fast": "2ms", "slow": "0.5s", "slowShare": "1%"},
                       "driftPerMinute": 1.25, "stalls": [{"at": "1.5m", "for": "250us"}]},
             "reasons": {"BadDeviceToken": "2%", "BrandNew": {"share": "1%", "status": 418}},
             "throttling": {"ServiceUnavailable": {"share": "3%", "times": 4, "retryAfter": "1500ms"}},
             "streamLimit": {"untilFirstSuccess": 2, "normal": 300, "afterRejection": 4},
             "disconnect": {"errors": 50, "badDeviceTokenWeight": 3},
             "faults": {"silentDeath": "0.5%", "reset": "1%", "refusedStream": "2%",
                        "internalError": "4%"},
             "goAway": {"everyPushes": 100, "twice": true, "grace": "7ms", "reason": "Shutdown"},
             "settings": {"maxConcurrentStreams": 1, "initialWindowBytes": 2,
                          "headerTableBytes": 3, "maxFrameBytes": 16385, "maxHeaderListBytes": 500,
                          "changes": [{"afterPushes": 6, "maxConcurrentStreams": 7},
                                      {"at": "8s", "headerTableBytes": 0}]}}
            """
        )
        #expect(personality.seed == 9)
        #expect(
            personality.delay.law
                == .twoPoint(
                    fast: 2_000_000,
                    slow: 500_000_000,
                    slowShare: Share(fraction: 0.01)
                )
        )
        #expect(personality.delay.driftPerMinute == 1.25)
        #expect(personality.delay.stalls == [.init(start: 90_000_000_000, length: 250_000)])
        #expect(personality.reasons.map(\.share.fraction) == [0.02, 0.01])
        #expect(personality.throttles.map(\.times) == [4])
        #expect(personality.throttles.map(\.retryAfterSeconds) == [2])
        #expect(personality.streamLimit?.untilFirstSuccess == 2)
        #expect(personality.streamLimit?.normal == 300)
        #expect(personality.streamLimit?.afterRejection == 4)
        #expect(personality.disconnection.errors == 50)
        #expect(personality.disconnection.badDeviceTokenWeight == 3)
        #expect(personality.faults.silentDeath.fraction == 0.005)
        #expect(personality.faults.internalError.fraction == 0.04)
        #expect(personality.goodbye.everyPushes == 100)
        #expect(personality.goodbye.isTwice)
        #expect(personality.goodbye.graceNanoseconds == 7_000_000)
        #expect(personality.goodbye.reason == "Shutdown")
        #expect(personality.settings.start.maxFrameSize == 16_385)
        #expect(personality.settings.steps.map(\.moment) == [.afterPushes(6), .at(8_000_000_000)])
        #expect(personality.settings.steps.map(\.change.headerTableSize) == [nil, 0])
    }

    @Test func aFileBuildsOnABuiltInPersonality() throws {
        let personality = try read(#"{"goAway": {"grace": "1s"}, "personality": "apple"}"#)
        #expect(personality.goodbye.isTwice)
        #expect(personality.goodbye.graceNanoseconds == 1_000_000_000)
        #expect(personality.streamLimit?.afterRejection == 1)
    }

    @Test func keysOfTheCommandLineAreThoseOfTheFile() throws {
        var reader = PersonalityReader()
        #expect(try reader.read(builtIn: "slow"))
        try reader.read("delay", "5ms")
        try reader.read("seed", "12")
        try reader.read("faults.reset", "1%")
        try reader.read("goAway.twice", "true")
        try reader.read("BadDeviceToken", "2%")
        try reader.read("throttling.TooManyRequests.share", "7%")
        var expected = Personality()
        expected.delay.law = .constant(5_000_000)
        expected.seed = 12
        expected.faults.reset = Share(fraction: 0.01)
        expected.goodbye.isTwice = true
        expected.reasons = [
            .init(reason: ReasonCode(.badDeviceToken), share: Share(fraction: 0.02))
        ]
        expected.throttles = [
            Throttle(reason: ReasonCode(.tooManyRequests), share: Share(fraction: 0.07))
        ]
        #expect(reader.personality == expected)
    }

    /// A text, the path of its fault, and what the message names.
    @Test(arguments: [
        ("[]", "", "an object"),
        ("{", "", "line 1"),
        (#"{"dealy": "5ms"}"#, "dealy", "did you mean delay?"),
        (#"{"personality": "aple"}"#, "personality", "did you mean apple?"),
        (#"{"delay": 5}"#, "delay", "\"5ms\""),
        (#"{"delay": "5"}"#, "delay", "\"5ms\""),
        (#"{"delay": "999999h"}"#, "delay", "too long"),
        (#"{"delay": {"lognormal": {}}}"#, "delay.lognormal", "did you mean logNormal?"),
        (#"{"delay": {"constant": "1s", "exponential": "1s"}}"#, "delay.exponential", "one law"),
        (#"{"delay": {"uniform": ["2s", "1s"]}}"#, "delay.uniform", "lower time first"),
        (#"{"delay": {"stalls": [{"at": 1}]}}"#, "delay.stalls[0].at", "\"5ms\""),
        (#"{"reasons": {"BadDeviceTokn": "1%"}}"#, "reasons.BadDeviceTokn", "BadDeviceToken?"),
        (#"{"reasons": {"BadTopic": 0.01}}"#, "reasons.BadTopic", "\"2%\""),
        (#"{"reasons": {"BadTopic": "101%"}}"#, "reasons.BadTopic", "0% to 100%"),
        (#"{"reasons": {"BadTopic": "60%", "BadPath": "60%"}}"#, "reasons", "100%"),
        (
            #"{"throttling": {"TooManyRequests": {"times": 0}}}"#,
            "throttling.TooManyRequests.times", "1 to 255"
        ),
        (#"{"streamLimit": {"normal": 0}}"#, "streamLimit.normal", "1 to 1000000"),
        (#"{"faults": {"silentDeath": "99%", "reset": "2%"}}"#, "faults", "100%"),
        (#"{"goAway": {"twice": 1}}"#, "goAway.twice", "true or false"),
        (#"{"settings": {"maxFrameBytes": 1}}"#, "settings.maxFrameBytes", "16384"),
        (
            #"{"settings": {"changes": [{"maxFrameBytes": 16384}]}}"#, "settings.changes[0]",
            "afterPushes or at"
        ),
        (
            #"{"settings": {"changes": [{"at": "1s", "afterPushes": 1}]}}"#,
            "settings.changes[0].afterPushes", "second"
        ),
        (#"{"seed": -1}"#, "seed", "0 to"),
        (
            #"{"reasons": {"\#(PersonalityReaderTests.longName)": {"share": "1%", "status": 400}}}"#,
            "reasons.\(PersonalityReaderTests.longName)", "100 ASCII"
        ),
        (
            #"{"reasons": {"Ş": {"share": "1%", "status": 400}}}"#, "reasons.Ş", "100 ASCII"
        ),
        (
            #"{"goAway": {"reason": "\#(PersonalityReaderTests.longName)"}}"#, "goAway.reason",
            "100 ASCII"
        ),
        (#"{"seed": 1.5}"#, "seed", "whole number"),
    ])
    func faultsNameThePathAndTheMend(_ json: String, _ path: String, _ mend: String) {
        let fault = #expect(throws: PayloadFault.self) { try read(json) }
        #expect(fault?.path == path)
        #expect(fault?.message.contains(mend) == true, "\(String(describing: fault))")
    }
}
