import Glibc

/// Finds the fields of one CSV record (RFC 4180) and can go on where a quoted field was open.
///
/// A quote inside an unquoted field is taken as it stands, as spreadsheets do.
struct CSVSplitter {
    enum Outcome: Equatable {
        /// The record is whole; it has this many fields.
        case complete(fields: Int)
        /// A quoted field is open at the end of the bytes: add the next line and go on.
        case openQuote
        /// The field of this number, from 1, goes on after its closing quote.
        case textAfterQuote(field: Int)
    }

    /// Where a field lies in the record.
    struct Field {
        var start = 0
        var count = 0
        /// Whether quotes inside stand doubled.
        var hasDoubledQuotes = false
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")

    private var position = 0
    private var number = 0
    private var quoted = Field()
    private var isInQuotes = false

    /// Starts on a new record.
    init() {}

    /// Splits the record up to its end as known so far.
    ///
    /// - Parameters:
    ///   - record: The record from its first byte on, also when going on.
    ///   - take: Called with the number, from 0, and the place of each field that is whole.
    /// - Returns: How far it came.
    mutating func split(
        _ record: UnsafeBufferPointer<UInt8>,
        take: (Int, Field) -> Void
    ) -> Outcome {
        guard let base = record.baseAddress else { return .complete(fields: 0) }
        let end = record.count
        while true {
            if !isInQuotes {
                guard position < end, base[position] == Self.quote else {
                    let hit = memchr(base + position, Int32(Self.comma), end - position)
                    let fieldEnd = hit.map { $0 - UnsafeMutableRawPointer(mutating: base) } ?? end
                    take(number, Field(start: position, count: fieldEnd - position))
                    number += 1
                    position = fieldEnd + 1
                    if hit == nil { return .complete(fields: number) }
                    continue
                }
                position += 1
                quoted = Field(start: position)
                isInQuotes = true
            }
            guard let close = memchr(base + position, Int32(Self.quote), end - position) else {
                position = end
                return .openQuote
            }
            position = close - UnsafeMutableRawPointer(mutating: base) + 1
            if position < end, base[position] == Self.quote {
                quoted.hasDoubledQuotes = true
                position += 1
                continue
            }
            quoted.count = position - 1 - quoted.start
            isInQuotes = false
            take(number, quoted)
            number += 1
            if position == end { return .complete(fields: number) }
            guard base[position] == Self.comma else { return .textAfterQuote(field: number) }
            position += 1
        }
    }

    /// Turns doubled quotes into single ones in place.
    ///
    /// - Returns: The number of bytes that are left.
    static func undouble(_ field: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var kept = 0
        var offset = 0
        while offset < field.count {
            field[kept] = field[offset]
            kept += 1
            // The second of a pair is stepped over; inside a field quotes come in pairs only.
            offset += field[offset] == quote ? 2 : 1
        }
        return kept
    }
}
