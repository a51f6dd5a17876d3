import Foundation
import NetIO
import PushPayload
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
        /// How often contents had which fault.
        let contentFaults: [String: Int]
    }

    let ready: Ready
    private let child: ChildProcess
    private let folder: TemporaryFolder

    /// Starts a mock and waits until it listens.
    ///
    /// - Parameters:
    ///   - words: Flags of `pushbench mock`, as ``words(ofOptions:)`` gives them.
    ///   - expectation: What it should expect, where it checks contents.
    /// - Throws: A ``CommandFault`` with exit code 1, or `NetIOError`.
    init(words: [String], expectation: MockExpectation? = nil) throws {
        folder = try TemporaryFolder()
        let readyFile = folder.path + "/ready.json"
        do {
            var words = words
            if let expectation {
                words.append("--expect=\(try expectation.write(to: folder.path))")
            }
            child = try ChildProcess.spawn(
                executable: "/proc/self/exe",
                arguments: ["mock", "--quiet", "--ready-file", readyFile] + words,
                captureOutput: true
            )
            ready = try Self.waitUntilReady(
                child,
                readyFile,
                seconds: Self.secondsToListen + (expectation?.secondsToLoad ?? 0)
            )
        } catch {
            folder.remove()
            throw error
        }
    }

    /// Flags that the run itself gives.
    private static let ownFlags = ["ready-file", "quiet"]

    /// Turns the `K=V` texts of `--mock-option` into flags of `pushbench mock`, all checked.
    static func words(ofOptions options: [String]) throws -> [String] {
        let flags = MockCommand.spec.flags.filter { !ownFlags.contains($0.name) }
        let words = try options.flatMap { option throws(UsageError) -> [String] in
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            guard let flag = flags.first(where: { $0.name == name }) else {
                let nearest = NearestName.find(name, in: flags.map(\.name))
                throw UsageError(
                    "--mock-option \(option) is no flag of the mock"
                        + (nearest.map { ": did you mean \($0)?" }
                            ?? ": see pushbench mock --help.")
                )
            }
            // A switch may be written K, K=true or, to leave it out, K=false.
            if flag.value == nil, parts.count == 2, ["true", "false"].contains(parts[1]) {
                return parts[1] == "true" ? ["--\(name)"] : []
            }
            return ["--\(option)"]
        }
        let arguments = try Arguments(words, for: MockCommand.spec)
        if let path = arguments["record"], Terminal.isStandardOutput(path) {
            throw UsageError("--mock-option record=\(path) needs a file: stdout has the result.")
        }
        _ = try MockCommand.configuration(arguments)
        return words
    }

    /// How long a mock may take until it listens.
    private static let secondsToListen = 10

    private static func waitUntilReady(
        _ child: ChildProcess,
        _ readyFile: String,
        seconds: Int
    ) throws -> Ready {
        let deadline = MonotonicInstant.now().advanced(by: UInt64(seconds) * 1_000_000_000)
        while MonotonicInstant.now() < deadline {
            if let data = FileManager.default.contents(atPath: readyFile) {
                return try JSONDecoder().decode(Ready.self, from: data)
            }
            if let exit = child.exitIfEnded() {
                guard let code = exit.code.flatMap(ExitCode.init), code != .done else {
                    throw CommandFault(.runFailed, "The embedded mock ended before it listened.")
                }
                // It has said why on stderr, which it shares with this process.
                throw CommandFault(code, lines: [])
            }
            usleep(2000)
        }
        throw CommandFault(.runFailed, "The embedded mock did not listen within \(seconds) s.")
    }

    /// CPU time that the mock has used so far, in nanoseconds.
    var cpuNanoseconds: UInt64? { ProcessUsage.cpuNanoseconds(ofProcess: child.pid) }

    /// Ends the mock and returns what it counted.
    func stop() throws -> Counts {
        child.terminate()
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

    /// Removes the ready file and the certificate, once they have been read.
    func removeFolder() { folder.remove() }
}
