import Foundation
import Testing

/// Expects one sentence on stderr that names all `words`, an exit code, and nothing on stdout.
func expectSentence(
    _ outcome: Program.Outcome,
    code: Int32,
    naming words: [String],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(outcome.code == code, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.text == "", sourceLocation: sourceLocation)
    #expect(
        outcome.errorLines.count == 1 && outcome.errors.hasPrefix("pushbench: ")
            && outcome.errors.hasSuffix("\n"),
        "\(outcome.errors)",
        sourceLocation: sourceLocation
    )
    for word in words {
        #expect(
            outcome.errors.contains(word),
            "'\(word)' is missing in: \(outcome.errors)",
            sourceLocation: sourceLocation
        )
    }
}

/// Expects faults as JSON lines and nothing else, with exit code 3.
func expectFaults(
    _ outcome: Program.Outcome,
    _ expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(outcome.code == 3, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(outcome.text == "", sourceLocation: sourceLocation)
    let faults = try outcome.faults()
    let found = faults.map { "\($0["code"].string ?? "?") \($0["path"].string ?? "?")" }
    #expect(found == expected, "\(outcome.errors)", sourceLocation: sourceLocation)
    for fault in faults {
        #expect(fault["message"].string?.isEmpty == false, sourceLocation: sourceLocation)
    }
}
