import Foundation
import Report
import Results

/// Finds D3 on this machine.
enum PlotLibraryFile {
    /// The library of a `--plots` value.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 for a named file that is of no use.
    static func find(_ choice: String?) throws -> PlotLibrary? {
        switch choice {
        case "none": return nil
        case let path?:
            let bytes = try InputFile.bytes(path, what: "plot library")
            guard let library = PlotLibrary(path: path, bytes: bytes) else {
                throw CommandFault(
                    .invalidInput,
                    "The plot library \(path) is not D3: give d3.min.js, or none."
                )
            }
            return library
        case nil:
            let known = PlotLibrary.knownPaths.lazy.compactMap(read).first
            return known ?? packageFiles().lazy.compactMap(read).first
        }
    }

    private static func read(_ path: String) -> PlotLibrary? {
        guard access(path, R_OK) == 0, let bytes = try? InputFile.bytes(path, what: "plot library")
        else { return nil }
        return PlotLibrary(path: path, bytes: bytes)
    }

    /// Where the package says that it has put it, on a system with another layout.
    private static func packageFiles() -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dpkg")
        process.arguments = ["-L", PlotLibrary.package]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasSuffix("/d3.min.js") }
    }
}
