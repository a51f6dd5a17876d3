import Foundation
import NetIO
import Results

/// The embedded mock: a child process, so that its CPU time is counted apart.
final class MockProcess {
    /// Where it listens, as its ready file says.
    struct Ready: Decodable {
        let host: String
        let port: UInt16
        let caFile: String?
    }

    /// What it counted, as it prints at its end.
    struct Counts: Decodable {
        let requests: Int
        let accepted: Int
        let refused: Int
    }

    let ready: Ready
    private let child: ChildProcess
    private let folder: String

    /// Starts a mock and waits until it listens.
    ///
    /// - Parameter options: `K=V` texts of `--mock-option`, each a flag of `pushbench mock`.
    init(options: [String]) throws {
        let template = NSTemporaryDirectory() + "pushbench-XXXXXX"
        var path = Array(template.utf8CString)
        guard mkdtemp(&path) != nil else {
            throw CommandFault(
                .runFailed,
                "No temporary folder can be made below \(NSTemporaryDirectory())."
            )
        }
        folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let readyFile = folder + "/ready.json"
        do {
            child = try ChildProcess.spawn(
                executable: "/proc/self/exe",
                arguments: ["mock", "--quiet", "--ready-file", readyFile] + Self.flags(options),
                captureOutput: true
            )
            ready = try Self.waitUntilReady(child, readyFile)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    private static func flags(_ options: [String]) -> [String] {
        options.map { option in
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 && parts[1] != "true"
                ? "--\(parts[0])=\(parts[1])" : "--\(parts[0])"
        }
    }

    private static func waitUntilReady(_ child: ChildProcess, _ readyFile: String) throws -> Ready {
        let deadline = MonotonicInstant.now().advanced(by: 10_000_000_000)
        while MonotonicInstant.now() < deadline {
            if let data = FileManager.default.contents(atPath: readyFile) {
                return try JSONDecoder().decode(Ready.self, from: data)
            }
            if let exit = child.exitIfEnded() {
                // The mock has said why on stderr, which it shares with this process.
                throw CommandFault(
                    exit.code == ExitCode.usage.rawValue ? .usage : .runFailed,
                    "The embedded mock did not start: see its own words above."
                )
            }
            usleep(2000)
        }
        throw CommandFault(.runFailed, "The embedded mock did not listen within 10 s.")
    }

    /// CPU time that the mock has used so far, in nanoseconds.
    var cpuNanoseconds: UInt64? { ProcessUsage.cpuNanoseconds(ofProcess: child.pid) }

    /// Ends the mock and returns what it counted.
    func stop() throws -> Counts {
        child.terminate()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var output = Data()
        if let descriptor = child.outputDescriptor {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    output.append(contentsOf: buffer.prefix(count))
                } else if count < 0, errno == EAGAIN || errno == EINTR {
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&waiting, 1, 10_000) > 0 else { break }
                } else {
                    break
                }
            }
        }
        _ = try child.wait()
        do {
            return try JSONDecoder().decode(Counts.self, from: output)
        } catch {
            throw CommandFault(
                .runFailed,
                "The embedded mock ended without its counters: it was killed."
            )
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
