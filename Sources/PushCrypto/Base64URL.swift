/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
public enum Base64URL {
    /// Encodes bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The text.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group: UInt32 = 0
            for offset in 0..<3 {
                group = group << 8 | (offset < count ? UInt32(bytes[index + offset]) : 0)
            }
            for digit in 0...count {
                text.append(self.digit(UInt8(truncatingIfNeeded: group >> (18 - 6 * digit)) & 63))
            }
            index += count
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text, strictly: no padding, no other characters, no unused bits set.
    ///
    /// - Parameter text: The text's ASCII bytes.
    /// - Returns: The bytes; nil where the text is not Base64URL.
    public static func decode(_ text: RawSpan) -> [UInt8]? {
        guard text.byteCount % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.byteCount * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for index in 0..<text.byteCount {
            guard let value = value(text.unsafeLoad(fromByteOffset: index, as: UInt8.self)) else {
                return nil
            }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            bits &= (1 << bitCount) - 1
        }
        return bits == 0 ? bytes : nil
    }

    /// Decodes text as ``decode(_:)-(RawSpan)`` does.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes; nil where the text is not Base64URL.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8).span.bytes)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
