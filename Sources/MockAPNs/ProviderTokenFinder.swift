import Glibc

/// Finds provider tokens (JWT, RFC 7519) in text that goes to a file, so that none is written.
enum ProviderTokenFinder {
    /// What stands in a token's place.
    static let replacement: StaticString = "<token left out>"
    /// No JSON object of a head or of claims is shorter in base64url.
    private static let shortestPart = 16

    /// The first token in `text` from an offset on: three parts of base64url with dots between them,
    /// the first two being JSON objects.
    static func find(in text: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        var offset = start
        while let dot = index(of: UInt8(ascii: "."), in: text, from: offset) {
            offset = dot + 1
            let second = partEnd(in: text, from: dot + 1)
            guard second < text.count, text[second] == UInt8(ascii: "."),
                isObject(text, dot + 1, second)
            else { continue }
            // Other digits may stand before the token, as in `token_eyJ…`.
            var first = partStart(in: text, before: dot, notBefore: start)
            while first < dot, !isObject(text, first, dot) { first += 1 }
            guard first < dot else { continue }
            return first..<partEnd(in: text, from: second + 1)
        }
        return nil
    }

    /// Whether text begins as base64url of `{` and then `"` or white space does.
    private static func isObject(
        _ text: UnsafeRawBufferPointer,
        _ start: Int,
        _ end: Int
    ) -> Bool {
        guard end - start >= shortestPart, text[start] == UInt8(ascii: "e") else { return false }
        let third = text[start + 2]
        switch text[start + 1] {
        case UInt8(ascii: "y"): return "ABIJKL".utf8.contains(third)
        case UInt8(ascii: "w"): return "klop01".utf8.contains(third)
        default: return false
        }
    }

    private static func partStart(
        in text: UnsafeRawBufferPointer,
        before end: Int,
        notBefore start: Int
    ) -> Int {
        var offset = end
        while offset > start, isDigit(text[offset - 1]) { offset -= 1 }
        return offset
    }

    private static func partEnd(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset < text.count, isDigit(text[offset]) { offset += 1 }
        return offset
    }

    /// Whether a byte is a digit of base64url.
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func index(
        of byte: UInt8,
        in text: UnsafeRawBufferPointer,
        from start: Int
    ) -> Int? {
        guard start < text.count, let base = text.baseAddress else { return nil }
        guard let found = memchr(base + start, CInt(byte), text.count - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
