/// What a journal's file says, read once at the start of a run.
struct JournalContent {
    /// The header's text; nil in a new file.
    private(set) var header: Substring?
    /// The bytes that are whole lines.
    private(set) var wholeBytes = 0
    private(set) var records: [JournalRecord] = []

    /// Reads the lines; a torn last one is left out.
    init(_ bytes: [UInt8], path: String) throws(JournalError) {
        var start = 0
        var number = 0
        while start < bytes.count {
            number += 1
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            let next = end.map { $0 + 1 } ?? bytes.count
            let text = end.flatMap { JournalLine.text(of: bytes[start..<$0]) }
            if number == 1 {
                // Of the first line nothing may follow from a torn one: no push was sent yet.
                guard let text, text.hasPrefix(Self.format) else {
                    guard end == nil, Self.isTornHeader(bytes) else {
                        let isOther =
                            bytes.starts(with: Self.anyFormat.utf8)
                            && !bytes.starts(with: Self.format.utf8)
                        throw isOther
                            ? JournalError.otherFormat(path: path)
                            : JournalError.notAJournal(path: path)
                    }
                    return
                }
                header = text
            } else {
                guard let text, let record = JournalRecord(text) else {
                    guard next == bytes.count else {
                        throw .damaged(path: path, line: number)
                    }
                    return
                }
                records.append(record)
            }
            start = next
            wholeBytes = next
        }
    }

    static let format = "pushbench.journal/2 "
    /// How the first line of every version's journals begins.
    private static let anyFormat = "pushbench.journal/"

    private static func isTornHeader(_ bytes: [UInt8]) -> Bool {
        Array(format.utf8).starts(with: bytes.prefix(format.utf8.count))
    }
}
