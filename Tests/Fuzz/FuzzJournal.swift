// A journal of any bytes: it is refused, or each push is in exactly one place of its account.

@testable import LoadEngine

/// Journals count up to this; a small number, so that ranges often meet its end.
private let pushes = 40

/// The journal's bytes: as they are, or each line with a check that fits, and a header before them.
private func journal(from input: inout FuzzInput) -> [UInt8] {
    guard input.byte() & 1 == 1 else { return input.all() }
    var bytes = JournalLine.bytes(of: JournalContent.format + "pushes=\(pushes)")
    let cut = Int(input.byte())
    for line in input.all().split(separator: UInt8(ascii: "\n")) {
        bytes += JournalLine.bytes(of: String(decoding: line, as: UTF8.self))
    }
    return bytes.dropLast(cut & 0x80 == 0 ? 0 : cut & 0x7F)
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJournal(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let bytes = journal(from: &input)
    do throws(JournalError) {
        let content = try JournalContent(bytes, path: "journal")
        precondition(content.wholeBytes <= bytes.count, "more is whole than there is")
        // What is kept of a torn journal is a journal, and says the same.
        let kept = try JournalContent(Array(bytes.prefix(content.wholeBytes)), path: "journal")
        precondition(kept.records == content.records, "the torn line counts")
        for record in content.records {
            precondition(JournalRecord(record.text[...]) == record, "a record is not read back")
        }
        let past = try JournalPast(content, pushes: pushes, path: "journal")
        precondition(past.earlier.settled + past.pending.count == pushes, "a push is lost")
        let again = past.earlier.mayArriveAgain
        precondition(past.earlier.unsettled <= again, "what is in doubt may arrive again")
        precondition(again <= past.pending.count, "more in doubt than is left")
        precondition(past.sentBefore <= pushes, "more was sent than there is")
        var before = -1
        for place in 0..<past.pending.count {
            let number = past.pending.number(at: place)
            precondition(number > before && number < pushes, "a push is left over twice")
            before = number
        }
    } catch {
        precondition(!error.description.isEmpty, "an error without words")
    }
    return 0
}
