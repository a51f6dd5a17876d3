/// The top-level strings and numbers of a small JSON object (RFC 8259), as a token's parts hold
/// them; other values are checked and passed over.
struct FlatJSONObject {
    private enum Value: Equatable {
        case string(String)
        case number(String)
        case other
    }

    private var values: [String: Value] = [:]

    /// Reads `bytes`; nil where they are not one JSON object with every key once.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let values = reader.readDocument() else { return nil }
        self.values = values
    }

    /// The string at `key`; nil where there is none.
    func string(_ key: String) -> String? {
        guard case .string(let text) = values[key] else { return nil }
        return text
    }

    /// The number at `key` without its fraction; nil where there is none, or one past 2^53.
    func integer(_ key: String) -> Int64? {
        guard case .number(let text) = values[key] else { return nil }
        if let whole = Int64(text), whole.magnitude < 1 << 53 { return whole }
        guard let real = Double(text), real.magnitude < 0x1p53 else { return nil }
        return Int64(real)
    }

    private struct Reader {
        /// Deeper nesting is refused: it would only cost stack.
        static let depthLimit = 8
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func readDocument() -> [String: Value]? {
            guard let values = readObject(depth: 0) else { return nil }
            skipSpace()
            return index == bytes.count ? values : nil
        }

        private mutating func readObject(depth: Int) -> [String: Value]? {
            guard take("{") else { return nil }
            var values: [String: Value] = [:]
            if take("}") { return values }
            repeat {
                guard peek() == UInt8(ascii: "\""), let key = readString(), take(":"),
                    let value = readValue(depth: depth + 1),
                    values.updateValue(value, forKey: key) == nil
                else { return nil }
            } while take(",")
            return take("}") ? values : nil
        }

        private mutating func readValue(depth: Int) -> Value? {
            guard depth <= Self.depthLimit else { return nil }
            switch peek() {
            case UInt8(ascii: "\""): return readString().map(Value.string)
            case UInt8(ascii: "{"): return readObject(depth: depth) == nil ? nil : .other
            case UInt8(ascii: "["): return readArray(depth: depth) ? .other : nil
            case UInt8(ascii: "t"): return takeWord("true") ? .other : nil
            case UInt8(ascii: "f"): return takeWord("false") ? .other : nil
            case UInt8(ascii: "n"): return takeWord("null") ? .other : nil
            default: return readNumber().map(Value.number)
            }
        }

        private mutating func readArray(depth: Int) -> Bool {
            guard take("[") else { return false }
            if take("]") { return true }
            repeat {
                guard readValue(depth: depth + 1) != nil else { return false }
            } while take(",")
            return take("]")
        }

        private mutating func readNumber() -> String? {
            let start = index
            takeByte("-")
            let digits = index
            guard takeDigits() else { return nil }
            guard bytes[digits] != UInt8(ascii: "0") || index == digits + 1 else { return nil }
            if takeByte(".") {
                guard takeDigits() else { return nil }
            }
            if takeByte("e") || takeByte("E") {
                if !takeByte("+") { takeByte("-") }
                guard takeDigits() else { return nil }
            }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }

        private mutating func readString() -> String? {
            guard takeByte("\"") else { return nil }
            var text: [UInt8] = []
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = readEscape() else { return nil }
                    text.append(contentsOf: Array(String(scalar).utf8))
                case 0..<0x20: return nil
                default: text.append(byte)
                }
            }
            return nil
        }

        private mutating func readEscape() -> Unicode.Scalar? {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
                return Unicode.Scalar(byte)
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{c}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"): return readCodePoint()
            default: return nil
            }
        }

        private mutating func readCodePoint() -> Unicode.Scalar? {
            guard let unit = readHex() else { return nil }
            guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard takeByte("\\"), takeByte("u"), let trail = readHex(),
                UTF16.isTrailSurrogate(trail)
            else { return nil }
            return Unicode.Scalar(
                0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
            )
        }

        private mutating func readHex() -> UInt16? {
            guard index + 4 <= bytes.count else { return nil }
            let digits = bytes[index..<index + 4]
            // The initialiser would take a sign too.
            guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else {
                return nil
            }
            index += 4
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        }

        private mutating func takeDigits() -> Bool {
            let start = index
            while index < bytes.count,
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
            {
                index += 1
            }
            return index > start
        }

        private mutating func takeWord(_ word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            guard index + count <= bytes.count else { return false }
            let matches = word.withUTF8Buffer { $0.elementsEqual(bytes[index..<index + count]) }
            if matches { index += count }
            return matches
        }

        /// The next byte after space; 0 at the end.
        private mutating func peek() -> UInt8 {
            skipSpace()
            return index < bytes.count ? bytes[index] : 0
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            return takeByte(character)
        }

        @discardableResult
        private mutating func takeByte(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        private mutating func skipSpace() {
            while index < bytes.count {
                switch bytes[index] {
                case 0x20, 0x09, 0x0A, 0x0D: index += 1
                default: return
                }
            }
        }
    }
}
