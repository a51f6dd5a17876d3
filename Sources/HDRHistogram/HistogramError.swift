/// Why a histogram could not be made, written or read.
public enum HistogramError: Error, Equatable, Sendable {
    /// The smallest difference to tell apart is below 1.
    case lowestDiscernibleTooLow(Int64)
    /// The range is empty: its end is below twice the smallest difference.
    case highestTrackableTooLow(Int64, lowestDiscernible: Int64)
    /// The digits to keep are not 0 to 5.
    case significantDigitsOutOfRange(Int)
    /// Unit and digits together need more than 62 bits.
    case rangeTooWide(lowestDiscernible: Int64, significantDigits: Int)
    /// The encoding ends before it should.
    case truncated(needed: Int, found: Int)
    /// The encoding begins with something else than a V2 cookie.
    case unknownCookie(UInt32)
    /// A stated length and what is there differ.
    case lengthMismatch(stated: Int, found: Int)
    /// The encoding is of a shifted histogram or of one with fractions.
    case notPlainIntegers
    /// The compressed part is damaged, or larger than a histogram can be.
    case damagedCompression
    /// The counts end within a number.
    case damagedCount
    /// There are more counts than slots.
    case tooManyCounts(slots: Int)
    /// The counts add up to more than 2^63 - 1.
    case countOverflow
    /// zlib could not compress, for want of memory.
    case compressionFailed
}

extension HistogramError: CustomStringConvertible {
    /// One sentence that names the fault and the mend.
    public var description: String {
        switch self {
        case .lowestDiscernibleTooLow(let value):
            "The lowest discernible value is \(value); give 1 or more."
        case .highestTrackableTooLow(let value, let lowest):
            "The highest trackable value \(value) is less than twice the lowest discernible "
                + "\(lowest); give a wider range."
        case .significantDigitsOutOfRange(let digits):
            "\(digits) significant digits were asked for; give 0 to 5."
        case .rangeTooWide(let lowest, let digits):
            "A lowest discernible value of \(lowest) with \(digits) significant digits does not "
                + "fit in 63 bits; lower one of the two."
        case .truncated(let needed, let found):
            "The histogram is cut short: \(needed) bytes are needed and \(found) are there; take "
                + "an undamaged copy."
        case .unknownCookie(let cookie):
            "The histogram begins with 0x\(String(cookie, radix: 16)), which is no HdrHistogram "
                + "V2 encoding; encode it as V2."
        case .lengthMismatch(let stated, let found):
            "The histogram states a length of \(stated) bytes and has \(found); take an "
                + "undamaged copy."
        case .notPlainIntegers:
            "The histogram is shifted or scaled to fractions; encode one of plain integers."
        case .damagedCompression:
            "The histogram's compressed part is damaged or too large; take an undamaged copy."
        case .damagedCount:
            "The histogram's counts end within a number; take an undamaged copy."
        case .tooManyCounts(let slots):
            "The histogram has more counts than its \(slots) slots; take an undamaged copy."
        case .countOverflow:
            "The histogram's counts add up to more than 63 bits hold; take an undamaged copy."
        case .compressionFailed:
            "The histogram could not be compressed for want of memory; free some and try again."
        }
    }
}
