import Foundation

/// A JSON value to look things up in; what is not there is ``absent``.
enum JSONNode: Decodable, Equatable {
    case object([String: JSONNode])
    case array([JSONNode])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
    case absent

    init(_ data: Data) throws { self = try JSONDecoder().decode(JSONNode.self, from: data) }

    init(_ text: String) throws { try self.init(Data(text.utf8)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONNode].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONNode].self))
        }
    }

    subscript(key: String) -> JSONNode {
        if case .object(let members) = self { members[key] ?? .absent } else { .absent }
    }

    subscript(index: Int) -> JSONNode {
        elements.indices.contains(index) ? elements[index] : .absent
    }

    var elements: [JSONNode] { if case .array(let elements) = self { elements } else { [] } }

    var members: [String: JSONNode] {
        if case .object(let members) = self { members } else { [:] }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var int: Int? { number.flatMap { Int(exactly: $0) } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// How many pushes of a run ended in which way, as its result tells.
struct Account: Equatable {
    var audience: Int?
    var accepted: Int?
    var rejected: [String: Int]
    var unknown: Int?
    var neverSent: Int?

    init(of run: JSONNode) {
        let account = run["account"]
        audience = account["audience"].int
        accepted = account["accepted"].int
        rejected = account["rejected"].members.compactMapValues(\.int)
        unknown = account["unknown"].int
        neverSent = account["neverSent"].int
    }

    /// The account of an audience that took every push.
    init(allAccepted count: Int) {
        audience = count
        accepted = count
        rejected = [:]
        unknown = 0
        neverSent = 0
    }

    /// Whether every push ended exactly once.
    var addsUp: Bool {
        guard let audience, let accepted, let unknown, let neverSent else { return false }
        return accepted + rejected.values.reduce(0, +) + unknown + neverSent == audience
    }
}

extension Program.Outcome {
    /// Its stdout as one JSON document.
    func json() throws -> JSONNode { try JSONNode(stdout) }

    /// The account of its first run, its stdout being a result.
    func account() throws -> Account { Account(of: try json()["runs"][0]) }

    /// Each line of stderr as a JSON object.
    func faults() throws -> [JSONNode] { try errorLines.map { try JSONNode($0) } }
}
