import PushModel
import Testing

/// The tables of contract 1.3, 1.6 and 1.7.
@Suite struct PushTypeTests {
    @Test(arguments: [
        (PushType.alert, ""), (.background, ""), (.complication, ".complication"),
        (.controls, ".push-type.controls"), (.fileprovider, ".pushkit.fileprovider"),
        (.liveactivity, ".push-type.liveactivity"), (.location, ".location-query"), (.mdm, ""),
        (.pushtotalk, ".voip-ptt"), (.voip, ".voip"), (.widgets, ".push-type.widgets"),
    ])
    func hasItsTopicSuffix(_ pushType: PushType, _ suffix: String) {
        #expect(pushType.topicSuffix == suffix)
    }

    @Test(arguments: PushType.allCases)
    func hasItsLimitAndPriorities(_ pushType: PushType) {
        #expect(pushType.bodyLimit == (pushType == .voip ? 5120 : 4096))
        #expect(pushType.defaultPriority == (pushType == .background ? 5 : 10))
        #expect(pushType.allowedPriorities.contains(pushType.defaultPriority))
        #expect(pushType.allowedPriorities.contains(10) == (pushType != .background))
        let takesOne = ![.background, .liveactivity, .location].contains(pushType)
        #expect(pushType.allowedPriorities.contains(1) == takesOne)
    }

    @Test func thereAre11PushTypesAnd32Reasons() {
        #expect(PushType.allCases.count == 11)
        #expect(APNsReason.allCases.count == 32)
    }

    @Test(arguments: [
        (400, 14), (403, 8), (404, 1), (405, 1), (410, 2), (413, 1), (429, 2), (500, 1), (503, 2),
    ])
    func reasonsHaveTheStatusOfTheTable(_ status: Int, _ count: Int) {
        #expect(APNsReason.allCases.count { $0.status == status } == count)
    }

    @Test(arguments: [
        ("ab", true), ("AB09ef", true), ("", false), ("a", false), ("abc", false), ("zz", false),
        ("a ", false), ("é", false), (String(repeating: "0", count: 400), true),
        (String(repeating: "0", count: 402), false),
    ])
    func deviceTokensAreHexDigits(_ text: String, _ isValid: Bool) {
        let bytes = Array(text.utf8)
        #expect(DeviceToken.isValid(bytes.span.bytes) == isValid)
    }
}
