import Foundation
import LoadEngine
import PushModel
import Results

/// The list that `--rejected-out` asks for: tokens that need not be pushed to again.
enum RejectedTokensFile {
    private static let header = "token,reason,timestamp\n"

    /// Writes the bad tokens of a measurement, where that is asked for, each once: those that earlier
    /// runs of the same journal found among them.
    ///
    /// - Throws: A ``CommandFault`` with exit code 1 that names the file, the cause and the mend.
    static func write(_ measured: Measurement, _ plan: RunPlan) throws(CommandFault) {
        guard let path = plan.arguments["rejected-out"] else { return }
        var tokens = plan.badTokens(of: measured.earlier)
        for report in measured.reports { tokens += report.rejectedTokens }
        tokens.sort { $0.install < $1.install }
        var bytes = Array(header.utf8)
        var last = -1
        for token in tokens where token.install != last {
            last = token.install
            append(token, of: plan.audience.table, to: &bytes)
        }
        if Terminal.isStandardOutput(path) { return Terminal.write(bytes) }
        do throws(FileFault) {
            try AtomicFile.write(bytes, to: path, mode: 0o600)
        } catch {
            throw CommandFault(
                .runFailed,
                "Cannot write the rejected tokens to \(path): \(error.reason); \(error.mend)."
            )
        }
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
