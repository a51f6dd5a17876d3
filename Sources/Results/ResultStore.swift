/// The folder of stored results: `<root>/<machine key>/<workload hash>/<id>.json`.
///
/// Results in one folder can be compared: same kind of machine, same workload.
public struct ResultStore: Sendable {
    /// The folder that holds one folder per machine key, `results` as a rule.
    public let root: String

    /// Makes a store; touches nothing on the disk.
    ///
    /// - Parameter root: The folder, made when the first result is saved.
    public init(root: String) {
        self.root = root
    }

    /// Where `result` belongs.
    ///
    /// - Parameter result: A result.
    /// - Returns: The path of its file.
    /// - Throws: ``ResultError/unsafeName(_:)`` where key, hash or id could lead out of the store.
    public func path(for result: ResultFile) throws(ResultError) -> String {
        for name in [result.machine.key, result.workload.hash, result.id] {
            guard Self.isSafe(name) else {
                throw .unsafeName(name)
            }
        }
        return "\(root)/\(result.machine.key)/\(result.workload.hash)/\(result.id).json"
    }

    /// Writes `result` to its place and makes the folders it needs.
    ///
    /// - Parameter result: A result.
    /// - Returns: The path of the file.
    /// - Throws: ``ResultError`` that names the path, the reason and the mend.
    @discardableResult
    public func save(_ result: ResultFile) throws(ResultError) -> String {
        let path = try path(for: result)
        do {
            try AtomicFile.makeFolder("\(root)/\(result.machine.key)/\(result.workload.hash)")
        } catch {
            throw .unwritable(path: path, fault: error)
        }
        try result.write(to: path)
        return path
    }

    /// Whether `name` is one part of a path, not hidden and not a step upwards.
    private static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 200
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
