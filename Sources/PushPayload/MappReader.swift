/// Reads bodies of the dialect mapp: the properties of its SDK's notification (contract 4).
enum MappReader {
    static func read(_ payload: JSONObject) -> PayloadReading {
        let aps = payload["aps"]?.objectValue ?? JSONObject()
        let shown = ShownAlert(of: payload)
        var properties: [JSONObject.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { properties.append(.init(key: key, value: value)) }
        }
        add("alert", shown.body.map { .string($0) })
        add("subtitle", shown.subtitle.map { .string($0) })
        add("badge", aps["badge"]?.integerValue)
        add("uniqueID", payload["p"]?.integerValue)
        add("extraFields", .object(extraFields(of: payload)))
        add("isRich", .bool(payload["isRich"]?.isTrue ?? false))
        let wakesTheApp = aps["content-available"]?.isTrue ?? false
        add("isSilent", .bool(wakesTheApp && !shown.isVisible))
        add("isTriggerUpdate", .bool(payload["isTriggerUpdate"]?.isTrue ?? false))
        add("media", payload["ios_apx_media"]?.stringValue.map { .string($0) })
        add("pushAction", pushAction(of: payload, category: aps["category"]?.stringValue))
        return PayloadReading(
            dialect: .mapp,
            title: shown.title,
            body: shown.body,
            properties: properties,
            userInfo: payload
        )
    }

    /// What no other property claims, flat or in an object of its own.
    private static func extraFields(of payload: JSONObject) -> JSONObject {
        var fields = JSONObject()
        for member in payload.members where !MappMessage.isReserved(member.key) {
            if member.key == "extraFields", let nested = member.value.objectValue {
                for member in nested.members { fields.set(member.key, to: member.value) }
            } else {
                fields.set(member.key, to: member.value)
            }
        }
        return fields
    }

    /// The category, what a tap opens, and what the buttons do; nil where there is nothing of it.
    private static func pushAction(of payload: JSONObject, category: String?) -> JSONValue? {
        var members: [JSONObject.Member] = []
        if let category {
            members.append(.init(key: "categoryName", value: .string(category)))
            let isOwn = category.utf8.starts(with: MappMessage.reservedPrefix.utf8)
            members.append(.init(key: "isAppoxeeCategory", value: .bool(isOwn)))
        }
        members += targets(of: payload)
        if let elements = payload["buttons"]?.arrayValue {
            let buttons = elements.compactMap(\.objectValue).map(button)
            members.append(.init(key: "buttons", value: .array(buttons)))
        }
        return members.isEmpty ? nil : .object(JSONObject(members))
    }

    /// The actions of an object, under the names that a message gives them.
    private static func targets(of object: JSONObject) -> [JSONObject.Member] {
        MappAction.allCases.compactMap { action in
            object[action.wireKey]?.stringValue.map {
                .init(key: action.rawValue, value: .string($0))
            }
        }
    }

    private static func button(_ button: JSONObject) -> JSONValue {
        var members: [JSONObject.Member] = []
        if let foreground = button["fgAction"]?.objectValue {
            members.append(.init(key: "fg", value: .object(JSONObject(targets(of: foreground)))))
        }
        if let background = button["bgAction"]?.objectValue {
            members.append(.init(key: "bg", value: .object(background)))
        }
        return .object(JSONObject(members))
    }
}
