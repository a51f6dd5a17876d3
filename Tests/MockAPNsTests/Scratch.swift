import Foundation

/// Files and programs of tests.
enum Scratch {
    /// Calls `use` with the path of a file that holds `text` for as long as the call takes.
    static func withFile<R>(_ text: String, _ use: (String) throws -> R) throws -> R {
        let path = directory + "/pushbench-test-\(UUID().uuidString)"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try use(path)
    }

    static var directory: String { NSTemporaryDirectory() }

    /// Runs a program of the system and gives what it prints.
    static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/" + program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
