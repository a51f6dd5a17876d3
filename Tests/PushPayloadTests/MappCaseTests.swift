import PushModel
import PushPayload
import Testing

/// The rows M1 to M14 of contract section 7, and the decisions of section 11 on mapp.
@Suite struct MappCaseTests {
    static let rows: [MessageCase] = [
        MessageCase(
            "M1",
            #"{"dialect":"mapp","title":{"sv":"Hej"},"subtitle":{"sv":"Ny"},"body":{"sv":"Titta"},"#
                + #""badge":2,"sound":"default","category":"apx_read_open","uniqueID":9001,"#
                + #""media":{"type":"IMAGE","url":"https://cdn.example.com/a.jpg"},"#
                + #""action":{"deepLink":"exampleapp://x"},"extraFields":{"campaign":"spring"}}"#,
            .body(
                #"{"aps":{"alert":{"title":"Hej","subtitle":"Ny","body":"Titta"},"badge":2,"#
                    + #""sound":"default","category":"apx_read_open","lc":"sv","#
                    + #""mutable-content":1},"p":9001,"#
                    + #""ios_apx_media":"https://cdn.example.com/a.jpg","#
                    + #""apx_dpl":"exampleapp://x","campaign":"spring"}"#
            )
        ),
        MessageCase("M2", .silent(9002), .body(#"{"aps":{"content-available":1},"p":9002}"#)),
        MessageCase(
            "M3",
            .silent(1, #","body":"x""#),
            .faults(["background_has_user_keys@body"])
        ),
        MessageCase(
            "M4",
            #"{"dialect":"mapp","triggerUpdate":true,"uniqueID":5}"#,
            .body(#"{"aps":{"content-available":1},"p":5,"isTriggerUpdate":true}"#)
        ),
        MessageCase("M5", .mapp(#""rich":true"#), .mapp(rest: #","isRich":true"#)),
        MessageCase("M5 false", .mapp(#""rich":false"#), .mapp()),
        MessageCase("M6", .mapp(), .mapp()),
        MessageCase(
            "M7 missing",
            #"{"dialect":"mapp","body":"x"}"#,
            .faults(["missing_field@uniqueID"])
        ),
        MessageCase(
            "M7 zero",
            #"{"dialect":"mapp","body":"x","uniqueID":0}"#,
            .faults(["out_of_range@uniqueID"])
        ),
        MessageCase(
            "M7 text",
            #"{"dialect":"mapp","body":"x","uniqueID":"9"}"#,
            .faults(["wrong_type@uniqueID"])
        ),
        MessageCase(
            "M8",
            .mapp(#""action":{"deepLink":"a:b","landingPage":"https://e.example"}"#),
            .faults(["multiple_actions@action"])
        ),
        MessageCase(
            "M9",
            .mapp(#""extraFields":{"apx_dpl":"x","p":"1"}"#),
            .faults(["reserved_key@extraFields.apx_dpl", "reserved_key@extraFields.p"])
        ),
        MessageCase(
            "M10",
            .mapp(#""buttons":[{"fg":{"url":"https://e.example"}}]"#),
            .mapp(rest: #","buttons":[{"fgAction":{"apx_url":"https://e.example"}}]"#)
        ),
        MessageCase(
            "M11",
            .mapp(#""buttons":[{},{},{}]"#),
            .faults(["too_many_buttons@buttons"])
        ),
        MessageCase(
            "M12",
            #"{"dialect":"mapp","body":{"zh-Hant-TW":"x"},"category":"c","uniqueID":1}"#,
            language: "zh-Hant-TW",
            .body(
                #"{"aps":{"alert":{"body":"x"},"category":"c","lc":"zh","mutable-content":1},"p":1}"#
            )
        ),
        MessageCase("M13", .mapp(#""category":"c""#), .mapp(aps: #","category":"c""#)),
        MessageCase(
            "M14",
            .mapp(#""title":"T""#),
            .body(#"{"aps":{"alert":{"title":"T","body":"x"}},"p":7}"#)
        ),
    ]

    static let decisions: [MessageCase] = [
        MessageCase(
            "c-mapp-shape: a body is needed",
            #"{"dialect":"mapp","title":"x","uniqueID":1}"#,
            .faults(["missing_field@body"])
        ),
        MessageCase(
            "c-mapp-shape: language is no field",
            .mapp(#""language":"sv""#),
            .warned(
                #"{"aps":{"alert":{"body":"x"}},"p":7}"#,
                ["unknown_field@language"]
            )
        ),
        MessageCase(
            "c-unknown-field under strict, inside objects too",
            .mapp(#""action":{"deeplink":"a:b"},"media":{"url":"u","kind":"x"}"#),
            isStrict: true,
            .faults(["unknown_field@media.kind", "unknown_field@action.deeplink"])
        ),
        MessageCase(
            "c-mapp-media: the url is needed, the type is one of two",
            .mapp(#""media":{"type":"AUDIO"}"#),
            .faults(["invalid_enum@media.type", "missing_field@media.url"])
        ),
        MessageCase(
            "c-mapp-media: the type may be missing; media alone makes the content mutable",
            .mapp(#""media":{"url":"u"}"#),
            .body(
                #"{"aps":{"alert":{"body":"x"},"mutable-content":1},"p":7,"ios_apx_media":"u"}"#
            )
        ),
        MessageCase(
            "c-mapp-silent: every shown field is refused in place",
            .silent(
                1,
                #","title":"a","subtitle":"b","body":"c","badge":1,"sound":"s","category":"c","#
                    + #""media":{"url":"u"},"rich":1"#
            ),
            .faults([
                "background_has_user_keys@title", "background_has_user_keys@subtitle",
                "background_has_user_keys@body", "background_has_user_keys@badge",
                "background_has_user_keys@sound", "background_has_user_keys@category",
                "background_has_user_keys@media", "wrong_type@rich",
            ])
        ),
        MessageCase(
            "c-mapp-silent: silent false does not give a trigger update a body",
            #"{"dialect":"mapp","silent":false,"triggerUpdate":true,"badge":1,"uniqueID":5}"#,
            .faults(["background_has_user_keys@badge"])
        ),
        MessageCase(
            "a trigger update with texts is shown",
            .mapp(#""triggerUpdate":true,"rich":true"#),
            .mapp(rest: #","isRich":true,"isTriggerUpdate":true"#)
        ),
        MessageCase(
            "a silent push takes an action, buttons and extra fields",
            .silent(1, #","action":{"inbox":"1"},"extraFields":{"k":"v"}"#),
            .body(#"{"aps":{"content-available":1},"p":1,"apx_inbox":"1","k":"v"}"#)
        ),
        MessageCase(
            "a silent push has priority 5",
            .silent(1, #","priority":10"#),
            .faults(["priority_mismatch@priority"])
        ),
        MessageCase(
            "c-cascade: a broken flag leaves the body and the priority unjudged",
            #"{"dialect":"mapp","silent":1,"uniqueID":1,"priority":1}"#,
            .faults(["wrong_type@silent"])
        ),
        MessageCase(
            "c-mapp-lc: a device's language alone chooses nothing",
            .mapp(#""category":"c""#),
            language: "sv",
            .mapp(aps: #","category":"c""#)
        ),
        MessageCase(
            "no category, no lc",
            #"{"dialect":"mapp","body":{"sv":"x"},"uniqueID":7}"#,
            language: "sv",
            .mapp()
        ),
        MessageCase(
            "lc is lowercase, whatever the message's spelling",
            #"{"dialect":"mapp","body":{"PT_br":"x"},"category":"","uniqueID":7}"#,
            .mapp(aps: #","category":"","lc":"pt","mutable-content":1"#)
        ),
        MessageCase(
            "c-mapp-empty: empty texts are texts",
            #"{"dialect":"mapp","title":"","subtitle":"","body":"","sound":"","uniqueID":7}"#,
            .body(
                #"{"aps":{"alert":{"title":"","subtitle":"","body":""},"sound":""},"p":7}"#
            )
        ),
        MessageCase(
            "c-mapp-extra: texts only; nested reserves names too",
            .mapp(#""extraFields":{"a":1,"aps":2,"b":null,"isRich":"x"}"#),
            options: ["extraFields=nested"],
            .faults([
                "wrong_type@extraFields.a", "reserved_key@extraFields.aps",
                "wrong_type@extraFields.b", "reserved_key@extraFields.isRich",
            ])
        ),
        MessageCase(
            "extraFields nested",
            .mapp(#""extraFields":{"b":"1","a":"2"},"rich":true"#),
            options: ["extraFields=nested"],
            .mapp(rest: #","isRich":true,"extraFields":{"b":"1","a":"2"}"#)
        ),
        MessageCase(
            "c-integer: a unique id has no point",
            #"{"dialect":"mapp","body":"x","uniqueID":5.0}"#,
            .faults(["wrong_type@uniqueID"])
        ),
        MessageCase(
            "c-lang-map: the body leads, a language that another text lacks leaves it out",
            #"{"dialect":"mapp","title":{"en":"T"},"body":{"tr":"x","en":"y"},"uniqueID":7}"#,
            language: "tr",
            .mapp()
        ),
        MessageCase(
            "c-lang-map: a language that only the title has",
            #"{"dialect":"mapp","title":{"de":"T"},"body":{"en":"y"},"uniqueID":7}"#,
            .faults(["missing_field@body.de"])
        ),
        MessageCase(
            "c-lang-default",
            #"{"dialect":"mapp","body":{"en":"x","tr":"y"},"uniqueID":7,"defaultLanguage":"TR"}"#,
            language: "fr",
            .body(#"{"aps":{"alert":{"body":"y"}},"p":7}"#)
        ),
        MessageCase(
            "c-lang-default without maps",
            .mapp(#""defaultLanguage":"en""#),
            .faults(["unknown_default_language@defaultLanguage"])
        ),
        MessageCase(
            "faults come in the order of the fields",
            #"{"dialect":"mapp","triggerUpdate":"x","buttons":1,"action":1,"extraFields":1,"#
                + #""media":1,"uniqueID":-1,"category":1,"sound":1,"badge":-1,"body":1,"#
                + #""subtitle":1,"title":1,"collapseId":""}"#,
            .faults([
                "wrong_type@title", "wrong_type@subtitle", "wrong_type@body",
                "out_of_range@badge", "wrong_type@sound", "wrong_type@category",
                "out_of_range@uniqueID", "wrong_type@extraFields", "wrong_type@media",
                "wrong_type@action", "wrong_type@buttons", "wrong_type@triggerUpdate",
                "invalid_header_value@collapseId",
            ])
        ),
    ]

    static let actions: [MessageCase] = [
        ("deepLink", "apx_dpl"), ("landingPage", "apx_url"),
        ("landingPageInternal", "apx_url_internal"), ("store", "apx_aid"), ("inbox", "apx_inbox"),
    ].map { name, key in
        MessageCase(
            name,
            .mapp(#""action":{"\#(name)":"v"},"buttons":[{"fg":{"\#(name)":"w"}}]"#),
            .mapp(rest: #","\#(key)":"v","buttons":[{"fgAction":{"\#(key)":"w"}}]"#)
        )
    }

    static let buttons: [MessageCase] = [
        MessageCase(
            "bg in its order, values as given; a button may do nothing",
            .mapp(
                #""buttons":[{},{"bg":{"value":[1.50,null],"type":2,"name":"n","todo":1}}]"#
            ),
            .mapp(
                rest: #","buttons":[{},{"bgAction":{"name":"n","todo":1,"type":2,"#
                    + #""value":[1.5,null]}}]"#
            )
        ),
        MessageCase("no buttons", .mapp(#""buttons":[]"#), .mapp()),
        MessageCase(
            "everything else",
            .mapp(#""buttons":[1,{"fg":{},"x":1}]"#),
            .faults([
                "invalid_button@buttons[0]", "invalid_button@buttons[1].x",
                "invalid_button@buttons[1].fg",
            ])
        ),
        MessageCase(
            "two in fg, an unknown part of bg",
            .mapp(
                #""buttons":[{"fg":{"url":"a","deepLink":"b"}},{"bg":{"key":1},"fg":{"x":"y"}}]"#
            ),
            .faults([
                "invalid_button@buttons[0].fg", "invalid_button@buttons[1].fg.x",
                "invalid_button@buttons[1].bg.key",
            ])
        ),
        MessageCase(
            "values that are no texts, parts that are no objects",
            .mapp(#""buttons":[{"fg":{"url":1}},{"fg":"x","bg":[]}]"#),
            .faults([
                "invalid_button@buttons[0].fg.url", "invalid_button@buttons[1].fg",
                "invalid_button@buttons[1].bg",
            ])
        ),
        MessageCase(
            "a number past 64 bits",
            .mapp(#""buttons":[{"bg":{"value":99999999999999999999}}]"#),
            .faults(["out_of_range@buttons[0].bg.value"])
        ),
    ]

    static let badges: [MessageCase] = [
        MessageCase(
            "the install's badge wins",
            .mapp(#""badge":2,"sound":"s""#),
            install: #"{"token":"ab","badge":11}"#,
            .mapp(aps: #","badge":11,"sound":"s""#)
        ),
        MessageCase(
            "a silent push has none",
            .silent(1),
            install: #"{"token":"ab","badge":11}"#,
            .body(#"{"aps":{"content-available":1},"p":1}"#)
        ),
    ]

    @Test(arguments: rows) func row(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: decisions) func decision(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: actions) func action(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: buttons) func button(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: badges) func badge(_ row: MessageCase) throws { try row.check() }

    @Test func firstRowHasTheContractsLength() throws {
        #expect(try Self.rows[0].render().result?.body.count == 253)
    }

    @Test func silentPushesAreBackgroundPushesWithPriority5() throws {
        for message in [String.silent(1), #"{"dialect":"mapp","triggerUpdate":true,"uniqueID":1}"#]
        {
            let headers = try MessageCase("", message, .size(0)).render().result?.headers
            #expect(headers?.pushType == .background)
            #expect(headers?.priority == 5)
        }
        let shown = try MessageCase("", .mapp(), .size(0)).render().result?.headers
        #expect(shown?.pushType == .alert)
        #expect(shown?.priority == 10)
    }
}

extension String {
    /// A message of the dialect mapp with body `x`, uniqueID 7 and these fields.
    fileprivate static func mapp(_ fields: String = "") -> String {
        #"{"dialect":"mapp","body":"x","uniqueID":7\#(fields.isEmpty ? "" : ",")\#(fields)}"#
    }

    fileprivate static func silent(_ id: Int, _ fields: String = "") -> String {
        #"{"dialect":"mapp","silent":true,"uniqueID":\#(id)\#(fields)}"#
    }
}

extension MessageCase.Expectation {
    /// The body of ``String/mapp(_:)`` with more in `aps`, or behind `p`.
    fileprivate static func mapp(aps: String = "", rest: String = "") -> Self {
        .body(#"{"aps":{"alert":{"body":"x"}\#(aps)},"p":7\#(rest)}"#)
    }
}

/// Fields that stand in the wrong place (contract 10.5).
@Suite struct MappAdviceTests {
    @Test(arguments: [
        ("deepLink", "deepLink belongs inside action"),
        ("image", "image belongs inside media, which has type and url"),
        (
            "language",
            #"language is no field; write each text by language, like "body":{"sv":"..."}"#
        ),
        ("isRich", #"there is no field isRich; did you mean "rich"?"#),
        ("uniqueId", #"there is no field uniqueId; did you mean "uniqueID"?"#),
    ])
    func namesTheMend(name: String, mend: String) throws {
        let message = String.mapp(#""\#(name)":"x""#)
        let warnings = try MessageCase("", message, .size(0)).render().warnings
        #expect(warnings.map(\.message) == [mend])
    }
}
