public import HTTP2
import PushModel

/// Makes version 4 UUIDs in lowercase without a system call each (RFC 9562 section 5.4).
///
/// The numbers come from SplitMix64: unique for their purpose, not secret. One generator belongs to
/// one loop; two with random seeds do not meet in practice.
public struct UUIDGenerator: Sendable {
    private var numbers: SplitMix64

    /// Makes a generator whose sequence the seed fixes.
    public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// Makes a generator with a seed from the system.
    public init() {
        var system = SystemRandomNumberGenerator()
        numbers = SplitMix64(seed: system.next())
    }

    /// The next UUID's 36 characters.
    public mutating func next() -> ServerResponse.UUIDText {
        let high = numbers.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = numbers.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var text = ServerResponse.UUIDText(repeating: UInt8(ascii: "-"))
        withUnsafeMutableBytes(of: &text) { bytes in
            let first = Self.digits(UInt32(high >> 32))
            let second = Self.digits(UInt32(truncatingIfNeeded: high))
            let third = Self.digits(UInt32(low >> 32))
            let fourth = Self.digits(UInt32(truncatingIfNeeded: low))
            bytes.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: second),
                toByteOffset: 9,
                as: UInt32.self
            )
            bytes.storeBytes(of: UInt32(second >> 32), toByteOffset: 14, as: UInt32.self)
            bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: third),
                toByteOffset: 19,
                as: UInt32.self
            )
            bytes.storeBytes(of: UInt32(third >> 32), toByteOffset: 24, as: UInt32.self)
            bytes.storeBytes(of: fourth, toByteOffset: 28, as: UInt64.self)
        }
        return text
    }

    /// Eight lowercase hex digits, the first in the lowest byte.
    private static func digits(_ value: UInt32) -> UInt64 {
        // Spread the nibbles to a byte each, most significant nibble into the lowest byte.
        var spread = UInt64(value.byteSwapped)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F
        // A nibble over 9 carries into bit 4 once 6 is added; such bytes get 39 more ('a' - '0' - 10).
        let overNine = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ overNine &* 39
    }
}
