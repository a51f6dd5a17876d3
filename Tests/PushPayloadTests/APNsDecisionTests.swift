import PushPayload
import Testing

/// The decisions of contract section 11 that touch the dialect apns.
@Suite struct APNsDecisionTests {
    static let alerts: [MessageCase] = [
        MessageCase(
            "c-alert-variants: a language map is no alert",
            .apns(#"{"alert":{"en":"Hi","tr":"Selam"}}"#),
            .faults(["wrong_type@aps.alert"])
        ),
        MessageCase(
            "c-alert-needs: an empty text counts",
            .apns(#"{"alert":""}"#),
            .body(#"{"aps":{"alert":""}}"#)
        ),
        MessageCase(
            "c-alert-needs: an empty dictionary counts",
            .apns(#"{"alert":{}}"#),
            .body(#"{"aps":{"alert":{}}}"#)
        ),
        MessageCase(
            "c-alert-needs: nothing to show",
            .apns(#"{"thread-id":"t"}"#),
            .faults(["missing_field@aps.alert"])
        ),
        MessageCase(
            "a broken alert is not also a missing one",
            .apns(#"{"alert":5}"#),
            .faults(["wrong_type@aps.alert"])
        ),
        MessageCase(
            "c-la-alert: loc-key is ActivityKit's form",
            .apns(
                #"{"event":"update","alert":{"sound":"a.caf","body":{"loc-args":["1"],"#
                    + #""loc-key":"B"},"title":{"loc-key":"T"}}}"#,
                #""pushType":"liveactivity""#
            ),
            .body(
                #"{"aps":{"alert":{"title":{"loc-key":"T"},"#
                    + #""body":{"loc-args":["1"],"loc-key":"B"},"sound":"a.caf"},"#
                    + #""event":"update"}}"#
            )
        ),
        MessageCase(
            "c-la-alert: sound is unknown in other alerts",
            .apns(#"{"alert":{"body":"x","sound":"a.caf"}}"#),
            .warned(
                #"{"aps":{"alert":{"body":"x","sound":"a.caf"}}}"#,
                ["unknown_aps_key@aps.alert.sound"]
            )
        ),
        MessageCase(
            "c-null: null is absent, but kept in custom and content-state",
            .apns(
                #"{"alert":{"title":null,"body":"x"},"badge":null,"content-state":{"a":null}}"#,
                #""custom":{"k":null},"priority":null,"collapseId":null"#
            ),
            .body(#"{"aps":{"alert":{"body":"x"},"content-state":{"a":null}},"k":null}"#)
        ),
        MessageCase(
            "c-null: null is no text of a language",
            .apns(#"{"alert":{"body":{"en":"x","tr":null}}}"#),
            .faults(["wrong_type@aps.alert.body.tr"])
        ),
        MessageCase(
            "c-alert-order and c-unknown-pos",
            .apns(
                #"{"zz":1,"sound":{"x":1,"volume":1,"name":"n","critical":0},"alert":{"foo":2,"#
                    + #""action":"a","loc-args":[],"loc-key":"K","launch-image":"l","body":"b","#
                    + #""subtitle":"s","title":"t","summary-arg-count":2,"summary-arg":"q","#
                    + #""action-loc-key":"al"},"url-args":["u"],"content-changed":true}"#
            ),
            .warned(
                #"{"aps":{"alert":{"title":"t","subtitle":"s","body":"b","launch-image":"l","#
                    + #""loc-key":"K","loc-args":[],"summary-arg":"q","summary-arg-count":2,"#
                    + #""action":"a","action-loc-key":"al","foo":2},"#
                    + #""sound":{"critical":0,"name":"n","volume":1,"x":1},"#
                    + #""content-changed":true,"url-args":["u"],"zz":1}}"#,
                [
                    "unknown_aps_key@aps.alert.foo", "unknown_aps_key@aps.sound.x",
                    "unknown_aps_key@aps.zz",
                ]
            )
        ),
        MessageCase(
            "c-loc-args: each list names its missing key",
            .apns(
                #"{"alert":{"body":"x","loc-args":[],"title-loc-args":[],"#
                    + #""subtitle-loc-args":["a"]}}"#
            ),
            .faults([
                "missing_field@aps.alert.title-loc-key",
                "missing_field@aps.alert.subtitle-loc-key", "missing_field@aps.alert.loc-key",
            ])
        ),
    ]

    static let values: [MessageCase] = [
        MessageCase(
            "c-flags: 2 and 1.0",
            .apns(#"{"alert":"x","content-available":2,"mutable-content":1.0}"#),
            .faults(["out_of_range@aps.content-available", "out_of_range@aps.mutable-content"])
        ),
        MessageCase(
            "c-flags: a text",
            .apns(#"{"alert":"x","mutable-content":"1"}"#),
            .faults(["wrong_type@aps.mutable-content"])
        ),
        MessageCase(
            "c-flags: content-changed false",
            .apns(#"{"content-changed":false}"#, #""pushType":"widgets""#),
            .body(#"{"aps":{}}"#)
        ),
        MessageCase(
            "c-flags: content-changed 1",
            .apns(#"{"content-changed":1}"#, #""pushType":"widgets""#),
            .faults(["wrong_type@aps.content-changed"])
        ),
        MessageCase(
            "c-sound-dict: critical true",
            .apns(#"{"sound":{"critical":true}}"#),
            .body(#"{"aps":{"sound":{"critical":1}}}"#)
        ),
        MessageCase(
            "c-sound-dict: critical 2",
            .apns(#"{"sound":{"critical":2}}"#),
            .faults(["out_of_range@aps.sound.critical"])
        ),
        MessageCase(
            "c-integer: a point or an exponent",
            .apns(#"{"badge":5.0}"#, #""priority":1e1,"expiration":5e0"#),
            .faults(["wrong_type@aps.badge", "wrong_type@priority", "wrong_type@expiration"])
        ),
        MessageCase(
            "c-integer: past 64 bits",
            .apns(#"{"badge":99999999999999999999}"#),
            .faults(["out_of_range@aps.badge"])
        ),
        MessageCase(
            "c-number: never rounded in silence",
            .apns(
                #"{"alert":"x"}"#,
                #""custom":{"a":[1,{"b":1e999}],"c":-99999999999999999999,"#
                    + #""d":18446744073709551615}"#
            ),
            .faults(["out_of_range@custom.a[1].b", "out_of_range@custom.c"])
        ),
        MessageCase(
            "c-number: layouts",
            .apns(
                #"{"alert":"x"}"#,
                #""custom":{"n":[1.0,1e21,1e-7,-0.0,0.1,100,-5,18446744073709551615,1E2]}"#
            ),
            .body(
                #"{"aps":{"alert":"x"},"n":[1,1e+21,1e-7,0,0.1,100,-5,18446744073709551615,100]}"#
            )
        ),
        MessageCase(
            "c-dup-scope: a key twice",
            .apns(#"{"alert":"x","alert":"y"}"#),
            .faults(["duplicate_key@aps.alert"])
        ),
        MessageCase(
            "c-parse-stop: parse faults stop before the fields",
            .apns(#"{"alert":"x","badge":-1}"#, #""priority":7,"priority":7"#),
            .faults(["duplicate_key@priority"])
        ),
        MessageCase(
            "c-invalid-json",
            #"{"dialect":"apns","aps":{"alert":"x"},}"#,
            .faults(["invalid_json@"])
        ),
        MessageCase("a message is an object", "[1]", .faults(["wrong_type@"])),
        MessageCase("dialect missing", #"{"aps":{}}"#, .faults(["missing_field@dialect"])),
        MessageCase(
            "dialect unknown",
            #"{"dialect":"sms"}"#,
            .faults(["invalid_enum@dialect"])
        ),
        MessageCase("dialect of a type", #"{"dialect":1}"#, .faults(["wrong_type@dialect"])),
        MessageCase(
            "a byte order mark is accepted",
            "\u{FEFF}" + .apns(#"{"alert":"x"}"#),
            .body(#"{"aps":{"alert":"x"}}"#)
        ),
    ]

    static let pushTypes: [MessageCase] = [
        MessageCase(
            "c-mdm: aps may be missing",
            #"{"dialect":"apns","pushType":"mdm","custom":{"mdm":"M"}}"#,
            .body(#"{"mdm":"M"}"#)
        ),
        MessageCase(
            "aps is needed elsewhere",
            #"{"dialect":"apns","pushType":"voip","custom":{"a":1}}"#,
            .faults(["missing_field@aps"])
        ),
        MessageCase(
            "c-background: every key that is on",
            .apns(
                #"{"content-available":1,"badge":0,"sound":null,"mutable-content":false,"#
                    + #""thread-id":"t","alert":"","zz":{}}"#,
                #""pushType":"background""#
            ),
            .faults([
                "background_has_user_keys@aps.alert", "background_has_user_keys@aps.thread-id",
                "background_has_user_keys@aps.zz",
            ])
        ),
        MessageCase(
            "c-background: keys that are off are left out",
            .apns(
                #"{"content-available":true,"badge":0,"sound":null,"mutable-content":false}"#,
                #""pushType":"background""#
            ),
            .body(#"{"aps":{"content-available":1}}"#)
        ),
        MessageCase(
            "c-background: content-available off",
            .apns(#"{"content-available":0}"#, #""pushType":"background""#),
            .faults(["missing_field@aps.content-available"])
        ),
        MessageCase(
            "c-background: content-available missing",
            .apns("{}", #""pushType":"background""#),
            .faults(["missing_field@aps.content-available"])
        ),
        MessageCase(
            "c-la-start: a fault for each missing key",
            .apns(#"{"event":"start"}"#, #""pushType":"liveactivity""#),
            .faults([
                "live_activity_incomplete@aps.alert", "live_activity_incomplete@aps.timestamp",
                "live_activity_incomplete@aps.content-state",
                "live_activity_incomplete@aps.attributes-type",
                "live_activity_incomplete@aps.attributes",
            ])
        ),
        MessageCase(
            "c-la-start: event missing",
            .apns(#"{"timestamp":1}"#, #""pushType":"liveactivity""#),
            .faults(["live_activity_incomplete@aps.event"])
        ),
        MessageCase(
            "c-la-start: end is not checked",
            .apns(#"{"event":"end","dismissal-date":-1.5}"#, #""pushType":"liveactivity""#),
            .body(#"{"aps":{"dismissal-date":-1.5,"event":"end"}}"#)
        ),
        MessageCase(
            "c-la-start: elsewhere the keys pass",
            .apns(#"{"alert":"x","event":"start","stale-date":5}"#),
            .body(#"{"aps":{"alert":"x","stale-date":5,"event":"start"}}"#)
        ),
        MessageCase(
            "an event that does not exist",
            .apns(#"{"event":"begin"}"#, #""pushType":"liveactivity""#),
            .faults(["invalid_enum@aps.event"])
        ),
        MessageCase(
            "c-priority-other: location takes no priority 1",
            .apns("{}", #""pushType":"location","priority":1"#),
            .faults(["priority_mismatch@priority"])
        ),
        MessageCase(
            "c-priority-other: voip takes priority 1",
            .apns("{}", #""pushType":"voip","priority":1"#),
            .body(#"{"aps":{}}"#)
        ),
        MessageCase(
            "c-cascade: an unknown push type leaves its rules aside",
            .apns(
                #"{"content-available":1,"relevance-score":7}"#,
                #""pushType":"silent","priority":10"#
            ),
            .faults(["invalid_enum@pushType"])
        ),
        MessageCase(
            "faults stand in field order",
            .apns(
                #"{"badge":-1,"sound":1,"alert":{"body":1,"title":2}}"#,
                #""collapseId":"","expiration":"x","priority":7,"pushType":5,"custom":{"aps":0},"#
                    + #""apnsId":"x","defaultLanguage":5"#
            ),
            .faults([
                "wrong_type@aps.alert.title", "wrong_type@aps.alert.body", "out_of_range@aps.badge",
                "wrong_type@aps.sound", "reserved_key@custom.aps", "wrong_type@pushType",
                "out_of_range@priority", "wrong_type@expiration", "invalid_header_value@collapseId",
                "invalid_apns_id@apnsId", "wrong_type@defaultLanguage",
            ])
        ),
        MessageCase(
            "c-header-values: line breaks",
            .apns(#"{"alert":"x"}"#, #""collapseId":"a\r\nb""#),
            .faults(["invalid_header_value@collapseId"])
        ),
        MessageCase(
            "c-unknown-field",
            .apns(#"{"alert":"x"}"#, #""colapseId":"a","pushtype":"voip""#),
            .warned(
                #"{"aps":{"alert":"x"}}"#,
                ["unknown_field@colapseId", "unknown_field@pushtype"]
            )
        ),
        MessageCase(
            "c-unknown-field strict",
            .apns(#"{"alert":"x"}"#, #""colapseId":"a""#),
            isStrict: true,
            .faults(["unknown_field@colapseId"])
        ),
    ]

    @Test(arguments: alerts + values + pushTypes)
    func followsTheDecision(_ row: MessageCase) throws { try row.check() }
}
