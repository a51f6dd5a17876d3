import Foundation
import Testing

/// A program that a test has started: pushbench as a rule.
final class Program: @unchecked Sendable {
    // Safe to share: `Process` is only asked for its end after it, and told signals before.

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

    private let process = Process()
    private let output = Capture()
    private let errorOutput = Capture()
    private let input: Pipe?
    private let exited = DispatchSemaphore(value: 0)
    private let words: String

    /// What it has written to stdout so far.
    var text: String { output.text }
    /// What it has written to stderr so far.
    var errors: String { errorOutput.text }
    var pid: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The executable.
    ///   - arguments: Its arguments.
    ///   - keepsInput: Whether ``type(_:)`` follows; else standard input is empty.
    ///   - environment: Variables beside the test's own; nil takes one away.
    ///   - folder: The working directory.
    /// - Throws: What `Process` throws where it cannot be started.
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
        variables["PATH"] =
            "\(try Self.binaryFolder()):\(variables["PATH"] ?? "/usr/bin:/bin"):/usr/sbin"
        for (name, value) in environment { variables[name] = value }
        input = keepsInput ? Pipe() : nil
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = variables
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output.pipe
        process.standardError = errorOutput.pipe
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let exited = exited
        process.terminationHandler = { _ in exited.signal() }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(pid, SIGKILL) }
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Writes to its standard input.
    func type(_ text: String, isLast: Bool = false) {
        guard let handle = input?.fileHandleForWriting else { return }
        // A program that has ended already does not read: its outcome tells.
        try? handle.write(contentsOf: Data(text.utf8))
        if isLast { try? handle.close() }
    }

    /// Waits for its end and all of its output.
    ///
    /// - Throws: ``TimedOut`` after so many seconds, the program being killed.
    func finish(within seconds: Double = 60) async throws -> Outcome {
        let limit = seconds * Self.slowness
        let isInTime = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let isInTime = exited.wait(timeout: .now() + limit) == .success
                if !isInTime { kill(pid, SIGKILL) }
                // Its children may hold the pipes longer than it lives itself.
                let isComplete =
                    output.waitForEnd(within: 10) && errorOutput.waitForEnd(within: 10)
                continuation.resume(returning: isInTime && isComplete)
            }
        }
        guard isInTime else { throw TimedOut(words: words, output: text, errors: errors) }
        let hasExited = process.terminationReason == .exit
        return Outcome(
            code: hasExited ? process.terminationStatus : nil,
            stdout: output.data,
            errors: errors
        )
    }

    /// Waits until something holds of the program, looking again and again.
    ///
    /// - Throws: ``TimedOut`` where it does not within so many seconds.
    func wait(within seconds: Double = 30, until condition: () async throws -> Bool) async throws {
        let deadline = Date(timeIntervalSinceNow: seconds * Self.slowness)
        while try await !condition() {
            guard Date() < deadline, process.isRunning else {
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
