import Testing

/// A row of the contract's tables: what goes in, what must come out to the byte.
struct ContractRow: Sendable, CustomTestStringConvertible {
    let name: String
    let message: String
    let flags: [String]
    let body: String

    var testDescription: String { name }

    private init(_ name: String, _ message: String, _ flags: [String], _ body: String) {
        (self.name, self.message, self.flags, self.body) = (name, message, flags, body)
    }

    private static func apns(
        _ name: String,
        _ fields: String,
        gives body: String
    ) -> ContractRow {
        ContractRow(name, #"{"dialect":"apns",\#(fields)}"#, [], body)
    }

    private static func xulo(
        _ name: String,
        _ fields: String,
        _ flags: String...,
        alert: String,
        data: String = "",
        buttons: String = ""
    ) -> ContractRow {
        ContractRow(
            name,
            #"{"dialect":"xulo","draft_id":7,\#(fields)}"#,
            flags,
            xuloBody(alert: alert, data: data, buttons: buttons)
        )
    }

    /// A body of the dialect xulo with the draft id 7.
    static func xuloBody(alert: String, data: String = "", buttons: String = "") -> String {
        let aps = #"{"alert":{\#(alert)},"sound":"default","category":"xulo"}"#
        let custom = #"{"a":{\#(data)"draft_id":7}}"#
        return #"{"aps":\#(aps),"custom":\#(custom),\#(buttons)"xulo":{"draft_id":7}}"#
    }

    static let all = [
        apns("A1", #""aps":{"alert":"Hej"}"#, gives: #"{"aps":{"alert":"Hej"}}"#),
        apns(
            "A2",
            #"""
            "custom":{"sender":"u7"},"aps":{"category":"m","thread-id":"t1",
            "sound":"default","badge":5,"alert":{"body":"Hej","title":"Nytt"}}
            """#,
            gives: #"""
                {"aps":{"alert":{"title":"Nytt","body":"Hej"},"badge":5,"sound":"default",\#
                "thread-id":"t1","category":"m"},"sender":"u7"}
                """#
        ),
        apns(
            "A10",
            #""aps":{"alert":{"body":"a\/b"}}"#,
            gives: #"{"aps":{"alert":{"body":"a/b"}}}"#
        ),
        apns(
            "A11",
            #""aps":{"alert":{"body":"\ud83c\udf89"}}"#,
            gives: #"{"aps":{"alert":{"body":"🎉"}}}"#
        ),
        apns(
            "A14",
            #""aps":{"alert":{"body":"line1\nline2\t\"q\" \\"}}"#,
            gives: #"{"aps":{"alert":{"body":"line1\nline2\t\"q\" \\"}}}"#
        ),
        apns(
            "A15",
            #""pushType":"background","aps":{"content-available":1},"custom":{"acme":"x"}"#,
            gives: #"{"aps":{"content-available":1},"acme":"x"}"#
        ),
        apns(
            "A26",
            #""aps":{"alert":"a","mutable-content":true}"#,
            gives: #"{"aps":{"alert":"a","mutable-content":1}}"#
        ),
        xulo("X2", #""contents":{"en":"Hi"}"#, alert: #""body":"Hi""#),
        xulo("X3", #""contents":{"en":"Hi"},"headings":{"en":""}"#, alert: #""body":"Hi""#),
        xulo(
            "X4",
            #""contents":{"en":"Hi"},"headings":{"en":" "}"#,
            alert: #""title":" ","body":"Hi""#
        ),
        xulo(
            "X20",
            #""contents":{"en":"Hi"},"data":{"b":"1","a":"2"}"#,
            alert: #""body":"Hi""#,
            data: #""b":"1","a":"2","#
        ),
        xulo(
            "X21",
            #""contents":{"en":"Hi"},"button":{"id":"track","text":"Track"}"#,
            alert: #""body":"Hi""#,
            buttons: #""buttons":[{"id":"track","text":"Track"}],"#
        ),
        xulo(
            "X21 onesignal",
            #""contents":{"en":"Hi"},"button":{"id":"track","text":"Track"}"#,
            "--option",
            "onesignal=true",
            alert: #""body":"Hi""#,
            buttons: #""buttons":[{"i":"track","n":"Track"}],"#
        ),
        xulo(
            "X24",
            #""contents":{"en":"Hi","tr":"Selam"}"#,
            "--language",
            "TR_tr",
            alert: #""body":"Selam""#
        ),
        xulo(
            "X25",
            #""contents":{"en":"Hi","fi":"Moi"}"#,
            "--language",
            "fil-PH",
            alert: #""body":"Hi""#
        ),
        xulo(
            "X27",
            #""contents":{"zh":"a","zh-Hant":"b"}"#,
            "--language",
            "zh-Hant-TW",
            alert: #""body":"b""#
        ),
        xulo(
            "X28",
            #""contents":{"en":"a","zh-Hant":"b"}"#,
            "--language",
            "zh-TW",
            alert: #""body":"a""#
        ),
        xulo(
            "X28 with aliases",
            #""contents":{"en":"a","zh-Hant":"b"}"#,
            "--language",
            "zh-TW",
            "--option",
            "languageAliases=true",
            alert: #""body":"b""#
        ),
        xulo(
            "X30",
            #""contents":{"tr":"Selam","de":"Hallo"}"#,
            "--language",
            "fr-FR",
            alert: #""body":"Selam""#
        ),
        xulo(
            "X34",
            #""contents":{"tr":"Selam","en":"Hello"},"headings":{"en":"Hi"}"#,
            "--language",
            "tr",
            alert: #""body":"Selam""#
        ),
        xulo(
            "X37",
            #""contents":{"tr":"Selam","en":"Hi"}"#,
            "--language",
            "",
            alert: #""body":"Hi""#
        ),
    ]

    /// Messages that the contract refuses, with the code and path of the fault.
    static let refused = [
        (
            #"{"dialect":"apns","aps":{"alert":{"body":"\ud83c"}}}"#,
            "invalid_unicode aps.alert.body"
        ),
        (#"{"dialect":"apns","priority":7,"aps":{"alert":"a"}}"#, "out_of_range priority"),
        (#"{"dialect":"apns","aps":{"alert":"a","badge":"3"}}"#, "wrong_type aps.badge"),
        (#"{"dialect":"apns","custom":{"aps":1},"aps":{"alert":"a"}}"#, "reserved_key custom.aps"),
        (
            #"""
            {"dialect":"apns","pushType":"background","aps":{"content-available":1,"sound":"x"}}
            """#,
            "background_has_user_keys aps.sound"
        ),
        (
            #"{"dialect":"xulo","draft_id":7,"contents":{"tr":"a","TR":"b"}}"#,
            "duplicate_language contents.TR"
        ),
        (
            #"{"dialect":"xulo","draft_id":7,"contents":{"en":"a"},"headings":{"en":"b","de":"c"}}"#,
            "missing_field contents.de"
        ),
        (
            #"{"dialect":"xulo","draft_id":7,"contents":{"en":"a"},"defaultLanguage":"de"}"#,
            "unknown_default_language defaultLanguage"
        ),
        (#"{"dialect":"fax"}"#, "invalid_enum dialect"), (#"{}"#, "missing_field dialect"),
    ]
}
