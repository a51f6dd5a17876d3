import PushModel
import Testing

@testable import PushPayload

/// What apps of the other dialects read, and that nothing makes a reader crash.
@Suite(.timeLimit(.minutes(5))) struct PayloadReaderTests {
    static let rows: [(Dialect, String, String)] = [
        (
            .apns,
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"sound":"s","badge":0},"k":1}"#,
            #"{"dialect":"apns","title":"T","body":"B","subtitle":"S","badge":0,"sound":"s","#
                + #""custom":{"k":1},"userInfo":{"aps":{"alert":{"title":"T","subtitle":"S","#
                + #""body":"B"},"sound":"s","badge":0},"k":1}}"#
        ),
        (
            .apns, #"{"aps":{"alert":"B"}}"#,
            #"{"dialect":"apns","body":"B","custom":{},"userInfo":{"aps":{"alert":"B"}}}"#
        ),
        (
            .xulo,
            #"{"aps":{"alert":{"body":"B"}},"custom":{"a":{"x":"1","draft_id":7},"u":"a:b"},"#
                + #""att":{"id":"https://e.example/i"},"buttons":[{"id":"i","text":"t"}],"#
                + #""xulo":{"draft_id":7}}"#,
            #"{"dialect":"xulo","body":"B","text":"B","link":"a:b","data":{"x":"1"},"draft_id":7,"#
                + #""image":"https://e.example/i","button":{"id":"i","text":"t"},"userInfo":{"aps":"#
                + #"{"alert":{"body":"B"}},"custom":{"a":{"x":"1","draft_id":7},"u":"a:b"},"#
                + #""att":{"id":"https://e.example/i"},"buttons":[{"id":"i","text":"t"}],"#
                + #""xulo":{"draft_id":7}}}"#
        ),
        (
            .mapp,
            #"{"aps":{"alert":{"title":"T","body":"B"},"badge":2,"category":"apx_read_open"},"p":9,"#
                + #""apx_dpl":"a:b","buttons":[{"fgAction":{"apx_url":"u"}},{"bgAction":{"todo":1}}],"#
                + #""isRich":true,"k":"v"}"#,
            #"{"dialect":"mapp","title":"T","body":"B","alert":"B","badge":2,"uniqueID":9,"#
                + #""extraFields":{"k":"v"},"isRich":true,"isSilent":false,"#
                + #""isTriggerUpdate":false,"pushAction":{"categoryName":"apx_read_open","#
                + #""isAppoxeeCategory":true,"deepLink":"a:b","buttons":[{"fg":{"landingPage":"u"}},"#
                + #"{"bg":{"todo":1}}]},"userInfo":{"aps":{"alert":{"title":"T","body":"B"},"#
                + #""badge":2,"category":"apx_read_open"},"p":9,"apx_dpl":"a:b","buttons":["#
                + #"{"fgAction":{"apx_url":"u"}},{"bgAction":{"todo":1}}],"isRich":true,"k":"v"}}"#
        ),
    ]

    private func read(_ dialect: Dialect, _ body: String) throws -> PayloadReading {
        try PayloadReader(dialect: dialect).read(Array(body.utf8))
    }

    @Test(arguments: 0..<rows.count) func readsItsDialect(index: Int) throws {
        let (dialect, body, expected) = Self.rows[index]
        #expect(try read(dialect, body).json == expected)
    }

    // M2: the reader derives isSilent
    @Test(arguments: [
        (#"{"aps":{"content-available":1},"p":1}"#, true),
        (#"{"aps":{"content-available":true,"alert":{"body":""}}}"#, true),
        (#"{"aps":{"content-available":1,"alert":"x"}}"#, false),
        (#"{"aps":{"content-available":0}}"#, false), (#"{"aps":{}}"#, false), ("{}", false),
    ])
    func mappPushesAreSilentWhenTheyShowNothing(body: String, isSilent: Bool) throws {
        #expect(try read(.mapp, body).property("isSilent") == .bool(isSilent))
    }

    @Test func mappExtraFieldsMayBeNested() throws {
        let body = #"{"aps":{},"extraFields":{"a":"1"},"b":"2"}"#
        let fields = try read(.mapp, body).property("extraFields")
        #expect(
            fields
                == .object(
                    JSONObject([
                        .init(key: "a", value: .string("1")), .init(key: "b", value: .string("2")),
                    ])
                )
        )
    }

    @Test func xuloButtonsMayHaveOneSignalsNames() throws {
        func button(_ buttons: String) throws -> JSONValue? {
            try read(.xulo, #"{"buttons":\#(buttons)}"#).property("button")
        }
        let expected = JSONValue.object(
            JSONObject([
                .init(key: "id", value: .string("i")), .init(key: "text", value: .string("t")),
            ])
        )
        #expect(try self.read(.xulo, "{}").property("button") == nil)
        #expect(try button(#"[{"i":"i","n":"t"}]"#) == expected)
        #expect(try button(#"[{"i":"x"},{"i":"i","n":"t"}]"#) == expected)
        #expect(try button(#"[{"n":"t"}]"#)?.objectValue?["id"] == .string("t"))
    }

    @Test(arguments: Dialect.allCases) func refusesWhatIsNoObject(_ dialect: Dialect) {
        let rows = [
            ("", "invalid_json"), ("[]", "wrong_type"), (#"{"a":1,"a":2}"#, "duplicate_key"),
        ]
        for (body, code) in rows {
            do throws(PayloadRefusal) {
                _ = try PayloadReader(dialect: dialect).read(Array(body.utf8))
                Issue.record("\(body) was read")
            } catch { #expect(error.code == code) }
        }
    }

    /// What the samples send reads back as what they say.
    @Test(arguments: Dialect.allCases) func samplesReadBack(_ dialect: Dialect) throws {
        let payload = try #require(MessageSource(bytes: dialect.sampleMessage).compile().payload)
        for variant in 0..<payload.variantCount {
            let reading = try PayloadReader(dialect: dialect).read(payload.body(variant: variant))
            #expect(reading.title?.contains("🚚") == true)
            #expect(reading.body?.contains("Nordlys") == true || variant == 4)
        }
    }

    @Test(arguments: Dialect.allCases) func randomBytesNeverCrash(_ dialect: Dialect) throws {
        let device = try TestDevice.shared.get()
        let reader = PayloadReader(dialect: dialect, opener: device.opener)
        var random = SplitMix64(seed: 77)
        let payload = try #require(MessageSource(bytes: dialect.sampleMessage).compile().payload)
        var seeds = [payload.body(variant: 0), Array(try device.body().utf8)]
        let keys = [
            "aps", "alert", "title", "body", "secret", "content", "encrypted", "custom", "a", "p",
            "att", "buttons", "xulo", "draft_id", "fgAction", "extraFields", "badge",
        ]
        for _ in 0..<200 { seeds.append(Self.text(keys, depth: 4, &random)) }
        for _ in 0..<600 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.removeLast(bytes.count - place)
                }
            }
            do throws(PayloadRefusal) {
                let reading = try reader.read(bytes)
                #expect(JSONDocument.parse(Array(reading.json.utf8)).isValue)
            } catch {
                #expect(JSONDocument.parse(Array(error.jsonLine.utf8)).isValue)
            }
        }
    }

    /// A random JSON text made of keys that readers look for.
    private static func text(
        _ keys: [String],
        depth: Int,
        _ random: inout SplitMix64
    ) -> [UInt8] {
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
            case 0: .null
            case 1: .bool(Bool.random(using: &random))
            case 2: .number(.integer(Int64.random(in: -3...3, using: &random)))
            case 3: .string(["", "x", "QUJD", "true"].randomElement(using: &random) ?? "")
            case 4: .number(.bigInteger("99999999999999999999"))
            case 5:
                .array((0..<Int.random(in: 0...2, using: &random)).map { _ in value(depth - 1) })
            default:
                .object(
                    JSONObject(
                        keys.shuffled(using: &random).prefix(6).map {
                            JSONObject.Member(key: $0, value: value(depth - 1))
                        }
                    )
                )
            }
        }
        var bytes: [UInt8] = []
        JSONText.append(value(depth), to: &bytes)
        return bytes
    }
}

extension JSONDocument.Outcome {
    fileprivate var isValue: Bool {
        if case .value = self { return true }
        return false
    }
}
