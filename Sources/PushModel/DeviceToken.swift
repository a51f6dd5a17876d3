/// The rule for the APNs address of an install (contract 1.7).
public enum DeviceToken {
    /// The fewest and the most hex digits a token may have.
    public static let digitCounts = 2...400

    /// Tells whether `text` is a device token: an even number of hex digits, 2 to 400, either case.
    ///
    /// - Parameter text: The token's ASCII bytes.
    /// - Returns: Whether the rule holds.
    public static func isValid(_ text: RawSpan) -> Bool {
        guard digitCounts.contains(text.byteCount), text.byteCount.isMultiple(of: 2) else {
            return false
        }
        return text.withUnsafeBytes { firstNonDigit(in: $0) == nil }
    }

    /// Finds the first byte that is no hex digit, eight at a time.
    ///
    /// - Parameter text: ASCII bytes.
    /// - Returns: Its offset; nil where all are hex digits.
    public static func firstNonDigit(in text: UnsafeRawBufferPointer) -> Int? {
        var offset = 0
        while offset &+ 8 <= text.count {
            let word = UInt64(
                littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            let foreign = nonDigits(in: word)
            if foreign != 0 { return offset &+ foreign.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < text.count {
            // Lifting a byte to all eight places keeps one rule for both loops.
            if nonDigits(in: UInt64(text[offset]) &* 0x0101_0101_0101_0101) != 0 { return offset }
            offset &+= 1
        }
        return nil
    }

    /// The highest bit of each byte that is no hex digit.
    ///
    /// A sum carries into the highest bit where the byte reaches a bound; bytes from 0x80 on are
    /// taken out first, so that no sum spills over.
    private static func nonDigits(in word: UInt64) -> UInt64 {
        let ascii = word & 0x7F7F_7F7F_7F7F_7F7F
        let lower = ascii | 0x2020_2020_2020_2020
        let isDigit = (ascii &+ 0x5050_5050_5050_5050) & ~(ascii &+ 0x4646_4646_4646_4646)
        let isLetter = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x1919_1919_1919_1919)
        return (~(isDigit | isLetter) | word) & 0x8080_8080_8080_8080
    }
}
