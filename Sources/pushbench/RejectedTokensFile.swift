import Foundation
import LoadEngine
import PushModel
import Results

/// The list that `--rejected-out` asks for: tokens that need not be pushed to again.
enum RejectedTokensFile {
    private static let header = "token,reason,timestamp\n"

    /// Empties the list of a run that begins a journal: what is in it from then on is of that run.
    ///
    /// - Throws: A ``CommandFault`` with exit code 1 that names the file, the cause and the mend.
    static func begin(_ journal: RunJournal, _ arguments: Arguments) throws(CommandFault) {
        guard let path = arguments["rejected-out"], isRegular(path),
            journal.earlier == RunJournal.Earlier()
        else { return }
        try write(Array(header.utf8), to: path)
    }

    /// Writes the bad tokens of a measurement, where that is asked for, each once.
    ///
    /// Where the run went on with a journal, the list that the run before left there is kept: its
    /// tokens are not pushed to again.
    ///
    /// - Throws: A ``CommandFault`` with exit code 1 that names the file, the cause and the mend.
    static func write(_ measured: Measurement, _ plan: RunPlan) throws(CommandFault) {
        guard let path = plan.arguments["rejected-out"] else { return }
        var bytes = Array(header.utf8)
        if measured.earlier.rejected > 0 { bytes += rows(of: path) }
        var seen: Set<Int> = []
        for report in measured.reports {
            for token in report.rejectedTokens where seen.insert(token.install).inserted {
                append(token, of: plan.audience.table, to: &bytes)
            }
        }
        try write(bytes, to: path)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(CommandFault) {
        do throws(FileFault) {
            try AtomicFile.write(bytes, to: path, mode: 0o600)
        } catch {
            throw CommandFault(
                .runFailed,
                "Cannot write the rejected tokens to \(path): \(error.reason); \(error.mend)."
            )
        }
    }

    /// What an earlier run listed; nothing where the file is no such list.
    private static func rows(of path: String) -> [UInt8] {
        guard isRegular(path), let bytes = FileManager.default.contents(atPath: path),
            bytes.starts(with: header.utf8), bytes.last == UInt8(ascii: "\n")
        else { return [] }
        return Array(bytes.dropFirst(header.utf8.count))
    }

    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func append(
        _ token: RunReport.RejectedToken,
        of table: InstallTable,
        to bytes: inout [UInt8]
    ) {
        table.record(at: token.install).token.withUnsafeBytes { bytes += $0 }
        bytes.append(UInt8(ascii: ","))
        bytes += field(token.reason).utf8
        bytes.append(UInt8(ascii: ","))
        if let timestamp = token.timestamp { bytes += String(timestamp).utf8 }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// A text of the target's as a CSV field (RFC 4180).
    private static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x2C }) else {
            return text
        }
        return
            "\"\(text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}
