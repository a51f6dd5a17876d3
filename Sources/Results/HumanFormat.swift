/// Numbers as people read them: three significant digits and a unit that keeps them short.
///
/// Independent of the locale, so that scripts and tests see the same everywhere.
public enum HumanFormat {
    /// Groups the digits of a count by threes.
    ///
    /// - Parameter count: The count.
    /// - Returns: For example `200,000`.
    public static func count(_ count: some BinaryInteger) -> String {
        let digits = "\(count)"
        let start = digits.hasPrefix("-") ? 1 : 0
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > start, (digits.count - index) % 3 == 0 {
                text += ","
            }
            text.append(digit)
        }
        return text
    }

    /// A duration.
    ///
    /// - Parameter nanoseconds: The duration.
    /// - Returns: For example `380 ns`, `1.20 ms`, `59.9 s`, `3 min 20 s` or `1 h 05 min`.
    public static func duration(_ nanoseconds: Double) -> String {
        // From 59.95 s on three digits would read as 60.0 s.
        guard nanoseconds >= 59.95e9, nanoseconds < 1e24 else {
            return scaled(nanoseconds, [("ns", 1), ("\u{b5}s", 1e3), ("ms", 1e6), ("s", 1e9)])
        }
        let whole = Int((nanoseconds / 1e9).rounded())
        guard whole >= 3_600 else {
            return "\(whole / 60) min \(padded(whole % 60)) s"
        }
        return "\(count(whole / 3_600)) h \(padded(whole / 60 % 60)) min"
    }

    /// A duration.
    ///
    /// - Parameter nanoseconds: The duration.
    /// - Returns: As for the floating-point one.
    public static func duration(_ nanoseconds: Int64) -> String {
        duration(Double(nanoseconds))
    }

    /// A number per second.
    ///
    /// - Parameter perSecond: The rate.
    /// - Returns: For example `1.23 M/s` or `980 /s`.
    public static func rate(_ perSecond: Double) -> String {
        scaled(perSecond, [("/s", 1), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9)])
    }

    /// A size in decimal units.
    ///
    /// - Parameter bytes: The size.
    /// - Returns: For example `322 B` or `397 MB`.
    public static func bytes(_ bytes: Double) -> String {
        scaled(bytes, [("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)])
    }

    /// A share as a percentage with at most three decimals.
    ///
    /// Nothing but 1 reads as 100% and nothing but 0 as 0%.
    ///
    /// - Parameter share: 0 to 1.
    /// - Returns: For example `99.995%`.
    public static func percent(_ share: Double) -> String {
        if share > 0, share < 0.000_005 {
            return "<0.001%"
        }
        if share < 1, share > 0.999_995 {
            return ">99.999%"
        }
        var text = fixed(share * 100, decimals: 3)
        while text.contains("."), let last = text.last, last == "0" || last == "." {
            text.removeLast()
        }
        return text + "%"
    }

    /// A share as a whole percentage, rounded down so that 100% means all.
    ///
    /// - Parameter share: 0 to 1; what lies outside counts as the nearer end.
    /// - Returns: For example `61%`.
    public static func wholePercent(_ share: Double) -> String {
        share > 0 ? "\(Int(min(share, 1) * 100))%" : "0%"
    }

    /// A number with three significant digits, or all of its whole digits.
    ///
    /// - Parameter value: The number.
    /// - Returns: For example `0`, `0.12`, `1.20`, `98.7` or `1200`.
    public static func significant(_ value: Double) -> String {
        // The borders are where rounding gives one digit more.
        let magnitude = abs(value)
        guard value != 0 else {
            return "0"
        }
        return fixed(value, decimals: magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0)
    }

    private static func scaled(_ value: Double, _ units: [(name: String, factor: Double)]) -> String
    {
        // 999.5 of a unit would read as 1000: it is 1.00 of the next.
        let unit = units.first { abs(value) / $0.factor < 999.5 } ?? units[units.count - 1]
        let number = value / unit.factor
        // The smallest unit has no parts worth telling, unless the value is all parts.
        let isWhole = unit.factor == 1 && number == number.rounded()
        return (isWhole ? fixed(number, decimals: 0) : significant(number)) + " " + unit.name
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The number with so many decimals, rounded half away from zero.
    private static func fixed(_ value: Double, decimals: Int) -> String {
        var scale = 1
        for _ in 0..<decimals {
            scale *= 10
        }
        let parts = (abs(value) * Double(scale)).rounded()
        guard parts < 1e18 else {
            return value.isNaN ? "?" : "\(value)"
        }
        let whole = Int(parts)
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard decimals > 0 else {
            return "\(sign)\(whole)"
        }
        let fraction = "\(whole % scale)"
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(sign)\(whole / scale).\(zeros)\(fraction)"
    }
}
