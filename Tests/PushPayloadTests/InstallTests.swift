import PushPayload
import Testing

/// An install's own fields: row A36 of contract section 7, 10.3, and `c-badge-install`.
@Suite struct InstallTests {
    static let tokens: [MessageCase] = [
        MessageCase("A36 64", .alert, install: .token(times("aF", 32)), .body(alertBody)),
        MessageCase("A36 160", .alert, install: .token(times("0", 160)), .body(alertBody)),
        MessageCase("A36 400", .alert, install: .token(times("0", 400)), .body(alertBody)),
        MessageCase("402", .alert, install: .token(times("0", 402)), invalidToken),
        MessageCase("A36 63", .alert, install: .token(times("a", 63)), invalidToken),
        MessageCase("A36 zz", .alert, install: .token("zz"), invalidToken),
        MessageCase("A36 empty", .alert, install: .token(""), invalidToken),
        MessageCase("missing", .alert, install: "{}", .faults(["missing_field@install.token"])),
    ]

    static let fields: [MessageCase] = [
        MessageCase(
            "the install's faults come after the message's, in the order of the columns",
            .apns(#"{"alert":"x"}"#, #""priority":7"#),
            install: #"{"badge":"1","uid":5,"environment":"prod","language":1,"token":"x","#
                + #""other":[]}"#,
            .faults([
                "out_of_range@priority", "invalid_token@install.token",
                "wrong_type@install.language", "invalid_enum@install.environment",
                "wrong_type@install.badge", "wrong_type@install.uid",
            ])
        ),
        MessageCase(
            "a negative badge",
            .alert,
            install: #"{"token":"ab","badge":-1}"#,
            .faults(["out_of_range@install.badge"])
        ),
        MessageCase(
            "not JSON",
            .alert,
            install: "{",
            .faults(["invalid_json@install"])
        ),
        MessageCase(
            "a key twice",
            .alert,
            install: #"{"token":"ab","token":"cd"}"#,
            .faults(["duplicate_key@install.token"])
        ),
        MessageCase("an array", .alert, install: "[]", .faults(["wrong_type@install"])),
        MessageCase(
            "null is absent",
            .alert,
            install: #"{"token":"ab","badge":null,"uid":null,"language":null}"#,
            .body(alertBody)
        ),
    ]

    static let badges: [MessageCase] = [
        MessageCase(
            "the install's badge wins, at its place",
            .apns(#"{"alert":"x","badge":2,"sound":"s"}"#),
            install: .badge(37),
            .body(#"{"aps":{"alert":"x","badge":37,"sound":"s"}}"#)
        ),
        MessageCase(
            "the message's badge serves installs without one",
            .apns(#"{"alert":"x","badge":2,"sound":"s"}"#),
            install: .token("ab"),
            .body(#"{"aps":{"alert":"x","badge":2,"sound":"s"}}"#)
        ),
        MessageCase(
            "it appears where the message has none",
            .apns(#"{"alert":"x","sound":"s"}"#),
            install: .badge(0),
            .body(#"{"aps":{"alert":"x","badge":0,"sound":"s"}}"#)
        ),
        MessageCase(
            "it stands first where there is no alert",
            .apns(#"{"thread-id":"t","sound":"s"}"#),
            install: .badge(9_223_372_036_854_775_807),
            .body(#"{"aps":{"badge":9223372036854775807,"sound":"s","thread-id":"t"}}"#)
        ),
        MessageCase(
            "it counts as something to show",
            .apns("{}"),
            install: .badge(1),
            .body(#"{"aps":{"badge":1}}"#)
        ),
        MessageCase(
            "never in a background push",
            .apns(#"{"content-available":1}"#, #""pushType":"background""#),
            install: .badge(1),
            .body(#"{"aps":{"content-available":1}}"#)
        ),
        MessageCase(
            "c-size-slots: render measures this install",
            .apns(#"{"alert":"\#(times("x", 4067))"}"#),
            install: .badge(1),
            .faults(["payload_too_large@"])
        ),
        MessageCase(
            "c-size-slots: and without its badge the body fits",
            .apns(#"{"alert":"\#(times("x", 4067))"}"#),
            install: .token("ab"),
            .size(4087)
        ),
    ]

    private static let alertBody = #"{"aps":{"alert":"x"}}"#
    private static let invalidToken = MessageCase.Expectation.faults([
        "invalid_token@install.token"
    ])

    @Test(arguments: tokens + fields + badges)
    func readsTheInstall(_ row: MessageCase) throws { try row.check() }

    @Test func tellsWhetherAMessageNeedsTheInstallsBadge() throws {
        let source = MessageSource(bytes: Array(String.apns("{}").utf8))
        #expect(source.compile(hasInstallBadges: false).payload == nil)
        let payload = try #require(source.compile(hasInstallBadges: true).payload)
        #expect(payload.needsInstallBadge)
        let other = MessageSource(bytes: Array(String.alert.utf8)).compile().payload
        #expect(other?.needsInstallBadge == false)
    }
}

extension String {
    /// An apns message that shows `x`.
    fileprivate static let alert = apns(#"{"alert":"x"}"#)

    fileprivate static func token(_ token: String) -> String { #"{"token":"\#(token)"}"# }

    fileprivate static func badge(_ badge: Int64) -> String {
        #"{"token":"ab","badge":\#(badge)}"#
    }
}
