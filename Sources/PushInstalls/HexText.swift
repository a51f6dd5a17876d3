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
}
