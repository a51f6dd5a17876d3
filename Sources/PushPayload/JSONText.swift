/// How text travels in a body (contract 6.1, RFC 8259 section 7): only `"`, `\` and the control
/// characters U+0000 to U+001F are escaped, all else is raw UTF-8.
package enum JSONText {
    /// Appends `text` in quotes to `bytes`.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(byte, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends one byte of a text, escaped where it must be.
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        if let short = shortEscape(of: byte) {
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(short)
        } else if byte < 0x20 {
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte))
        } else {
            bytes.append(byte)
        }
    }

    /// Appends a whole value without spaces to `bytes`.
    package static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let text): append(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(member.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// The length that raw bytes of a text take once they are escaped.
    static func escapedByteCount(of text: RawSpan) -> Int {
        var count = text.byteCount
        for offset in text.byteOffsets {
            let byte = text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            count &+= extraBytes(of: byte)
        }
        return count
    }

    /// How many bytes the escape of `byte` takes beyond the byte itself.
    @inline(__always)  // Runs for each byte of a uid while a body is rendered.
    static func extraBytes(of byte: UInt8) -> Int {
        if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") { return 0 }
        return shortEscape(of: byte) == nil ? 5 : 1
    }

    /// The letter after the backslash where JSON has a short escape for `byte`.
    static func shortEscape(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        default: nil
        }
    }

    /// The lowercase hex digit of the low four bits.
    static func hexDigit(_ value: UInt8) -> UInt8 {
        let nibble = value & 15
        return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
