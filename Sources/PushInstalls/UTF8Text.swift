/// Checks bytes for UTF-8 without allocating.
enum UTF8Text {
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return isValidSlowly(bytes, from: offset) }
            offset &+= 8
        }
        while offset < bytes.count {
            if bytes[offset] & 0x80 != 0 { return isValidSlowly(bytes, from: offset) }
            offset &+= 1
        }
        return true
    }

    private static func isValidSlowly(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        return rest.withMemoryRebound(to: UInt8.self) { text in
            (try? UTF8Span(validating: text.span)) != nil
        }
    }
}
