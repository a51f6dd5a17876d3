import Foundation
import Results

/// A new folder below the system's place for temporary files, with everything in it gone at the end.
final class TemporaryFolder: Sendable {
    /// Where it is.
    let path: String

    /// Makes the folder, for this user alone.
    ///
    /// - Throws: A ``CommandFault`` with exit code 1 that names the place.
    init() throws(CommandFault) {
        let place = NSTemporaryDirectory()
        // The system's call replaces the six letters by a name that nobody else has.
        var path = Array((place + "pushbench-XXXXXX").utf8CString)
        guard mkdtemp(&path) != nil else {
            throw CommandFault(.runFailed, "No temporary folder can be made below \(place).")
        }
        self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the folder early; harmless when it is gone.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    deinit { remove() }
}
