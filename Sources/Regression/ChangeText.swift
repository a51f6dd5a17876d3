import Foundation

/// Changes and shares as people read them.
enum ChangeText {
    /// The change that a ratio is.
    ///
    /// - Parameter ratio: New by base.
    /// - Returns: For example `+5.2%`, `-0.13%`, `x12` or `from 0`.
    static func change(_ ratio: Double) -> String {
        guard ratio.isFinite else { return "from 0" }
        if ratio >= 10 { return "x" + String(format: "%.0f", ratio) }
        let percent = (ratio - 1) * 100
        let decimals = abs(percent) < 0.995 ? 2 : abs(percent) < 99.95 ? 1 : 0
        let text = String(format: "%+.\(decimals)f%%", percent)
        return text == "-0.00%" ? "+0.00%" : text
    }

    /// An interval of ratios.
    static func interval(_ low: Double, _ high: Double) -> String {
        guard low > 0, high.isFinite else { return "unknown" }
        return "\(change(low)) to \(change(high))"
    }

    /// A share without a sign.
    static func share(_ share: Double?) -> String {
        guard let share else { return "unknown" }
        return share >= 10
            ? "over 1000%" : String(format: "%.\(share < 0.0995 ? 1 : 0)f%%", share * 100)
    }

    /// Text of a file or a command line in one line, without what a terminal would obey.
    static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// A probability.
    static func probability(_ p: Double) -> String {
        p < 0.000_1 ? "<0.0001" : String(format: "%.4f", p)
    }
}
