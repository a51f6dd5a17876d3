import Foundation

/// A temporary folder for as long as a test needs it.
final class Folder: Sendable {
    let path: String

    init() throws {
        let name = "/pushbench-test-\(UUID().uuidString)"
        path = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, Data(text.utf8))
    }

    @discardableResult
    func write(_ name: String, _ data: Data) throws -> String {
        let file = path + "/" + name
        try data.write(to: URL(fileURLWithPath: file))
        return file
    }

    func makeFolder(_ name: String) throws -> String {
        let folder = path + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }

    /// All files in it, below it too, by their paths from here.
    func files() throws -> [String] {
        let found = try FileManager.default.subpathsOfDirectory(atPath: path)
        return found.filter { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
            return !isFolder.boolValue
        }.sorted()
    }
}
