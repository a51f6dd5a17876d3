import Foundation
import Results

/// Reads the small files that flags name.
enum InputFile {
    /// A file's bytes; `-` is standard input.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 that names the file and the cause.
    static func bytes(_ path: String, what: String) throws -> [UInt8] {
        do {
            if path == "-" { return [UInt8](try FileHandle.standardInput.readToEnd() ?? Data()) }
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandFault(.invalidInput, unreadable(path, what: what))
        }
    }

    /// A sentence about a file that cannot be read.
    static func unreadable(_ path: String, what: String) -> String {
        var isDirectory: ObjCBool = false
        let cause =
            if !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
                "there is no such file"
            } else if isDirectory.boolValue {
                "it is a folder"
            } else {
                "it cannot be read; look at its permissions"
            }
        return "The \(what) \(path) cannot be used: \(cause)."
    }
}
