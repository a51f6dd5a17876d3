/// A JSON value as a message has it: key order kept, numbers as written.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// What the value is, with an article, for the message of a fault.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether the value switches nothing on: null, false or 0.
    var isOff: Bool {
        switch self {
        case .null, .bool(false): true
        case .number(let number): number.doubleValue == 0
        default: false
        }
    }
}

/// A JSON object in the order of its text.
///
/// Keys are compared byte by byte and occur once.
public struct JSONObject: Equatable, Sendable {
    /// One key and its value.
    public struct Member: Equatable, Sendable {
        /// The key as written, after its escapes.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// Makes a member.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members in the order of the text.
    public var members: [Member]

    /// Makes an object of `members`, whose keys must differ.
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of a key; nil where the object has none.
    public subscript(key: String) -> JSONValue? {
        members.first { $0.key.hasSameBytes(as: key) }?.value
    }
}

extension String {
    /// Whether both have the same UTF-8 bytes; `==` also holds for texts that merely look alike.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
