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
        for offset in text.byteOffsets {
            switch text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66: continue
            default: return false
            }
        }
        return true
    }
}
