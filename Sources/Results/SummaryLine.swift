/// One line of a summary, short enough and free of control characters.
struct SummaryLine: Equatable {
    /// How a terminal sets a line off.
    enum Style: String {
        /// Not at all.
        case plain = ""
        /// Bold.
        case strong = "1"
        /// Green.
        case good = "32"
        /// Bold and red.
        case bad = "1;31"
    }

    /// A line without text.
    static let blank = SummaryLine("")

    private let text: String
    private let style: Style

    /// Makes a line; what is too long ends in an ellipsis.
    init(_ text: String, _ style: Style = .plain) {
        // Reasons come from the target: an escape sequence in one must not reach the terminal.
        let clean = String(
            text.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: "?"
                default: Character(scalar)
                }
            }
        )
        self.text =
            clean.count <= Summary.columns
            ? clean : clean.prefix(Summary.columns - 1) + "\u{2026}"
        self.style = style
    }

    /// The line without a newline.
    func text(isTerminal: Bool) -> String {
        isTerminal && style != .plain ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }
}
