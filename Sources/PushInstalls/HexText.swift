/// Hex digits, eight at a time.
enum HexText {
    /// Writes the 16 lowercase hex digits of a word, the lowest nibble first.
    ///
    /// The order is fixed, so that a population reads the same on machines of either byte order.
    static func store(_ word: UInt64, at target: UnsafeMutableRawPointer) {
        target.storeBytes(of: digits(UInt32(truncatingIfNeeded: word)), as: UInt64.self)
        target.storeBytes(
            of: digits(UInt32(truncatingIfNeeded: word >> 32)),
            toByteOffset: 8,
            as: UInt64.self
        )
    }

    /// Spreads eight nibbles over eight bytes and turns each into its ASCII digit.
    private static func digits(_ half: UInt32) -> UInt64 {
        var spread = UInt64(half)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        // A letter lies 39 places further on than the digit of the same offset from '0' would.
        return (spread &+ 0x3030_3030_3030_3030 &+ isLetter &* 39).littleEndian
    }

    /// The offset of the first byte that is no hex digit; nil where all are.
    static func firstNonDigit(in text: UnsafeRawBufferPointer) -> Int? {
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
