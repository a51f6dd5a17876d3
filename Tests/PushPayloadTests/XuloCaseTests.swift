import PushPayload
import Testing

/// The rows X1 to X22 and X39 of contract section 7, and the decisions of section 11 on xulo.
@Suite struct XuloCaseTests {
    private static let family = "👨‍👩‍👧‍👦"

    static let rows: [MessageCase] = [
        MessageCase(
            "X1",
            #"{"dialect":"xulo","contents":{"en":"It arrives tomorrow."},"#
                + #""headings":{"en":"Your order shipped"},"url":"exampleapp://orders/1","#
                + #""image":"https://example.com/parcel.jpg","data":{"screen":"order"},"#
                + #""draft_id":42}"#,
            .body(
                #"{"aps":{"alert":{"title":"Your order shipped","body":"It arrives tomorrow."},"#
                    + #""sound":"default","category":"xulo","mutable-content":1},"#
                    + #""custom":{"a":{"screen":"order","draft_id":42},"#
                    + #""u":"exampleapp://orders/1"},"#
                    + #""att":{"id":"https://example.com/parcel.jpg"},"xulo":{"draft_id":42}}"#
            )
        ),
        MessageCase(
            "X2",
            .contents("Hi"),
            .body(
                #"{"aps":{"alert":{"body":"Hi"},"sound":"default","category":"xulo"},"#
                    + #""custom":{"a":{"draft_id":7}},"xulo":{"draft_id":7}}"#
            )
        ),
        MessageCase("X3", .contents("Hi", #""headings":{"en":""}"#), .xulo(#""body":"Hi""#)),
        MessageCase(
            "X4",
            .contents("Hi", #""headings":{"en":" "}"#),
            .xulo(#""title":" ","body":"Hi""#)
        ),
        MessageCase("X5 empty", .contents(""), .faults(["empty_message@contents.en"])),
        MessageCase("X5 {}", .xulo(#""contents":{}"#), .faults(["missing_field@contents"])),
        MessageCase("X5 absent", .xulo(#""url":"a:b""#), .faults(["missing_field@contents"])),
        MessageCase("X6", .contents(times("a", 2000)), .size(2117)),
        MessageCase(
            "X6 long",
            .contents(times("a", 2001)),
            .faults(["message_too_long@contents.en"])
        ),
        MessageCase("X7", .titled(times("a", 120)), .size(117 + 1 + 10 + 120 + 1)),
        MessageCase("X7 long", .titled(times("a", 121)), .faults(["title_too_long@headings.en"])),
        MessageCase("X8", .titled(times("🎉", 120)), .size(609)),
        MessageCase(
            "X9 scalars",
            .titled(times(family, 120)),
            .faults(["title_too_long@headings.en"])
        ),
        MessageCase(
            "X9 graphemes",
            .titled(times(family, 120)),
            options: ["characters=graphemes"],
            .size(3129)
        ),
        MessageCase("X10", .contents(times("ü", 1989)), .size(4095)),
        MessageCase(
            "X10 large",
            .contents(times("ü", 1990)),
            .faults(["payload_too_large@contents.en"])
        ),
        MessageCase("X11", .contents(times("🎉", 994)), .size(4093)),
        MessageCase(
            "X11 large",
            .contents(times("🎉", 995)),
            .faults(["payload_too_large@contents.en"])
        ),
        MessageCase("X12", .contents("x", #""data":{"k":"\#(times("x", 3971))"}"#), .size(4096)),
        MessageCase(
            "X12 large",
            .contents("x", #""data":{"k":"\#(times("x", 3972))"}"#),
            .faults(["payload_too_large@contents.en"])
        ),
        MessageCase(
            "X13",
            .contents("x", #""image":"https://e.example/a.jpg""#),
            .body(
                #"{"aps":{"alert":{"body":"x"},"sound":"default","category":"xulo","#
                    + #""mutable-content":1},"custom":{"a":{"draft_id":7}},"#
                    + #""att":{"id":"https://e.example/a.jpg"},"xulo":{"draft_id":7}}"#
            )
        ),
        MessageCase("X14", .contents("x"), .xulo(#""body":"x""#)),
        MessageCase(
            "X15",
            .contents("x", #""image":"http://e.example/a.jpg""#),
            .faults(["image_not_https@image"])
        ),
        MessageCase(
            "X18",
            .contents("x", #""data":{"n":5,"b":true,"s":null,"t":"u"}"#),
            .faults([
                "invalid_data_value@data.n", "invalid_data_value@data.b",
                "invalid_data_value@data.s",
            ])
        ),
        MessageCase(
            "X19",
            .contents("x", #""data":{"draft_id":"1"}"#),
            .faults(["reserved_key@data.draft_id"])
        ),
        MessageCase(
            "X20",
            .contents("x", #""data":{"b":"1","a":"2"}"#),
            .xulo(#""body":"x""#, data: #""b":"1","a":"2""#)
        ),
        MessageCase(
            "X21",
            .contents("x", #""button":{"id":"track","text":"Track"}"#),
            .xulo(#""body":"x""#, rest: #""buttons":[{"id":"track","text":"Track"}],"#)
        ),
        MessageCase(
            "X21 onesignal",
            .contents("x", #""button":{"id":"track","text":"Track"}"#),
            options: ["onesignal=true"],
            .xulo(#""body":"x""#, rest: #""buttons":[{"i":"track","n":"Track"}],"#)
        ),
        MessageCase(
            "X22 two",
            .contents("x", #""buttons":[{"id":"a","text":"A"},{"id":"b","text":"B"}]"#),
            .faults(["too_many_buttons@buttons"])
        ),
        MessageCase(
            "X22 without text",
            .contents("x", #""button":{"id":"a"}"#),
            .faults(["invalid_button@button.text"])
        ),
        MessageCase(
            "X39",
            .xulo(
                #""contents":{"en":"x","tr":"\#(times("🎉", 1000))"}"#
            ),
            .faults(["payload_too_large@contents.tr"])
        ),
    ]

    static let decisions: [MessageCase] = [
        MessageCase(
            "c-xulo-aliases: one attachment",
            .contents("x", #""ios_attachments":{"any":"https://e.example/a"}"#),
            .body(
                #"{"aps":{"alert":{"body":"x"},"sound":"default","category":"xulo","#
                    + #""mutable-content":1},"custom":{"a":{"draft_id":7}},"#
                    + #""att":{"id":"https://e.example/a"},"xulo":{"draft_id":7}}"#
            )
        ),
        MessageCase(
            "c-xulo-aliases: two attachments",
            .contents("x", #""ios_attachments":{"a":"https://e.example","b":"https://e.example"}"#),
            .faults(["invalid_enum@ios_attachments"])
        ),
        MessageCase(
            "c-xulo-aliases: image in both spellings",
            .contents(
                "x",
                #""image":"https://e.example","ios_attachments":{"a":"https://e.example"}"#
            ),
            .faults(["invalid_enum@ios_attachments"])
        ),
        MessageCase(
            "c-xulo-aliases: an attachment that is not https",
            .contents("x", #""ios_attachments":{"a":"http://e.example"}"#),
            .faults(["image_not_https@ios_attachments.a"])
        ),
        MessageCase(
            "c-xulo-aliases: button in both spellings",
            .contents(
                "x",
                #""button":{"id":"a","text":"A"},"buttons":[{"id":"b","text":"B"}]"#
            ),
            .faults(["too_many_buttons@buttons"])
        ),
        MessageCase(
            "c-xulo-aliases: no button",
            .contents("x", #""buttons":[]"#),
            .xulo(#""body":"x""#)
        ),
        MessageCase(
            "c-xulo-button: parts of a wrong type, empty parts",
            .contents("x", #""button":{"id":5,"text":""}"#),
            .faults(["invalid_button@button.id", "invalid_button@button.text"])
        ),
        MessageCase(
            "c-xulo-button: no object",
            .contents("x", #""button":"a""#),
            .faults(["wrong_type@button"])
        ),
        MessageCase(
            "c-xulo-button: unknown parts are ignored",
            .contents("x", #""buttons":[{"icon":1,"text":"A","id":"a"}]"#),
            .xulo(#""body":"x""#, rest: #""buttons":[{"id":"a","text":"A"}],"#)
        ),
        MessageCase(
            "c-xulo-draft-id: missing",
            #"{"dialect":"xulo","contents":{"en":"x"}}"#,
            .faults(["missing_field@draft_id"])
        ),
        MessageCase(
            "c-xulo-draft-id: any 64-bit integer",
            #"{"dialect":"xulo","contents":{"en":"x"},"draft_id":-9223372036854775808}"#,
            .body(
                #"{"aps":{"alert":{"body":"x"},"sound":"default","category":"xulo"},"custom":{"#
                    + #""a":{"draft_id":-9223372036854775808}},"#
                    + #""xulo":{"draft_id":-9223372036854775808}}"#
            )
        ),
        MessageCase(
            "c-xulo-draft-id: past 64 bits, text",
            #"{"dialect":"xulo","contents":{"en":"x"},"draft_id":99999999999999999999}"#,
            .faults(["out_of_range@draft_id"])
        ),
        MessageCase(
            "c-xulo-badge: ignored",
            .contents("x"),
            install: #"{"token":"ab","badge":3}"#,
            .xulo(#""body":"x""#)
        ),
        MessageCase(
            "c-xulo-headings: compared after normalising",
            .xulo(#""contents":{"en_GB":"x"},"headings":{"EN-gb":"T"}"#),
            .xulo(#""title":"T","body":"x""#)
        ),
        MessageCase(
            "c-xulo-headings: empty",
            .contents("x", #""headings":{}"#),
            .xulo(#""body":"x""#)
        ),
        MessageCase(
            "c-cascade: headings beside broken contents",
            .xulo(#""contents":5,"headings":{"de":"T"},"defaultLanguage":"fr""#),
            .faults(["wrong_type@contents"])
        ),
        MessageCase(
            "c-cascade: a reserved key beats its type",
            .contents("x", #""data":{"draft_id":5}"#),
            .faults(["reserved_key@data.draft_id"])
        ),
        MessageCase(
            "c-dup-scope: a language twice is a key twice",
            .xulo(#""contents":{"tr":"x","tr":"y"}"#),
            .faults(["duplicate_key@contents.tr"])
        ),
        MessageCase(
            "c-unknown-field: the spelling of another field",
            .contents("x", #""heading":{"en":"T"},"content":1"#),
            .warned(
                MessageCase.xuloBody(#""body":"x""#),
                ["unknown_field@heading", "unknown_field@content"]
            )
        ),
        MessageCase(
            "faults stand in field order",
            #"{"dialect":"xulo","draft_id":"7","button":{},"data":[],"image":5,"url":"x","#
                + #""headings":{"en":1},"contents":{"en":""},"defaultLanguage":"xx"}"#,
            .faults([
                "empty_message@contents.en", "wrong_type@headings.en", "invalid_url@url",
                "wrong_type@image", "wrong_type@data", "invalid_button@button.id",
                "invalid_button@button.text", "wrong_type@draft_id",
                "unknown_default_language@defaultLanguage",
            ])
        ),
    ]

    @Test(arguments: rows + decisions)
    func givesTheRowOfTheContract(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: [
        // X16 and X17
        ("exampleapp://offer/1", true), ("https://e.example", true), ("http://e.example", false),
        ("javascript:alert(1)", false), ("offer/1", false),
        // c-xulo-url
        ("", false), ("tel:", false), ("tel:+46701234567", true), ("mailto:a@b.example", true),
        ("HTTP://e.example", false), ("JavaScript:x", false), ("DATA:x", false),
        ("file:///x", false),
        ("HTTPS://e.example/ä?q=1", true), ("https:e.example", false), ("https://", false),
        ("https:///path", false), ("https://?q", false), ("https://:443/x", false),
        ("https://user@/x", false), ("https://user@e.example:443/x", true), ("app:a b", false),
        ("app:a\\u0007b", false), ("app:a\u{7F}", false), ("1app:x", false), (":x", false),
        ("a+b-c.1:x", true), ("exämple:x", false),
    ])
    func takesALinkOnlyWhereItsGrammarHolds(_ link: String, _ isTaken: Bool) throws {
        let rendering = try MessageCase("", .contents("x", #""url":"\#(link)""#), .size(0)).render()
        #expect((rendering.result != nil) == isTaken)
        #expect(rendering.faults.map(\.code) == (isTaken ? [] : [.invalidURL]))
    }
}

extension String {
    /// See ``MessageCase/xulo(_:)``.
    static func xulo(_ fields: String) -> String { MessageCase.xulo(fields) }

    /// A xulo message in English with these other fields.
    static func contents(_ text: String, _ fields: String = "") -> String {
        MessageCase.xulo(#""contents":{"en":"\#(text)"}"# + (fields.isEmpty ? "" : "," + fields))
    }

    /// A xulo message `x` with a title.
    static func titled(_ title: String) -> String {
        contents("x", #""headings":{"en":"\#(title)"}"#)
    }
}

extension MessageCase.Expectation {
    /// The body of a xulo message; see ``MessageCase/xuloBody(_:data:rest:)``.
    static func xulo(_ alert: String, data: String = "", rest: String = "") -> Self {
        .body(MessageCase.xuloBody(alert, data: data, rest: rest))
    }
}
