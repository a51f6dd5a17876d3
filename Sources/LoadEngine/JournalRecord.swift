/// One line of a journal.
///
/// Text, so that a person can read what a dead run left, with a check at its end: a line that a
/// crash or a full disk tore is told from a whole one.
enum JournalRecord: Equatable {
    /// All pushes with lower numbers may have been sent; written before the first of them is.
    case sent(before: Int)
    /// So many pushes that may have been sent go out again.
    case again(Int)
    /// The run ended in order: what has not ended was certainly not processed.
    case clean
    /// These pushes have ended.
    case settled(Range<Int>, Ledger.Outcome)

    private static let outcomes: [(word: String, outcome: Ledger.Outcome)] = [
        ("accepted", .accepted), ("rejected", .rejected), ("unknown", .unknown),
    ]

    /// The line without its check.
    var text: String {
        switch self {
        case .sent(let number): "sent \(number)"
        case .again(let count): "again \(count)"
        case .clean: "clean"
        case .settled(let numbers, let outcome):
            "\(Self.word(of: outcome)) \(numbers.lowerBound)-\(numbers.upperBound - 1)"
        }
    }

    /// Reads a line without its check; nil where it is none.
    init?(_ text: Substring) {
        if text == "clean" {
            self = .clean
            return
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        if words[0] == "sent" || words[0] == "again" {
            guard let number = Int(words[1]), number >= 0 else { return nil }
            self = words[0] == "sent" ? .sent(before: number) : .again(number)
            return
        }
        let bounds = words[1].split(separator: "-").map { Int($0) }
        guard let outcome = Self.outcomes.first(where: { $0.word == words[0] })?.outcome,
            bounds.count == 2, let first = bounds[0], let last = bounds[1],
            first >= 0, last >= first, last < .max
        else { return nil }
        self = .settled(first..<last + 1, outcome)
    }

    private static func word(of outcome: Ledger.Outcome) -> String {
        outcomes.first { $0.outcome == outcome }?.word ?? "unknown"
    }
}

/// The lines of a journal as bytes: a text, its check, a newline.
enum JournalLine {
    private static let separator = " ~"
    private static let checkDigits = 8

    /// A text with its check.
    static func bytes(of text: String) -> [UInt8] {
        let digits = String(check(of: text.utf8), radix: 16)
        let padding = String(repeating: "0", count: checkDigits - digits.count)
        return Array("\(text)\(separator)\(padding)\(digits)\n".utf8)
    }

    /// The text of a line that has no newline any more; nil where the check does not fit.
    static func text(of line: ArraySlice<UInt8>) -> Substring? {
        guard line.count > separator.utf8.count + checkDigits else { return nil }
        let text = line.dropLast(separator.utf8.count + checkDigits)
        let whole = bytes(of: String(decoding: text, as: UTF8.self))
        guard whole.dropLast().elementsEqual(line) else { return nil }
        return Substring(String(decoding: text, as: UTF8.self))
    }

    /// FNV-1a: it finds torn lines, and keeps nobody out.
    private static func check(of bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
