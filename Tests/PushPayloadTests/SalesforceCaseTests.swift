import PushPayload
import Testing

/// The rows S11, S12, S22 and S29 of contract section 7, and what section 11 says of salesforce
/// messages; ``SalesforceSealingTests`` has the rows of encrypted bodies.
@Suite struct SalesforceCaseTests {
    static let rows: [MessageCase] = [
        MessageCase(
            "S22, S11, S12: plain, cid all, no rid",
            .salesforce(#""fullContent":true,"badge":3"#),
            install: .uid,
            .body(
                #"{"aps":{"alert":{"title":"Contact Updated","body":"Jane"},"sound":"default","#
                    + #""badge":3},"oid":"O","uid":"U","nid":"N","type":-1,"sid":"S","#
                    + #""cid":"all","notifType":"T","alertTitle":"Contact Updated","#
                    + #""alertBody":"Jane"}"#
            )
        ),
        MessageCase(
            "S2 in plain: discreet unless fullContent",
            .salesforce(#""rid":"R","cid":"C""#),
            install: .uid,
            .body(
                #"{"aps":{"alert":{"title":"","body":"Contact Updated"},"sound":"default"},"#
                    + #""oid":"O","uid":"U","nid":"N","type":-1,"sid":"S","rid":"R","cid":"C","#
                    + #""notifType":"T","alertTitle":"","alertBody":"Contact Updated"}"#
            )
        ),
        MessageCase(
            "S29",
            .salesforce(
                #""custom":{"aps":1,"content":2,"secret":3,"encrypted":4,"type":5,"alertBody":6,"#
                    + #""uid":7,"rid":8,"ok":9}"#
            ),
            install: .uid,
            .faults([
                "reserved_key@custom.aps", "reserved_key@custom.content",
                "reserved_key@custom.secret", "reserved_key@custom.encrypted",
                "reserved_key@custom.type", "reserved_key@custom.alertBody",
                "reserved_key@custom.uid", "reserved_key@custom.rid",
            ])
        ),
    ]

    static let decisions: [MessageCase] = [
        MessageCase(
            "c-sf-required: everything is missing, in order",
            #"{"dialect":"salesforce"}"#,
            .faults([
                "missing_field@title", "missing_field@body", "missing_field@oid",
                "missing_field@nid", "missing_field@sid", "missing_field@notifType",
                "missing_field@install.uid",
            ])
        ),
        MessageCase(
            "c-sf-required: an install without uid",
            .salesforce(),
            install: #"{"token":"ab"}"#,
            .faults(["missing_field@install.uid"])
        ),
        MessageCase(
            "c-sf-required: empty strings travel",
            #"{"dialect":"salesforce","title":"","body":"","oid":"","nid":"","sid":"","#
                + #""notifType":"","cid":"","rid":""}"#,
            install: #"{"token":"ab","uid":""}"#,
            .body(
                #"{"aps":{"alert":{"title":"","body":""},"sound":"default"},"oid":"","uid":"","#
                    + #""nid":"","type":-1,"sid":"","rid":"","cid":"","notifType":"","#
                    + #""alertTitle":"","alertBody":""}"#
            )
        ),
        MessageCase(
            "c-sf-extra: custom keys come last, as given",
            .salesforce(#""custom":{"b":{"x":[1.0,null]},"a":"/"}"#),
            install: .uid,
            .salesforce(#","b":{"x":[1,null]},"a":"/""#)
        ),
        MessageCase(
            "c-number in custom",
            .salesforce(#""custom":{"b":{"x":[1e999]}}"#),
            install: .uid,
            .faults(["out_of_range@custom.b.x[0]"])
        ),
        MessageCase(
            "c-flags: fullContent is a truth value",
            .salesforce(#""fullContent":1"#),
            install: .uid,
            .faults(["wrong_type@fullContent"])
        ),
        MessageCase(
            "c-lang-map: a language that the title lacks",
            .salesforce(title: #"{"en":"T"}"#, body: #"{"en":"B","tr":"C"}"#),
            install: .uid,
            .faults(["missing_field@title.tr"])
        ),
        MessageCase(
            "c-lang-map: a language that the body lacks",
            .salesforce(title: #"{"en":"T","tr":"U"}"#, body: #"{"en":"B"}"#),
            install: .uid,
            .faults(["missing_field@body.tr"])
        ),
        MessageCase(
            "c-lang-map: a plain text serves every language",
            .salesforce(title: #"{"en":"T","tr":"U"}"#, body: #""B""#, #""fullContent":true"#),
            language: "tr-TR",
            install: .uid,
            .body(
                #"{"aps":{"alert":{"title":"U","body":"B"},"sound":"default"},"oid":"O","#
                    + #""uid":"U","nid":"N","type":-1,"sid":"S","cid":"all","notifType":"T","#
                    + #""alertTitle":"U","alertBody":"B"}"#
            )
        ),
        MessageCase(
            "c-cascade: languages are not compared with a broken map",
            .salesforce(title: #"{"en":"T","-":"x"}"#, body: #"{"en":"B","tr":"C"}"#),
            install: .uid,
            .faults(["invalid_language@title.-"])
        ),
        MessageCase(
            "c-lang-default in a message without maps",
            .salesforce(#""defaultLanguage":"en""#),
            install: .uid,
            .faults(["unknown_default_language@defaultLanguage"])
        ),
        MessageCase(
            "c-badge-install",
            .salesforce(#""badge":3"#),
            install: #"{"token":"ab","uid":"U","badge":40}"#,
            .body(
                #"{"aps":{"alert":{"title":"","body":"Contact Updated"},"sound":"default","#
                    + #""badge":40},"oid":"O","uid":"U","nid":"N","type":-1,"sid":"S","#
                    + #""cid":"all","notifType":"T","alertTitle":"","#
                    + #""alertBody":"Contact Updated"}"#
            )
        ),
        MessageCase(
            "c-unknown-field",
            .salesforce(#""fulContent":true"#),
            isStrict: true,
            install: .uid,
            .faults(["unknown_field@fulContent"])
        ),
        MessageCase(
            "the uid is escaped",
            .salesforce(),
            install: #"{"token":"ab","uid":"a\"\u0001/\ud83c\udf89"}"#,
            .body(
                #"{"aps":{"alert":{"title":"","body":"Contact Updated"},"sound":"default"},"#
                    + #""oid":"O","uid":"a\"\u0001/🎉","nid":"N","type":-1,"sid":"S","cid":"all","#
                    + #""notifType":"T","alertTitle":"","alertBody":"Contact Updated"}"#
            )
        ),
        MessageCase(
            "other dialects know nothing of keys",
            #"{"dialect":"apns","aps":{"alert":"x"}}"#,
            install: #"{"token":"ab","publicKey":"?","cipherName":"?"}"#,
            .body(#"{"aps":{"alert":"x"}}"#)
        ),
    ]

    @Test(arguments: rows) func row(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: decisions) func decision(_ row: MessageCase) throws { try row.check() }

    @Test func sizesCountTheLongestUIDAndTheWidestBadge() throws {
        let message = String.salesforce(title: #""\#(times("x", 1800))""#, body: #""b""#)
        let payload = try #require(MessageSource(bytes: Array(message.utf8)).compile().payload)
        let plain = payload.maximumBodySize(
            variant: 0,
            widestBadge: nil,
            longestUID: 10,
            shapes: .plain
        )
        let uid = Array("0123456789".utf8)
        #expect(payload.body(variant: 0, uid: uid.span.bytes).count == plain)
        let room = 4096 - plain
        #expect(payload.checkSizes(longestUID: 10 + room, shapes: .plain) == [])
        let faults = payload.checkSizes(longestUID: 11 + room, shapes: .plain)
        #expect(faults.map(\.code) == [.payloadTooLarge])
        #expect(faults.map(\.path) == [""])
        #expect(
            payload.checkSizes(widestBadge: 9, longestUID: room, shapes: .plain).isEmpty
        )
        #expect(!payload.checkSizes(widestBadge: 9, longestUID: room + 1, shapes: .plain).isEmpty)
    }

    /// The contract's skeleton: 148 bytes with a badge, and 2,687 bytes of content at most (S18).
    @Test func sealedSizesAreTheContracts() throws {
        let message = String.salesforce(#""badge":3,"custom":{"x":""}"#)
        let payload = try #require(MessageSource(bytes: Array(message.utf8)).compile().payload)
        let none = payload.contentSize(variant: 0, uid: RawSpan())
        func size(ofContent count: Int) -> Int {
            payload.maximumBodySize(
                variant: 0,
                widestBadge: nil,
                longestUID: count - none,
                shapes: .sealed
            )
        }
        #expect(size(ofContent: none) == 148 + 344 + (16 * (none / 16 + 1) + 2) / 3 * 4)
        #expect(size(ofContent: 2687) == 4076)
        #expect(size(ofContent: 2688) == 4100)
        #expect(payload.checkSizes(longestUID: 2687 - none, shapes: .sealed).isEmpty)
        #expect(payload.checkSizes(longestUID: 2688 - none, shapes: .sealed).count == 1)
    }

    @Test func sizeFaultNamesTheLanguageOfTheLeadingText() throws {
        let message = String.salesforce(
            title: #"{"en":"T","tr":"\#(times("ü", 2000))"}"#,
            body: #"{"en":"B","tr":"B"}"#
        )
        let payload = try #require(MessageSource(bytes: Array(message.utf8)).compile().payload)
        for shapes in [BodyShapes.plain, .sealed, .all] {
            #expect(payload.checkSizes(shapes: shapes).map(\.path) == ["body.tr"])
        }
    }
}

extension String {
    /// A message of the dialect salesforce with the texts of S1 and these fields.
    static func salesforce(
        title: String = #""Contact Updated""#,
        body: String = #""Jane""#,
        _ fields: String = ""
    ) -> String {
        #"{"dialect":"salesforce","title":\#(title),"body":\#(body),"oid":"O","nid":"N","sid":"S","#
            + #""notifType":"T"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
    }

    static func salesforce(_ fields: String) -> String {
        salesforce(title: #""Contact Updated""#, body: #""Jane""#, fields)
    }

    /// An install without a key.
    fileprivate static let uid = #"{"token":"ab","uid":"U"}"#
}

extension MessageCase.Expectation {
    /// The plain body of ``String/salesforce(_:)`` with more at its end.
    fileprivate static func salesforce(_ rest: String) -> Self {
        .body(
            #"{"aps":{"alert":{"title":"","body":"Contact Updated"},"sound":"default"},"#
                + #""oid":"O","uid":"U","nid":"N","type":-1,"sid":"S","cid":"all","#
                + #""notifType":"T","alertTitle":"","alertBody":"Contact Updated"\#(rest)}"#
        )
    }
}
