import PushModel

/// Spreads a device token's hex digits over 64 bits; letters of either case are the same token.
enum TokenHash {
    /// The hash of a token's digits.
    static func of(_ token: RawSpan) -> UInt64 {
        let count = token.byteCount
        var hash = UInt64(truncatingIfNeeded: count)
        var offset = 0
        // Bit 0x20 makes letters lowercase and leaves digits as they are.
        while offset &+ 8 <= count {
            let word = token.unsafeLoadUnaligned(
                fromUncheckedByteOffset: offset,
                as: UInt64.self
            )
            hash = SplitMix64.mix(hash ^ (word | 0x2020_2020_2020_2020))
            offset &+= 8
        }
        while offset < count {
            let byte = token.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
            hash = SplitMix64.mix(hash ^ UInt64(byte | 0x20))
            offset &+= 1
        }
        return hash
    }
}
