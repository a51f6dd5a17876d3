import Glibc
import PushBuffers
import PushModel

/// Parts of a line of JSON; whoever calls has seen to the room for them.
extension OutputRawSpan {
    /// Appends text as it is.
    mutating func append(_ text: StaticString) {
        append(
            contentsOf: RawSpan(
                _unsafeBytes: UnsafeRawBufferPointer(
                    start: text.utf8Start,
                    count: text.utf8CodeUnitCount
                )
            )
        )
    }

    /// Appends a number's decimal digits, at least so many of them.
    mutating func append(decimal value: UInt64, minimumDigits: Int = 1) {
        var count = 1
        var rest = value / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        count = max(count, minimumDigits)
        rest = value
        withUnsafeMutableBytes { memory, initialized in
            var offset = initialized + count
            initialized = offset
            for _ in 0..<count {
                offset -= 1
                memory[offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    /// Appends a JSON string, without the provider tokens in it.
    ///
    /// Bytes that are not UTF-8 are read as Latin-1. Takes at most six bytes for each byte, and two.
    mutating func append(quoted text: RawSpan) {
        append(UInt8(ascii: "\""), as: UInt8.self)
        text.withUnsafeBytes { bytes in
            if Self.isPlain(bytes), ProviderTokenFinder.find(in: bytes, from: 0) == nil {
                return append(contentsOf: text)
            }
            let isASCII = bytes.allSatisfy { $0 < 0x80 }
            let isUTF8 = isASCII || String(validating: bytes, as: UTF8.self) != nil
            appendWithoutTokens(bytes) { part, output in
                output.append(escaped: part, isUTF8: isUTF8)
            }
        }
        append(UInt8(ascii: "\""), as: UInt8.self)
    }

    /// Appends JSON text, without line breaks and without the provider tokens in it.
    ///
    /// A line break can only stand between two tokens of JSON, where a blank does as well.
    mutating func append(json text: RawSpan) {
        text.withUnsafeBytes { bytes in
            appendWithoutTokens(bytes) { part, output in
                let start = output.byteCount
                output.append(contentsOf: RawSpan(_unsafeBytes: part))
                output.withUnsafeMutableBytes { destination, initialized in
                    let copy = UnsafeMutableRawBufferPointer(
                        rebasing: destination[start..<initialized]
                    )
                    Self.replace(UInt8(ascii: "\n"), in: copy)
                    Self.replace(UInt8(ascii: "\r"), in: copy)
                }
            }
        }
    }

    /// Calls `write` for what lies between provider tokens, and puts a word in the place of each.
    private mutating func appendWithoutTokens(
        _ bytes: UnsafeRawBufferPointer,
        _ write: (UnsafeRawBufferPointer, inout OutputRawSpan) -> Void
    ) {
        var start = 0
        while let token = ProviderTokenFinder.find(in: bytes, from: start) {
            write(UnsafeRawBufferPointer(rebasing: bytes[start..<token.lowerBound]), &self)
            append(ProviderTokenFinder.replacement)
            start = token.upperBound
        }
        write(UnsafeRawBufferPointer(rebasing: bytes[start...]), &self)
    }

    private mutating func append(escaped text: UnsafeRawBufferPointer, isUTF8: Bool) {
        var plainStart = 0
        func isPlain(_ byte: UInt8) -> Bool {
            byte >= 0x80 ? isUTF8 : byte != 0x7F && JSONEscapes.extraBytes(of: byte) == 0
        }
        for (offset, byte) in text.enumerated() where !isPlain(byte) {
            append(
                contentsOf: RawSpan(
                    _unsafeBytes: UnsafeRawBufferPointer(rebasing: text[plainStart..<offset])
                )
            )
            plainStart = offset + 1
            append(UInt8(ascii: "\\"), as: UInt8.self)
            if byte < 0x80, let letter = JSONEscapes.shortEscape(of: byte) {
                append(letter, as: UInt8.self)
            } else {
                append("u00")
                append(Self.hexDigit(byte >> 4), as: UInt8.self)
                append(Self.hexDigit(byte & 15), as: UInt8.self)
            }
        }
        append(
            contentsOf: RawSpan(
                _unsafeBytes: UnsafeRawBufferPointer(rebasing: text[plainStart...])
            )
        )
    }

    /// Whether all bytes stand for themselves in a string: ASCII without controls, `"` and `\`.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var found: UInt64 = 0
        var offset = 0
        while offset + 8 <= text.count {
            found |= escapes(in: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < text.count {
            found |= escapes(in: UInt64(text[offset]) | 0x2020_2020_2020_2000)
            offset += 1
        }
        return found == 0
    }

    /// Not 0 where one of eight bytes needs an escape or is not ASCII.
    @inline(__always)
    private static func escapes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        // A byte that is the one looked for becomes 0, and from 0 alone 1 cannot be taken.
        let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let delete = word ^ ones &* 0x7F
        let found =
            ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
            | ((backslash &- ones) & ~backslash) | ((delete &- ones) & ~delete) | word
        return found & highBits
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func replace(_ old: UInt8, in text: UnsafeMutableRawBufferPointer) {
        var start = 0
        while start < text.count, let base = text.baseAddress,
            let found = memchr(base + start, CInt(old), text.count - start)
        {
            found.storeBytes(of: UInt8(ascii: " "), as: UInt8.self)
            start = found - base + 1
        }
    }
}
