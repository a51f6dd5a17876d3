/// Finds members of a small JSON object whose interesting values are strings and numbers.
///
/// Nested values are skipped by their brackets alone; a text that does not look like an object
/// has no members. Meant for the two parts of a JSON web token, which are read once a connection.
struct FlatJSONObject {
    /// A value of a member.
    enum Value: Equatable {
        /// The bytes between the quotes, escapes as written.
        case string([UInt8])
        /// A number or literal as written.
        case bare([UInt8])
        /// An object or array.
        case nested
    }

    private(set) var members: [(name: [UInt8], value: Value)] = []

    /// Reads an object; nil where `bytes` are not one.
    init?(_ bytes: [UInt8]) {
        var scanner = Scanner(bytes: bytes)
        guard scanner.take(UInt8(ascii: "{")) else { return nil }
        if !scanner.take(UInt8(ascii: "}")) {
            repeat {
                guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")),
                    let value = scanner.value()
                else { return nil }
                members.append((name, value))
            } while scanner.take(UInt8(ascii: ","))
            guard scanner.take(UInt8(ascii: "}")) else { return nil }
        }
        guard scanner.isAtEnd else { return nil }
    }

    /// The value of the one member called `name`; nil where there is none, or more than one.
    subscript(name: String) -> Value? {
        let found = members.filter { $0.name.elementsEqual(name.utf8) }
        return found.count == 1 ? found[0].value : nil
    }
}

private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return position == bytes.count
        }
    }

    private mutating func skipBlanks() {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        while position < bytes.count, blanks.contains(bytes[position]) { position += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func string() -> [UInt8]? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return Array(bytes[start..<position - 1])
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    mutating func value() -> FlatJSONObject.Value? {
        skipBlanks()
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested() ? .nested : nil
        default: return bare()
        }
    }

    private mutating func bare() -> FlatJSONObject.Value? {
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                position += 1
            default:
                return position > start ? .bare(Array(bytes[start..<position])) : nil
            }
        }
        return nil
    }

    private mutating func skipNested() -> Bool {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard string() != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
                if depth == 0 { return true }
            default: position += 1
            }
        }
        return false
    }
}
