import Foundation
import NetIO
import Testing

/// A program that a test has started: pushbench as a rule.
final class Program: @unchecked Sendable {
    // Safe to share: the input is behind the lock, the rest is set once.

    /// How it ended and what it wrote.
    struct Outcome: Sendable {
        /// The exit code; nil where a signal ended it.
        let code: Int32?
        let stdout: Data
        let errors: String

        var text: String { String(decoding: stdout, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    private let child: RunningChild
    private let output: Capture
    private let errorOutput: Capture
    private let lock = NSLock()
    private var input: Int32?
    private let words: String

    /// What it has written to stdout so far.
    var text: String { output.text }
    /// What it has written to stderr so far.
    var errors: String { errorOutput.text }
    var pid: Int32 { child.pid }
    var isRunning: Bool { child.isRunning }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The executable.
    ///   - arguments: Its arguments.
    ///   - keepsInput: Whether ``type(_:)`` follows; else standard input is empty.
    ///   - environment: Variables beside the test's own; nil takes one away.
    ///   - folder: The working directory.
    /// - Throws: Where it cannot be started.
    init(
        path: String,
        _ arguments: [String],
        keepsInput: Bool = false,
        environment: [String: String?] = [:],
        in folder: String? = nil
    ) throws {
        words = ([path] + arguments).joined(separator: " ")
        var variables = ProcessInfo.processInfo.environment
        // What changes the look of the output is the test's to say.
        for name in ["CI", "NO_COLOR", "COLUMNS"] { variables[name] = nil }
        // All traffic is this machine's own, which no proxy reaches.
        variables["no_proxy"] = "*"
        variables["NO_PROXY"] = "*"
        variables["PATH"] =
            "\(try Self.binaryFolder()):\(variables["PATH"] ?? "/usr/bin:/bin"):/usr/sbin"
        for (name, value) in environment { variables[name] = value }
        let inputEnds = keepsInput ? try PipeEnds() : nil
        let outputEnds = try PipeEnds()
        let errorEnds = try PipeEnds()
        output = Capture(outputEnds.reading)
        errorOutput = Capture(errorEnds.reading)
        input = inputEnds?.writing
        // Its own ends are closed here in any case, so that the readers see an end.
        defer {
            for end in [inputEnds?.reading, outputEnds.writing, errorEnds.writing] {
                if let end { close(end) }
            }
        }
        var surroundings = ChildProcess.Surroundings()
        surroundings.input = inputEnds?.reading
        surroundings.output = outputEnds.writing
        surroundings.errors = errorEnds.writing
        surroundings.environment = variables.map { "\($0)=\($1)" }
        surroundings.folder = folder
        child = try RunningChild(path: path, arguments, surroundings: surroundings)
    }

    deinit {
        child.signal(SIGKILL)
        if let input { close(input) }
    }

    func signal(_ number: Int32) { child.signal(number) }

    /// Writes to its standard input.
    func type(_ text: String, isLast: Bool = false) {
        lock.withLock {
            guard let descriptor = input else { return }
            // A program that has ended already does not read: its outcome tells.
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            guard isLast else { return }
            close(descriptor)
            input = nil
        }
    }

    /// Waits for its end and all of its output.
    ///
    /// - Throws: ``TimedOut`` after so many seconds, the program being killed.
    func finish(within seconds: Double = 60) async throws -> Outcome {
        let limit = seconds * Self.slowness
        let isInTime = await withCheckedContinuation {
            (continuation: CheckedContinuation<Bool, Never>) in
            Thread.detachNewThread { [self] in
                let isInTime = child.waitForEnd(within: limit)
                if !isInTime { child.signal(SIGKILL) }
                // Its children may hold the pipes longer than it lives itself.
                let isComplete =
                    output.waitForEnd(within: 10) && errorOutput.waitForEnd(within: 10)
                continuation.resume(returning: isInTime && isComplete)
            }
        }
        guard isInTime else { throw TimedOut(words: words, output: text, errors: errors) }
        return Outcome(code: child.exitCode, stdout: output.data, errors: errors)
    }

    /// Waits for its end, and leaves it alone where that does not come.
    func isEnded(within seconds: Double) async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            Thread.detachNewThread { [self] in
                continuation.resume(returning: child.waitForEnd(within: seconds))
            }
        }
    }

    /// Waits until something holds of the program, looking again and again.
    ///
    /// - Throws: ``TimedOut`` where it does not within so many seconds.
    func wait(within seconds: Double = 30, until condition: () async throws -> Bool) async throws {
        let deadline = Date(timeIntervalSinceNow: seconds * Self.slowness)
        while try await !condition() {
            guard Date() < deadline, isRunning else {
                signal(SIGKILL)
                throw TimedOut(words: words, output: text, errors: errors)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    struct TimedOut: Error, CustomStringConvertible {
        let words: String
        let output: String
        let errors: String

        var description: String {
            "\(words): no end in time\nstdout: \(output.suffix(2000))\nstderr: \(errors.suffix(2000))"
        }
    }
}

// MARK: - Where programs are

extension Program {
    /// The root of the package.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Whether the tests run under a sanitizer: then memory and time say nothing.
    static let isSanitized = ProcessInfo.processInfo.environment["PUSHBENCH_SANITIZER"] != nil

    private static let slowness = isSanitized ? 5.0 : 1

    /// The program under test: `PUSHBENCH_BINARY`, else the debug build.
    static func binary() throws -> String {
        let path =
            ProcessInfo.processInfo.environment["PUSHBENCH_BINARY"]
            ?? root + "/.build/debug/pushbench"
        try #require(
            FileManager.default.isExecutableFile(atPath: path) && path.hasSuffix("/pushbench"),
            """
            There is no program pushbench at \(path): build it with `swift build`, or give its \
            path in PUSHBENCH_BINARY.
            """
        )
        return path
    }

    static func binaryFolder() throws -> String {
        URL(fileURLWithPath: try binary()).deletingLastPathComponent().path
    }
}

// MARK: - Ways to start one

extension Program {
    /// Runs pushbench to its end.
    static func pushbench(
        _ words: [String],
        input: String? = nil,
        environment: [String: String?] = [:],
        in folder: String? = nil,
        within seconds: Double = 60
    ) async throws -> Outcome {
        let program = try Program(
            path: binary(),
            words,
            keepsInput: input != nil,
            environment: environment,
            in: folder
        )
        if let input { program.type(input, isLast: true) }
        return try await program.finish(within: seconds)
    }

    static func pushbench(
        _ words: String...,
        input: String? = nil,
        in folder: String? = nil,
        within seconds: Double = 60
    ) async throws -> Outcome {
        try await pushbench(words, input: input, in: folder, within: seconds)
    }

    /// Starts a program of the system, found by its name.
    static func tool(
        _ name: String,
        _ arguments: [String],
        in folder: String? = nil
    ) throws
        -> Program
    {
        try Program(path: "/usr/bin/env", [name] + arguments, in: folder)
    }

    /// Runs a program of the system to its end.
    static func run(_ name: String, _ arguments: [String]) async throws -> Outcome {
        try await tool(name, arguments).finish()
    }

    /// Runs a script of bash in which `pushbench` is the program under test.
    static func shell(
        _ script: String,
        environment: [String: String?] = [:],
        in folder: String,
        within seconds: Double = 60
    ) async throws -> Outcome {
        try await Program(
            path: "/bin/bash",
            ["-uc", script],
            environment: environment,
            in: folder
        ).finish(within: seconds)
    }
}
