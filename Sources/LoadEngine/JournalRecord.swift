/// One line of a journal.
///
/// Text, so that a person can read what a dead run left, with a check at its end: a line that a
/// crash or a full disk tore is told from a whole one.
enum JournalRecord: Equatable {
    /// All pushes with lower numbers may have been sent; written before the first of them is.
    case sent(before: Int)
    /// All pushes that may have been sent, and whose end is not known here, go out again.
    case again
    /// The run ended in order: what has not ended was certainly not processed.
    case clean
    /// These pushes have ended.
    case ended(Range<Int>, PushEnd)

    /// The line without its check.
    var text: String {
        switch self {
        case .sent(let number): "sent \(number)"
        case .again: "again"
        case .clean: "clean"
        case .ended(let numbers, let end):
            switch end {
            case .accepted: "accepted \(Self.text(numbers))"
            case .unknown: "unknown \(Self.text(numbers))"
            case .rejected(let reason):
                "rejected \(Self.text(numbers)) \(JournalWord.encode(reason))"
            case .badToken(let reason, let timestamp):
                "badtoken \(Self.text(numbers)) \(JournalWord.encode(reason)) "
                    + (timestamp.map(String.init) ?? "-")
            }
        }
    }

    private static func text(_ numbers: Range<Int>) -> String {
        "\(numbers.lowerBound)-\(numbers.upperBound - 1)"
    }

    /// Reads a line without its check; nil where it is none.
    init?(_ text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        switch (words[0], words.count) {
        case ("clean", 1): self = .clean
        case ("again", 1): self = .again
        case ("sent", 2):
            guard let number = Int(words[1]), number >= 0 else { return nil }
            self = .sent(before: number)
        default:
            guard words.count > 1, let numbers = Self.numbers(words[1]),
                let end = Self.end(words[0], words.dropFirst(2))
            else { return nil }
            self = .ended(numbers, end)
        }
    }

    private static func numbers(_ word: Substring) -> Range<Int>? {
        let bounds = word.split(separator: "-").map { Int($0) }
        guard bounds.count == 2, let first = bounds[0], let last = bounds[1],
            first >= 0, last >= first, last < .max
        else { return nil }
        return first..<last + 1
    }

    private static func end(_ name: Substring, _ words: ArraySlice<Substring>) -> PushEnd? {
        let reason = words.first.flatMap(JournalWord.decode)
        switch (name, words.count, reason) {
        case ("accepted", 0, _): return .accepted
        case ("unknown", 0, _): return .unknown
        case ("rejected", 1, let reason?): return .rejected(reason: reason)
        case ("badtoken", 2, let reason?):
            guard let last = words.last else { return nil }
            if last == "-" { return .badToken(reason: reason, timestamp: nil) }
            return Int64(last).map { .badToken(reason: reason, timestamp: $0) }
        default: return nil
        }
    }
}

/// A text of the target's as one word of a line, whatever is in it.
private enum JournalWord {
    /// Keeps letters, digits, `.`, `_` and `-`, and writes every other byte as `%` and two hex digits.
    static func encode(_ text: String) -> String {
        var word: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                word.append(byte)
            } else {
                word += (byte < 16 ? "%0" : "%").utf8
                word += String(byte, radix: 16).utf8
            }
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// The text of a word; nil where it is none.
    static func decode(_ word: Substring) -> String? {
        var text: [UInt8] = []
        var rest = word.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy(isPlain),
                    let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                text.append(code)
                rest = rest.dropFirst(2)
            } else {
                guard isPlain(byte) else { return nil }
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
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
