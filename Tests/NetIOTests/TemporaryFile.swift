import Foundation

/// A file that is gone after the test.
final class TemporaryFile {
    let path: String

    init(_ contents: String) throws {
        path = Self.newPath()
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
    }

    init(_ contents: [UInt8]) throws {
        path = Self.newPath()
        try Data(contents).write(to: URL(fileURLWithPath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static func newPath() -> String {
        NSTemporaryDirectory() + "pushbench-" + UUID().uuidString
    }
}
