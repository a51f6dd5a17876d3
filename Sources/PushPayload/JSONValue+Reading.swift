/// How Foundation looks at a JSON value: what is not of the wanted type is not there.
extension JSONValue {
    var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var objectValue: JSONObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// A number without point or exponent.
    var integerValue: JSONValue? {
        switch self {
        case .number(.integer), .number(.unsigned): self
        default: nil
        }
    }

    /// What `boolValue` says of it (contract 11 `c-sf-decode`); what has none is not true.
    var isTrue: Bool {
        switch self {
        case .bool(let isOn): isOn
        case .number(let number): number.doubleValue != 0
        case .string(let text): Self.isTrue(text)
        case .null, .array, .object: false
        }
    }

    /// NSString's rule: white space, a sign and zeros are skipped, then Y, T or 1 to 9 is true.
    private static func isTrue(_ text: String) -> Bool {
        var rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        if rest.first == "+" || rest.first == "-" { rest = rest.dropFirst() }
        guard let first = rest.first(where: { $0 != "0" }) else { return false }
        return "YyTt123456789".unicodeScalars.contains(first)
    }
}

extension JSONObject {
    /// Puts a value under a key: in the place of the old one, else at the end.
    mutating func set(_ key: String, to value: JSONValue) {
        if let index = members.firstIndex(where: { $0.key.hasSameBytes(as: key) }) {
            members[index].value = value
        } else {
            members.append(Member(key: key, value: value))
        }
    }

    mutating func remove(_ key: String) {
        members.removeAll { $0.key.hasSameBytes(as: key) }
    }

    /// The members of these keys that are there, in this order, each under its key.
    func members(of keys: [String]) -> [Member] {
        keys.compactMap { key in self[key].map { Member(key: key, value: $0) } }
    }
}

/// The visible texts in `aps.alert`, which is a text or a dictionary.
struct ShownAlert {
    var title: String?
    var subtitle: String?
    var body: String?

    init(of payload: JSONObject) {
        switch payload["aps"]?.objectValue?["alert"] {
        case .string(let text): body = text
        case .object(let alert):
            title = alert["title"]?.stringValue
            subtitle = alert["subtitle"]?.stringValue
            body = alert["body"]?.stringValue
        default: break
        }
    }

    /// Whether the device shows a text.
    var isVisible: Bool { [title, subtitle, body].contains { !($0 ?? "").isEmpty } }
}
