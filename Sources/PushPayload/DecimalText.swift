/// Decimal digits without a String.
enum DecimalText {
    /// The bytes that an integer takes in decimal digits, with its sign.
    static func length(of value: Int64) -> Int {
        var rest = value.magnitude
        var length = value < 0 ? 2 : 1
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        return length
    }

    /// Writes the digits to `target` and returns where they end.
    static func write(
        _ value: Int64,
        to target: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let end = target + length(of: value)
        var rest = value.magnitude
        var cursor = end
        repeat {
            cursor -= 1
            let digit = UInt8(truncatingIfNeeded: rest % 10)
            cursor.storeBytes(of: UInt8(ascii: "0") + digit, as: UInt8.self)
            rest /= 10
        } while rest > 0
        if value < 0 { target.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
        return end
    }
}
