/// Reads bodies of the dialect xulo: the fields that its SDK hands out (contract 5.1, 5.2).
enum XuloReader {
    static func read(_ payload: JSONObject) -> PayloadReading {
        let shown = ShownAlert(of: payload)
        let custom = payload["custom"]?.objectValue
        var data = custom?["a"]?.objectValue ?? JSONObject()
        let draftID = payload["xulo"]?.objectValue?["draft_id"] ?? data["draft_id"]
        data.remove("draft_id")
        var properties: [JSONObject.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { properties.append(.init(key: key, value: value)) }
        }
        add("text", shown.body.map { .string($0) })
        add("link", custom?["u"]?.stringValue.map { .string($0) })
        add("data", .object(data))
        add("draft_id", draftID?.integerValue)
        add("image", image(of: payload).map { .string($0) })
        add("button", button(of: payload))
        return PayloadReading(
            dialect: .xulo,
            title: shown.title,
            body: shown.body,
            properties: properties,
            userInfo: payload
        )
    }

    /// The attachment; a reader takes the first whatever its id.
    private static func image(of payload: JSONObject) -> String? {
        payload["att"]?.objectValue?.members.lazy.compactMap(\.value.stringValue).first
    }

    /// The first button, by Xulo's names or by OneSignal's, whose id defaults to its text.
    private static func button(of payload: JSONObject) -> JSONValue? {
        for case .object(let button) in payload["buttons"]?.arrayValue ?? [] {
            guard let text = (button["text"] ?? button["n"])?.stringValue else { continue }
            let id = (button["id"] ?? button["i"])?.stringValue ?? text
            return .object(
                JSONObject([
                    .init(key: "id", value: .string(id)), .init(key: "text", value: .string(text)),
                ])
            )
        }
        return nil
    }
}
