import Foundation
import MockAPNs
import Results
import Synchronization

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

    /// Refuses a record that would empty another flag's file, or be replaced by it.
    static func checkRecord(_ arguments: Arguments) throws(UsageError) {
        guard let path = arguments["record"], !Terminal.isStandardOutput(path) else { return }
        var status = stat()
        // Nothing is lost on a device.
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else { return }
        let flags = [
            "tls-cert", "tls-key", "client-ca", "auth", "private-keys", "expect", "personality",
            "ready-file", "ca-out",
        ]
        for flag in flags {
            for value in arguments.all(flag) {
                // What binds a key, or changes a personality, follows its file after a comma.
                let file = value.prefix { $0 != "," }
                for name in [value, String(file)]
                where name == path || InputFile.isSame(name, path) {
                    throw UsageError(
                        "--record \(path) is the file of --\(flag): give another name."
                    )
                }
            }
        }
    }

    /// Tells the world that a mock listens.
    final class Announcement: Sendable {
        private let makes = Atomic<Bool>(false)

        /// Whether it is being written: where that is to a pipe, it waits for the reader.
        var isUnderWay: Bool { makes.load(ordering: .acquiring) }

        /// Writes the certificate and the ready file, where they were asked for.
        func make(
            _ server: MockServer,
            _ arguments: Arguments
        ) throws(ReadyFileError) -> ReadyFile? {
            makes.store(true, ordering: .releasing)
            defer { makes.store(false, ordering: .releasing) }
            let caFile = arguments["ca-out"]
            if let caFile { try ReadyFile.writeCertificate(of: server, to: caFile) }
            guard let path = arguments["ready-file"] else { return nil }
            return try ReadyFile(at: path, for: server, caFile: caFile)
        }
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
