import CJSON

/// Says in one sentence where a text stops being JSON, what was expected there, and the mend.
///
/// It names the mends of the faults that people really make (contract 10.5).
struct JSONExplanation {
    let bytes: [UInt8]
    /// Where the offending token starts, or within a string the offending byte.
    let offset: Int
    let expected: cps_json_expectation
    /// What the lexer said about a token that is no JSON.
    let detail: String

    init(bytes: [UInt8], offset: Int, expected: cps_json_expectation, detail: String) {
        self.bytes = bytes
        self.offset = min(offset, bytes.count)
        self.expected = expected
        self.detail = detail
    }

    /// The line and the column, both from 1; a column is a character, not a byte.
    var place: String {
        var line = 1
        var column = 1
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for byte in bytes[min(start, offset)..<offset] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return "line \(line), column \(column)"
    }

    var unicodeMessage: String {
        if detail.contains("surrogate") {
            return "\(place): expected both halves of a surrogate pair, found one; write both "
                + "\\u escapes or the character itself"
        }
        return "\(place): expected UTF-8, found bytes that are none; save the file as UTF-8"
    }

    var syntaxMessage: String {
        let found = foundText
        let head = "\(place): expected \(expectedText), found \(found)"
        guard let mend else { return head }
        return "\(head); \(mend)"
    }

    private var isInString: Bool { detail.hasPrefix("invalid string") }

    private var isAtEnd: Bool { offset >= bytes.count }

    private func byte(_ distance: Int = 0) -> UInt8 {
        bytes.indices.contains(offset + distance) ? bytes[offset + distance] : 0
    }

    private var expectedText: String {
        if isInString {
            if detail.contains("4 hex digits") { return "four hex digits after \\u" }
            if detail.contains("backslash") {
                return "one of \" \\ / b f n r t u after a backslash"
            }
            return "the closing \" of a string"
        }
        if detail.hasPrefix("invalid number"), let digit = detail.firstRange(of: "digit") {
            return String(detail[digit.lowerBound...])
        }
        switch expected {
        case CPS_JSON_EXPECTED_VALUE_OR_ARRAY_END: return "a value or ]"
        case CPS_JSON_EXPECTED_COMMA_OR_ARRAY_END: return ", or ]"
        case CPS_JSON_EXPECTED_KEY: return "a key in double quotes"
        case CPS_JSON_EXPECTED_KEY_OR_OBJECT_END: return "a key in double quotes or }"
        case CPS_JSON_EXPECTED_COLON: return ": behind the key"
        case CPS_JSON_EXPECTED_COMMA_OR_OBJECT_END: return ", or }"
        case CPS_JSON_EXPECTED_END_OF_TEXT: return "the end of the text"
        default: return "a value"
        }
    }

    private var foundText: String {
        if isAtEnd { return "the end of the text" }
        switch byte() {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return "a line break"
        case UInt8(ascii: "\t"): return "a tab"
        case 0..<0x20, 0x7F, 0x80..<0xC0: return "the byte \(byte())"
        default: break
        }
        let token = word.isEmpty ? scalar : word
        return token.isEmpty ? "the byte \(byte())" : token
    }

    /// The letters and digits that start at the offset, at most 20.
    private var word: String {
        let letters = bytes[offset...].prefix(20).prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
            default: false
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The character at the offset, empty where the bytes are no UTF-8.
    private var scalar: String {
        for length in 1...4 where offset + length <= bytes.count {
            if let text = String(validating: bytes[offset..<offset + length], as: UTF8.self) {
                return text
            }
        }
        return ""
    }
}

extension JSONExplanation {
    private static let curlyQuotes: [String] = [
        "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{2033}", "\u{00AB}", "\u{00BB}",
        "\u{2018}", "\u{2019}", "\u{201A}", "\u{FF02}",
    ]

    /// What to do about the fault, nil where nothing better than the expectation is known.
    private var mend: String? {
        if isInString { return stringMend }
        if detail.hasPrefix("invalid number") { return nil }
        if Self.curlyQuotes.contains(where: { $0.hasSameBytes(as: scalar) }) {
            return "write a straight \" instead of the curly quote \(scalar)"
        }
        switch byte() {
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/") || byte(1) == UInt8(ascii: "*"),
            UInt8(ascii: "#"):
            return "remove the comment, JSON has none"
        case UInt8(ascii: "'"): return "write double quotes instead of single ones"
        default: break
        }
        if isAtEnd { return bytes.isEmpty ? "the file is empty" : endMend }
        return separatorMend ?? wordMend
    }

