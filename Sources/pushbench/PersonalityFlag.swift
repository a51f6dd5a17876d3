import Foundation
import MockAPNs
import PushPayload
import Results

/// The value of the mock's `--personality`: a name or a file, then `KEY=VALUE` changes.
enum PersonalityFlag {
    /// Gives `configuration` the personality that `text` describes; nil leaves it as it is.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3, one JSON line, for what a file or a change
    ///   says; a ``UsageError`` for a name that is none.
    static func apply(_ text: String?, to configuration: inout MockConfiguration) throws {
        guard let text else { return }
        var reader = PersonalityReader(reasons: configuration.rules.reasons)
        var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        // A file's name may hold commas and equals signs.
        if access(text, F_OK) == 0 { parts = [text] }
        for (index, part) in parts.enumerated() {
            do throws(PayloadFault) {
                if try reader.read(builtIn: part) { continue }
                if let sign = part.firstIndex(of: "="), parts.count > 1 || access(part, F_OK) != 0 {
                    let value = String(part[part.index(after: sign)...])
                    try reader.read(String(part[..<sign]), value)
                    continue
                }
            } catch { throw CommandFault(.invalidInput, lines: [error.jsonLine]) }
            guard index == 0 else {
                throw UsageError("--personality \(text): \(part) is no change; write KEY=VALUE.")
            }
            try check(part)
            let bytes = try InputFile.bytes(part, what: "personality file")
            do throws(PayloadFault) {
                try reader.read(bytes)
            } catch { throw CommandFault(.invalidInput, lines: [error.jsonLine]) }
        }
        configuration.rules.reasons = reader.reasons
        configuration.personality = reader.personality
    }

    /// Refuses a word that was meant as a name.
    private static func check(_ word: String) throws(UsageError) {
        guard access(word, F_OK) != 0, !word.contains("/"), !word.contains(".") else { return }
        let names = PersonalityReader.builtIn.map(\.name)
        let nearest = NearestName.find(word, in: names)
        throw UsageError(
            "--personality \(word) is not known"
                + (nearest.map { ": did you mean \($0)?" }
                    ?? ": give one of \(names.joined(separator: ", ")), or a file.")
        )
    }
}
