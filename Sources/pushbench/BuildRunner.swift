import Foundation
import NetIO
import Regression
import Results
import Synchronization

/// Runs a build of pushbench and reads the result it prints.
final class BuildRunner {
    /// How a run ended.
    enum Outcome {
        case result(ResultFile)
        /// Its numbers do not count: exit code 7, or the result says so.
        case void
        case failed(code: Int32?, sentence: String)
        case stopped
    }

    private let words: [String]
    private let errorFile: String
    private let isStopped: @Sendable () -> Bool
    private let patience: RunPatience
    private var longestSeconds = 0.0

    /// No result is as long, and all of it is held in memory.
    private static let mostOutput = 256 << 20
    /// What a run that was asked to end may still take, in seconds.
    private static let grace = 10.0

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - words: The flags of `run`.
    ///   - folder: Where stderr of the build goes.
    ///   - patience: What a run may take.
    ///   - isStopped: Whether to end the run under way.
    init(
        words: [String],
        folder: String,
        patience: RunPatience,
        isStopped: @escaping @Sendable () -> Bool
    ) {
        self.patience = patience
        self.words = ["run", "--json", "--quiet"] + words
        errorFile = folder + "/errors"
        self.isStopped = isStopped
    }

    /// Runs a build to its end.
    func run(_ binary: String) -> Outcome {
        let start = MonotonicInstant.now()
        let limit = patience.limit(longest: longestSeconds)
        do {
            // By the shell, which puts stderr aside: a warning of every run would be told a hundred
            // times, and of a failing run its words are wanted.
            let child = try ChildProcess.spawn(
                executable: "/bin/sh",
                arguments: ["-c", "exec 2>\"$1\"; shift; exec \"$@\"", "sh", errorFile, binary]
                    + words,
                captureOutput: true
            )
            var stopped: MonotonicInstant?
            var fault: String?
            let output = Self.read(child) { bytes in
                if stopped == nil, self.isStopped() {
                    stopped = .now()
                    child.terminate()
                }
                if start.seconds() > limit.seconds {
                    fault = limit.sentence
                } else if bytes > Self.mostOutput {
                    fault = "it prints without an end, and no result"
                }
                let isDeaf = stopped.map { $0.seconds() > Self.grace } ?? false
                guard fault != nil || isDeaf else { return true }
                child.kill()
                return false
            }
            let exit = try child.wait()
            if stopped != nil { return .stopped }
            if let fault { return .failed(code: nil, sentence: fault) }
            longestSeconds = max(longestSeconds, start.seconds())
            return outcome(exit, output)
        } catch {
            return .failed(code: nil, sentence: "\(error)")
        }
    }

    private func outcome(_ exit: ChildProcess.Exit, _ output: Data) -> Outcome {
        switch exit.code.flatMap(ExitCode.init) {
        case .done, .objectiveNotMet:
            do {
                let result = try ResultFile(
                    decoding: output,
                    name: "on stdout",
                    parts: .all
                )
                guard result.complete else {
                    return .failed(code: exit.code, sentence: "its result is incomplete")
                }
                return result.verdict.valid ? .result(result) : .void
            } catch {
                return .failed(code: exit.code, sentence: "\(error)")
            }
        case .void: return .void
        default:
            let said = Self.lastWords(of: errorFile)
            let how = exit.signal.map { "signal \($0)" } ?? "exit code \(exit.code ?? -1)"
            return .failed(code: exit.code, sentence: how + (said.map { ": \($0)" } ?? ""))
        }
    }

    /// Reads what a child prints until it closes its stdout, or `goesOn` says of the bytes so far
    /// that it is enough.
    private static func read(_ child: ChildProcess, _ goesOn: (Int) -> Bool) -> Data {
        var output = Data()
        guard let descriptor = child.outputDescriptor else { return output }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while goesOn(output.count) {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                output.append(contentsOf: buffer.prefix(count))
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&waiting, 1, 100)
            } else {
                return output
            }
        }
        return output
    }

    private static func lastWords(of path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let lines = String(decoding: data.suffix(4_096), as: UTF8.self).split(separator: "\n")
        return lines.last.map { line in
            String(line.hasPrefix("pushbench: ") ? line.dropFirst("pushbench: ".count) : line)
        }
    }
}

extension MonotonicInstant {
    /// The seconds since then.
    fileprivate func seconds() -> Double {
        Double(MonotonicInstant.now().nanoseconds &- nanoseconds) / 1e9
    }
}
