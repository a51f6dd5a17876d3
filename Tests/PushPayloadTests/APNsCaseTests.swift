import PushPayload
import Testing

/// The rows A1 to A38 of contract section 7; headers and tokens have tests of their own.
@Suite struct APNsCaseTests {
    static let alerts: [MessageCase] = [
        MessageCase("A1", .apns(#"{"alert":"Hej"}"#), .body(#"{"aps":{"alert":"Hej"}}"#)),
        MessageCase(
            "A2",
            .apns(
                #"{"category":"m","thread-id":"t1","sound":"default","badge":5,"#
                    + #""alert":{"body":"Hej","title":"Nytt"}}"#,
                #""custom":{"sender":"u7"}"#
            ),
            .body(
                #"{"aps":{"alert":{"title":"Nytt","body":"Hej"},"badge":5,"sound":"default","#
                    + #""thread-id":"t1","category":"m"},"sender":"u7"}"#
            )
        ),
        MessageCase("A3", .alertBody(times("a", 4067)), .size(4096)),
        MessageCase("A4", .alertBody(times("a", 4068)), .faults(["payload_too_large@"])),
        MessageCase(
            "A5",
            .apns("{}", #""pushType":"voip","custom":{"d":"\#(times("x", 5103))"}"#),
            .size(5120)
        ),
        MessageCase(
            "A6",
            .apns("{}", #""pushType":"voip","custom":{"d":"\#(times("x", 5104))"}"#),
            .faults(["payload_too_large@"])
        ),
        MessageCase(
            "A7",
            .apns(#"{"badge":1}"#, #""custom":{"d":"\#(times("x", 5103))"}"#),
            .faults(["payload_too_large@"])
        ),
        MessageCase("A8 fits", .alertBody(times(#"\""#, 2033)), .size(4095)),
        MessageCase(
            "A8 too large",
            .alertBody(times(#"\""#, 2034)),
            .faults(["payload_too_large@"])
        ),
        MessageCase("A9 fits", .alertBody(times(#"\u0001"#, 677)), .size(4091)),
        MessageCase(
            "A9 too large",
            .alertBody(times(#"\u0001"#, 678)),
            .faults(["payload_too_large@"])
        ),
        MessageCase("A10", .alertBody("a/b"), .body(#"{"aps":{"alert":{"body":"a/b"}}}"#)),
        MessageCase("A10 escaped", .alertBody(#"a\/b"#), .size(32)),
        MessageCase(
            "A11",
            .alertBody(#"\ud83c\udf89"#),
            .body(#"{"aps":{"alert":{"body":"🎉"}}}"#)
        ),
        MessageCase("A12", .alertBody(#"\ud83c"#), .faults(["invalid_unicode@aps.alert.body"])),
        MessageCase(
            "A13",
            .alertBody("\u{2028}\u{7F}"),
            .body("{\"aps\":{\"alert\":{\"body\":\"\u{2028}\u{7F}\"}}}")
        ),
        MessageCase(
            "A14",
            .alertBody(#"line1\nline2\t\"q\" \\"#),
            .body(#"{"aps":{"alert":{"body":"line1\nline2\t\"q\" \\"}}}"#)
        ),
        MessageCase(
            "all short and long escapes",
            .alertBody(#"\b\f\n\r\t\u0000\u000b\u001F\u0022"#),
            .body(#"{"aps":{"alert":{"body":"\b\f\n\r\t\u0000\u000b\u001f\""}}}"#)
        ),
        MessageCase(
            "A29",
            .apns(#"{"alert":{"title-loc-args":["Anna"],"title-loc-key":"K"}}"#),
            .body(#"{"aps":{"alert":{"title-loc-key":"K","title-loc-args":["Anna"]}}}"#)
        ),
        MessageCase(
            "A30",
            .apns(#"{"alert":{"loc-key":"K","loc-args":[1]}}"#),
            .faults(["wrong_type@aps.alert.loc-args[0]"])
        ),
        MessageCase(
            "A38",
            .apns(#"{"alert":{"title":"","body":"x"}}"#),
            .body(#"{"aps":{"alert":{"title":"","body":"x"}}}"#)
        ),
    ]

    static let pushTypes: [MessageCase] = [
        MessageCase(
            "A15",
            .apns(
                #"{"content-available":1}"#,
                #""custom":{"acme":"x"},"pushType":"background""#
            ),
            .body(#"{"aps":{"content-available":1},"acme":"x"}"#)
        ),
        MessageCase(
            "A16",
            .apns(#"{"content-available":1}"#, #""pushType":"background","priority":10"#),
            .faults(["priority_mismatch@priority"])
        ),
        MessageCase(
            "A17",
            .apns(#"{"content-available":1}"#, #""pushType":"background","priority":1"#),
            .faults(["priority_mismatch@priority"])
        ),
        MessageCase(
            "A18",
            .apns(
                #"{"content-available":1,"sound":"default"}"#,
                #""pushType":"background""#
            ),
            .faults(["background_has_user_keys@aps.sound"])
        ),
        MessageCase(
            "A19",
            .apns(#"{"alert":"x","content-available":1}"#),
            .body(#"{"aps":{"alert":"x","content-available":1}}"#)
        ),
        MessageCase(
            "A20",
            .apns(#"{"alert":"x"}"#, #""priority":7"#),
            .faults(["out_of_range@priority"])
        ),
        MessageCase(
            "A21",
            .apns(#"{"alert":"x","interruption-level":"time_sensitive"}"#),
            .faults(["invalid_enum@aps.interruption-level"])
        ),
        MessageCase(
            "A22",
            .apns(#"{"alert":"x","relevance-score":1}"#),
            .body(#"{"aps":{"alert":"x","relevance-score":1}}"#)
        ),
        MessageCase(
            "A22 above",
            .apns(#"{"alert":"x","relevance-score":1.01}"#),
            .faults(["out_of_range@aps.relevance-score"])
        ),
        MessageCase(
            "A22 below",
            .apns(#"{"alert":"x","relevance-score":-0.1}"#),
            .faults(["out_of_range@aps.relevance-score"])
        ),
        MessageCase(
            "A23",
            .apns(
                #"{"event":"update","relevance-score":75}"#,
                #""pushType":"liveactivity""#
            ),
            .body(#"{"aps":{"relevance-score":75,"event":"update"}}"#)
        ),
        MessageCase(
            "A24",
            .apns(#"{"sound":{"critical":1,"name":"a.caf","volume":0.5}}"#),
            .body(#"{"aps":{"sound":{"critical":1,"name":"a.caf","volume":0.5}}}"#)
        ),
        MessageCase(
            "A24 loud",
            .apns(#"{"sound":{"critical":1,"name":"a.caf","volume":1.5}}"#),
            .faults(["out_of_range@aps.sound.volume"])
        ),
        MessageCase("A25", .apns(#"{"badge":0}"#), .body(#"{"aps":{"badge":0}}"#)),
        MessageCase(
            "A25 negative",
            .apns(#"{"badge":-1}"#),
            .faults(["out_of_range@aps.badge"])
        ),
        MessageCase("A25 text", .apns(#"{"badge":"3"}"#), .faults(["wrong_type@aps.badge"])),
        MessageCase(
            "A26 true",
            .apns(#"{"alert":"x","mutable-content":true}"#),
            .body(#"{"aps":{"alert":"x","mutable-content":1}}"#)
        ),
        MessageCase(
            "A26 false",
            .apns(#"{"alert":"x","mutable-content":false}"#),
            .body(#"{"aps":{"alert":"x"}}"#)
        ),
        MessageCase(
            "A27",
            .apns(#"{"foo":[1],"alert":"x"}"#),
            .warned(#"{"aps":{"alert":"x","foo":[1]}}"#, ["unknown_aps_key@aps.foo"])
        ),
        MessageCase(
            "A27 strict",
            .apns(#"{"foo":[1],"alert":"x"}"#),
            isStrict: true,
            .faults(["unknown_aps_key@aps.foo"])
        ),
        MessageCase(
            "A28",
            .apns(#"{"alert":"x"}"#, #""custom":{"aps":1}"#),
            .faults(["reserved_key@custom.aps"])
        ),
        MessageCase(
            "A31",
            .apns(
                #"{"event":"start","timestamp":1,"content-state":{},"attributes":{},"#
                    + #""alert":"x"}"#,
                #""pushType":"liveactivity""#
            ),
            .faults(["live_activity_incomplete@aps.attributes-type"])
        ),
        MessageCase(
            "A32",
            .apns(
                #"{"event":"start","timestamp":1,"content-state":{"a":null},"#
                    + #""attributes-type":"T","attributes":{},"alert":"x","#
                    + #""input-push-token":true}"#,
                #""pushType":"liveactivity""#
            ),
            .body(
                #"{"aps":{"alert":"x","timestamp":1,"content-state":{"a":null},"event":"start","#
                    + #""attributes-type":"T","attributes":{},"input-push-token":1}}"#
            )
        ),
        MessageCase(
            "A33",
            .apns(#"{"content-changed":true}"#, #""pushType":"controls""#),
            .body(#"{"aps":{"content-changed":true}}"#)
        ),
        MessageCase(
            "A34 too long",
            .apns(#"{"alert":"x"}"#, #""collapseId":"\#(times("a", 65))""#),
            .faults(["collapse_id_too_long@collapseId"])
        ),
        MessageCase(
            "A34 bytes",
            .apns(#"{"alert":"x"}"#, #""collapseId":"\#(times("ü", 33))""#),
            .faults(["collapse_id_too_long@collapseId"])
        ),
        MessageCase(
            "A35 short",
            .apns(#"{"alert":"x"}"#, #""apnsId":"123""#),
            .faults(["invalid_apns_id@apnsId"])
        ),
        MessageCase(
            "A37 negative",
            .apns(#"{"alert":"x"}"#, #""expiration":-1"#),
            .faults(["out_of_range@expiration"])
        ),
        MessageCase(
            "A37 fraction",
            .apns(#"{"alert":"x"}"#, #""expiration":12.5"#),
            .faults(["wrong_type@expiration"])
        ),
    ]

    @Test(arguments: alerts + pushTypes)
    func givesTheRowOfTheContract(_ row: MessageCase) throws { try row.check() }
}

extension String {
    /// See ``MessageCase/apns(_:_:)``.
    static func apns(_ aps: String, _ fields: String = "") -> String {
        MessageCase.apns(aps, fields)
    }

    /// An apns message that has a body in an alert dictionary and nothing else.
    static func alertBody(_ text: String) -> String {
        MessageCase.apns(#"{"alert":{"body":"\#(text)"}}"#)
    }
}