    private var endMend: String? {
        switch expected {
        case CPS_JSON_EXPECTED_COMMA_OR_ARRAY_END: "close the array with ]"
        case CPS_JSON_EXPECTED_COMMA_OR_OBJECT_END: "close the object with }"
        default: "the text is cut off"
        }
    }

    private var stringMend: String? {
        if let curly = curlyQuoteInOpenString {
            return "write a straight \" instead of the curly quote \(curly)"
        }
        if detail.contains("missing closing quote") { return "close the string" }
        if detail.contains("control character") {
            return "close the string, or write \\n for a line break and \\t for a tab in it"
        }
        if detail.contains("backslash") { return "write \\\\ for a backslash" }
        return nil
    }

    /// Faults around commas, colons and closing brackets.
    private var separatorMend: String? {
        let found = byte()
        let isClosing = found == UInt8(ascii: "}") || found == UInt8(ascii: "]")
        switch expected {
        case CPS_JSON_EXPECTED_KEY:
            if isClosing { return "remove the comma before it" }
            if found == UInt8(ascii: ",") { return "remove one comma" }
        case CPS_JSON_EXPECTED_VALUE:
            if isClosing || found == UInt8(ascii: ",") {
                return previousByte == UInt8(ascii: ",")
                    ? "remove the comma before it" : "write a value behind the colon"
            }
        case CPS_JSON_EXPECTED_COLON:
            if let curly = curlyQuoteInLastString { return curly }
            if found == UInt8(ascii: "=") { return "write : instead of =" }
            return "put a colon between the key and its value"
        case CPS_JSON_EXPECTED_COMMA_OR_ARRAY_END, CPS_JSON_EXPECTED_COMMA_OR_OBJECT_END:
            return missingCommaMend
        case CPS_JSON_EXPECTED_END_OF_TEXT:
            if isClosing { return "remove it, everything is closed already" }
            if found == UInt8(ascii: "{") { return "a text holds one object" }
        default: break
        }
        return nil
    }

    private var missingCommaMend: String? {
        let found = byte()
        let isDigit = (0x30...0x39).contains(found)
        if isDigit, offset > 0, bytes[offset - 1] == UInt8(ascii: "0") {
            return "a number does not start with 0"
        }
        if !word.isEmpty, !isDigit, let curly = curlyQuoteInLastString { return curly }
        let startsValue = "\"{[-".utf8.contains(found) || !word.isEmpty
        if startsValue { return "put a comma before it" }
        if found == UInt8(ascii: ";") { return "write a comma instead of ;" }
        if found == UInt8(ascii: ":") { return "put the key in an object" }
        return nil
    }

    /// Words and signs that are no JSON.
    private var wordMend: String? {
        switch expected {
        case CPS_JSON_EXPECTED_KEY, CPS_JSON_EXPECTED_KEY_OR_OBJECT_END:
            return word.isEmpty ? nil : "put the key in double quotes"
        case CPS_JSON_EXPECTED_VALUE, CPS_JSON_EXPECTED_VALUE_OR_ARRAY_END:
            switch word.lowercased() {
            case "": break
            case "true", "false", "null", "none", "nil", "undefined", "nan", "infinity":
                return "the only words are true, false and null"
            default: return "put text in double quotes"
            }
            switch byte() {
            case UInt8(ascii: "+"), UInt8(ascii: "."):
                return "a number starts with a digit or -"
            default: return nil
            }
        default: return nil
        }
    }

    private var previousByte: UInt8 {
        bytes[..<offset].last { !" \t\r\n".utf8.contains($0) } ?? 0
    }

    /// The mend where the last string before the offset swallowed a curly quote.
    private var curlyQuoteInLastString: String? {
        lastString.curlyQuote.map { "write a straight \" instead of the curly quote \($0)" }
    }

    private var curlyQuoteInOpenString: String? {
        let last = lastString
        return last.isOpen ? last.curlyQuote : nil
    }

    /// The last string that starts before the offset.
    private var lastString: (isOpen: Bool, curlyQuote: String?) {
        var start = 0
        var end = 0
        var isOpen = false
        var isEscaped = false
        for index in 0..<offset {
            if isEscaped {
                isEscaped = false
            } else if isOpen, bytes[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if bytes[index] == UInt8(ascii: "\"") {
                if isOpen { end = index } else { start = index + 1 }
                isOpen.toggle()
            }
        }
        let content = String(
            decoding: bytes[start..<(isOpen ? offset : max(start, end))],
            as: UTF8.self
        )
        let curly = content.unicodeScalars.first { scalar in
            Self.curlyQuotes.contains { $0.unicodeScalars.first == scalar }
        }
        return (isOpen, curly.map { String($0) })
    }
}
