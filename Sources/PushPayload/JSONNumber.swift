/// A JSON number, kept as written: an integer never becomes a double (contract 11 `c-number`).
public enum JSONNumber: Equatable, Sendable {
    /// An integer that fits 64 bits with a sign.
    case integer(Int64)
    /// An integer above `Int64.max` that fits 64 bits.
    case unsigned(UInt64)
    /// A number that was written with a point or an exponent.
    case double(Double)
    /// An integer past 64 bits, as written.
    case bigInteger(String)
    /// A number with a point or an exponent past the range of a double, as written.
    case bigDouble(String)

    /// Whether 64 bits hold the number; one that they do not hold cannot be sent.
    public var isRepresentable: Bool {
        switch self {
        case .integer, .unsigned, .double: true
        case .bigInteger, .bigDouble: false
        }
    }

    /// The number as a double; infinite where none holds it.
    public var doubleValue: Double {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .bigInteger(let text), .bigDouble(let text):
            text.utf8.first == UInt8(ascii: "-") ? -.infinity : .infinity
        }
    }

    /// The text that is sent: integers as digits, doubles by RFC 8785; others as written.
    public var text: String {
        switch self {
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): Self.ecmaScriptText(of: value)
        case .bigInteger(let text), .bigDouble(let text): text
        }
    }

    /// Writes a double as ECMAScript's `Number.prototype.toString` does (RFC 8785 section 3.2.2.3).
    ///
    /// - Parameter value: A finite double.
    /// - Returns: The shortest digits that read back as the same double; `-0.0` is `0`.
    static func ecmaScriptText(of value: Double) -> String {
        if value == 0 { return "0" }
        let (digits, exponent) = shortestDigits(of: value.magnitude)
        let sign = value < 0 ? "-" : ""
        let zero: Character = "0"
        switch exponent {
        case digits.count...21:
            return sign + digits + String(repeating: zero, count: exponent - digits.count)
        case 1...21:
            return sign + digits.prefix(exponent) + "." + digits.dropFirst(exponent)
        case -5...0:
            return sign + "0." + String(repeating: zero, count: -exponent) + digits
        default:
            let power = exponent - 1
            let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
            return sign + digits.prefix(1) + fraction + "e" + (power < 0 ? "-" : "+")
                + String(power.magnitude)
        }
    }

    /// The significant digits of a positive double, and where its point stands behind the first.
    ///
    /// Swift's description gives the same digits as ECMAScript, laid out in another way.
    private static func shortestDigits(of value: Double) -> (digits: String, exponent: Int) {
        var digits: [UInt8] = []
        var exponent = 0
        var hasPoint = false
        var isPower = false
        var power = 0
        var powerSign = 1
        for byte in value.description.utf8 {
            switch byte {
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"): isPower = true
            case UInt8(ascii: "-"): powerSign = -1
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isPower {
                    power = power * 10 + Int(byte - UInt8(ascii: "0"))
                } else {
                    let isLeadingZero = digits.isEmpty && byte == UInt8(ascii: "0")
                    if !isLeadingZero { digits.append(byte) }
                    if !hasPoint {
                        if !isLeadingZero { exponent += 1 }
                    } else if isLeadingZero {
                        exponent -= 1
                    }
                }
            default: break
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (String(decoding: digits, as: UTF8.self), exponent + powerSign * power)
    }
}
