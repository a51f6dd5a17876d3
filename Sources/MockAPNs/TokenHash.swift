import PushModel

/// Spreads a device token's hex digits over 64 bits; letters of either case are the same token.
enum TokenHash {
    /// The hash of a token's digits.
    static func of(_ token: RawSpan) -> UInt64 { token.withUnsafeBytes { of($0) } }

    /// The hash of a token's digits.
    static func of(_ token: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: token.count)
        var offset = 0
        // Bit 0x20 makes letters lowercase and leaves digits as they are.
        while offset &+ 8 <= token.count {
            let word = token.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = SplitMix64.mix(hash ^ (word | 0x2020_2020_2020_2020))
            offset &+= 8
        }
        while offset < token.count {
            hash = SplitMix64.mix(hash ^ UInt64(token[offset] | 0x20))
            offset &+= 1
        }
        return hash
    }
}
