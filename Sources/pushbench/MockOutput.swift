import MockAPNs
import Results

/// What `pushbench mock` writes: ready file, certificate, record, counters.
enum MockOutput {
    /// Opens the file of `--record`; nil where it was not asked for.
    static func openRecord(_ arguments: Arguments) throws(CommandFault) -> RequestRecord? {
        guard let path = arguments["record"] else { return nil }
        do {
            return try RequestRecord(path: Terminal.isStandardOutput(path) ? nil : path) {
                Terminal.complain("pushbench mock: \($0)")
            }
        } catch { throw CommandFault(.runFailed, error.description) }
    }

    /// Writes the certificate and the ready file, where they were asked for.
    static func announce(
        _ server: MockServer,
        _ arguments: Arguments
    ) throws(ReadyFileError) -> ReadyFile? {
        let caFile = arguments["ca-out"]
        if let caFile { try ReadyFile.writeCertificate(of: server, to: caFile) }
        guard let path = arguments["ready-file"] else { return nil }
        return try ReadyFile(at: path, for: server, caFile: caFile)
    }

    /// Prints the counters of a mock that has ended, and says whether its record is whole.
    static func conclude(_ server: MockServer, _ record: RequestRecord?) -> ExitCode {
        let counters = server.statistics.counts().json
        guard let record else {
            Terminal.print(counters)
            return .done
        }
        if record.path == nil { Terminal.complain(counters) } else { Terminal.print(counters) }
        guard record.failure != nil else { return .done }
        let total = record.recorded + record.unrecorded
        let place = record.path ?? "on stdout"
        Terminal.complain(
            "pushbench mock: The record \(place) lacks \(record.unrecorded) of \(total) requests."
        )
        return .runFailed
    }
}
