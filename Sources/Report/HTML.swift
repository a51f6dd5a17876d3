/// HTML in which whatever is interpolated as a string is escaped.
///
/// Results come from elsewhere, so no string of theirs may become markup: only a literal in our own
/// source, or another `HTML`, is taken as it is.
struct HTML: Equatable, ExpressibleByStringInterpolation, Sendable {
    /// The markup.
    private(set) var text: String

    /// Takes a literal as markup.
    init(stringLiteral value: String) { text = value }

    /// Takes what an interpolation has put together.
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// Puts pieces one after the other.
    init(_ pieces: some Sequence<HTML>) { text = pieces.map(\.text).joined() }

    /// Adds markup at the end.
    static func += (left: inout HTML, right: HTML) { left.text += right.text }

    /// Escapes strings, keeps markup.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: some StringProtocol) {
            text += HTML.escaped(value)
        }

        mutating func appendInterpolation(_ value: HTML) { text += value.text }

        mutating func appendInterpolation(_ values: [HTML]) {
            for value in values { text += value.text }
        }

        mutating func appendInterpolation(_ value: Int) { text += String(value) }

        /// A coordinate with two decimals; 0 for what no drawing can hold.
        mutating func appendInterpolation(coordinate value: Double) {
            let isDrawable = value.isFinite && abs(value) < 1e6
            text += String(isDrawable ? (value * 100).rounded() / 100 : 0)
        }

        /// The source of a script or style sheet; see ``HTML/inert(_:)``.
        mutating func appendInterpolation(source: String) { text += HTML.inert(source) }
    }

    /// Text as it may stand in an element or a quoted attribute.
    ///
    /// Control and direction characters, which could hide or reorder what is read, become U+FFFD.
    static func escaped(_ value: some StringProtocol) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: text += "\u{FFFD}"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }

    /// The source of a script or style sheet in which nothing ends its element early.
    ///
    /// `<\/script` and `<\!--` mean the same inside strings and regular expressions, the only
    /// places where a library has them.
    static func inert(_ source: String) -> String {
        var text = ""
        text.reserveCapacity(source.utf8.count)
        var rest = source[...]
        while let start = rest.firstIndex(of: "<") {
            let next = rest.index(after: start)
            text += rest[...start]
            rest = rest[next...]
            let tail = rest.prefix(7).lowercased()
            if tail.hasPrefix("/script") || tail.hasPrefix("/style") || tail.hasPrefix("!--") {
                text += "\\"
            }
        }
        return text + rest
    }
}
