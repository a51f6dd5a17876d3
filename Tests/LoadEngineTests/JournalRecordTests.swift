import Testing

@testable import LoadEngine

/// The lines of a journal.
@Suite struct JournalRecordTests {
    @Test(arguments: [
        JournalRecord.again, .clean, .sent(before: 7), .ended(3..<9, .accepted),
        .ended(3..<4, .unknown), .ended(3..<9, .rejected(reason: "")),
        .ended(3..<9, .rejected(reason: "PayloadTooLarge")),
        .ended(0..<1, .badToken(reason: " ~\u{0}\u{FF}é%41", timestamp: nil)),
        .ended(0..<1, .badToken(reason: "Unregistered", timestamp: -5)),
    ])
    func recordIsReadAsItWasWritten(record: JournalRecord) {
        #expect(JournalRecord(Substring(record.text)) == record)
        #expect(!record.text.contains("\n"))
    }

    @Test(arguments: [
        "", "again 3", "clean up", "sent", "sent -1", "accepted 3", "accepted 5-4", "rejected 1-2",
        "rejected 1-2 %4", "rejected 1-2 a b", "badtoken 1-2 a", "badtoken 1-2 a b", "lost 1-2",
    ])
    func otherLineIsNoRecord(text: String) {
        #expect(JournalRecord(Substring(text)) == nil)
    }
}
