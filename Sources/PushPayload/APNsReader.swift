/// Reads bodies of the dialect apns: what an app finds in Apple's own payload.
enum APNsReader {
    static func read(_ payload: JSONObject) -> PayloadReading {
        let shown = ShownAlert(of: payload)
        var properties: [JSONObject.Member] = []
        if let subtitle = shown.subtitle {
            properties.append(.init(key: "subtitle", value: .string(subtitle)))
        }
        if let aps = payload["aps"]?.objectValue {
            properties += aps.members(of: ApsKey.names.filter { $0 != ApsKey.alert.rawValue })
        }
        let custom = payload.members.filter { $0.key != "aps" }
        properties.append(.init(key: "custom", value: .object(JSONObject(custom))))
        return PayloadReading(
            dialect: .apns,
            title: shown.title,
            body: shown.body,
            properties: properties,
            userInfo: payload
        )
    }
}
