/// Which bytes of a text travel escaped, and what that costs (contract 6.1, RFC 8259 section 7):
/// `"`, `\` and the control characters U+0000 to U+001F, all else is raw UTF-8.
public enum JSONEscapes {
    // Inlinable throughout: these run for each byte of a uid while a body is rendered.

    /// The length that raw bytes of a text take once they are escaped.
    ///
    /// - Parameter text: The text in UTF-8, without quotes.
    /// - Returns: The length in bytes.
    @inlinable
    public static func byteCount(of text: RawSpan) -> Int {
        var count = text.byteCount
        for offset in 0..<text.byteCount {
            count &+= extraBytes(of: text.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        return count
    }

    /// How many bytes the escape of `byte` takes beyond the byte itself.
    @inlinable
    @inline(__always)
    public static func extraBytes(of byte: UInt8) -> Int {
        if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") { return 0 }
        return shortEscape(of: byte) == nil ? 5 : 1
    }

    /// The letter after the backslash where JSON has a short escape for `byte`.
    @inlinable
    public static func shortEscape(of byte: UInt8) -> UInt8? {
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
}
