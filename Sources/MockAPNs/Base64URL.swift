/// Base64 with the URL alphabet and no padding, as JSON web tokens use it (RFC 4648 section 5).
enum Base64URL {
    /// The bytes that `text` stands for; nil where it is not canonical base64url.
    static func decode(_ text: RawSpan) -> [UInt8]? {
        guard text.byteCount % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.byteCount * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for offset in text.byteOffsets {
            guard let value = sextet(text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) else {
                return nil
            }
            pending = pending << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        // Bits that are left over must be zero, else two texts would stand for the same bytes.
        guard pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }

    private static func sextet(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
