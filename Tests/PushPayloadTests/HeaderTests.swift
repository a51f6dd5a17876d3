import PushModel
import PushPayload
import Testing

/// What goes beside a body: contract 1.2, 1.3, and rows A15, A33 to A35, A37.
@Suite struct HeaderTests {
    private func headers(
        _ aps: String,
        _ fields: String,
        topic: String? = nil
    ) throws -> [String] {
        let source = MessageSource(bytes: Array(String.apns(aps, fields).utf8), topic: topic)
        let rendering = source.render()
        let result = try #require(rendering.result, "\(rendering.faults)")
        return result.headers.fields.map { "\($0.name): \($0.value)" }
    }

    @Test func defaultsByPushType() throws {
        let expected: [PushType: String] = [.background: "5"]
        for pushType in PushType.allCases {
            let aps =
                switch pushType {
                case .background: #"{"content-available":1}"#
                case .liveactivity: #"{"event":"end"}"#
                default: #"{"alert":"x"}"#
                }
            let found = try headers(aps, #""pushType":"\#(pushType.rawValue)""#)
            let priority = expected[pushType] ?? "10"
            #expect(found == ["apns-push-type: \(pushType)", "apns-priority: \(priority)"])
        }
    }

    @Test func carriesWhatTheMessageNames() throws {
        let found = try headers(
            #"{"content-changed":true}"#,
            #""pushType":"controls","priority":5,"expiration":1900000000,"#
                + #""collapseId":"\#(times("ü", 32))","#
                + #""apnsId":"123E4567-E89B-12D3-A456-426655440000""#,
            topic: "com.example.app"
        )
        #expect(
            found == [
                "apns-push-type: controls", "apns-priority: 5",
                "apns-topic: com.example.app.push-type.controls", "apns-expiration: 1900000000",
                "apns-collapse-id: \(times("ü", 32))",
                "apns-id: 123e4567-e89b-12d3-a456-426655440000",
            ]
        )
    }

    @Test func sendsExpirationZero() throws {
        #expect(
            try headers(#"{"alert":"x"}"#, #""expiration":0"#).contains("apns-expiration: 0")
        )
    }

    @Test func takesCollapseIDsOf64Bytes() throws {
        let id = times("a", 64)
        #expect(
            try headers(#"{"alert":"x"}"#, #""collapseId":"\#(id)""#)
                .contains("apns-collapse-id: \(id)")
        )
    }

    @Test func everyDialectKnowsTheDeliveryFields() throws {
        let source = MessageSource(
            bytes: Array(String.contents("x", #""collapseId":"c","priority":5"#).utf8)
        )
        let result = try #require(source.render().result)
        #expect(result.headers.collapseID == "c")
        #expect(result.headers.priority == 5)
    }

    @Test(arguments: ["", "a\nb", "a\u{7F}"])
    func refusesTopicsThatNoHeaderCarries(_ topic: String) {
        let source = MessageSource(bytes: Array(String.contents("x").utf8), topic: topic)
        #expect(source.render().faults.map(\.code) == [.invalidHeaderValue])
    }

    @Test func writesTheDocumentOfRenderJSON() throws {
        let message = String.apns(#"{"alert":{"body":{"sv":"Hej \"du\""}},"foo":1}"#)
        var source = MessageSource(bytes: Array(message.utf8), topic: "com.example.app")
        var rendering = source.render()
        var result = try #require(rendering.result)
        let warning =
            #"{"code":"unknown_aps_key","path":"aps.foo","message":"Apple ignores foo in aps; "#
            + #"put a key of your own beside aps, in custom","severity":"warning"}"#
        #expect(
            result.json(warnings: rendering.warnings)
                == #"{"dialect":"apns","language":"sv","bytes":47,"#
                + #""body":"{\"aps\":{\"alert\":{\"body\":\"Hej \\\"du\\\"\"},\"foo\":1}}","#
                + #""headers":{"apns-push-type":"alert","apns-priority":"10","#
                + #""apns-topic":"com.example.app"},"warnings":[\#(warning)]}"#
        )
        source = MessageSource(bytes: Array(String.apns("{}", #""pushType":"voip""#).utf8))
        rendering = source.render()
        result = try #require(rendering.result)
        #expect(
            result.json(warnings: [])
                == #"{"dialect":"apns","language":null,"bytes":10,"body":"{\"aps\":{}}","#
                + #""headers":{"apns-push-type":"voip","apns-priority":"10","#
                + #""apns-topic-suffix":".voip"},"warnings":[]}"#
        )
    }
}
