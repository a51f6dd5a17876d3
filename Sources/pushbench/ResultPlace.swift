import Foundation
import Results

/// Where `--out` and `--save` put a result.
enum ResultPlace {
    /// The folder of stored results, below where the program was started.
    static let root = "results"

    /// The store of `--store`, or the usual one, which may not be there yet.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 where `--store` names no folder to be read.
    static func chosenStore(_ arguments: Arguments) throws(CommandFault) -> ResultStore {
        guard let path = arguments["store"] else { return ResultStore(root: root) }
        guard isFolder(path) ?? false, access(path, R_OK | X_OK) == 0 else {
            throw CommandFault(
                .invalidInput,
                "--store \(path) is no folder that can be read: give one of stored results."
            )
        }
        return ResultStore(root: path)
    }

    /// The files of a listing; folders that could not be read are named on stderr.
    static func paths(_ listing: ResultStore.Listing) -> [String] {
        for fault in listing.faults { Terminal.complain("pushbench: \(fault)") }
        return listing.paths
    }

    /// Whether a path leads to something, be it that it cannot be looked at: reading tells why.
    static func isThere(_ path: String) -> Bool {
        // Several names with commas between them may be too long for one.
        access(path, F_OK) == 0 || ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno)
    }

    /// Finds out before a run what would keep its result from being written after it.
    ///
    /// - Throws: A ``CommandFault`` with exit code 1 that names the place, the cause and the mend.
    static func check(_ arguments: Arguments) throws(CommandFault) {
        try checkOut(arguments)
        if let path = arguments["rejected-out"], !Terminal.isStandardOutput(path) {
            try check(file: path)
        }
        if arguments.has("save") {
            try check(isFolder(root) ?? false ? root : ".", isNamed: root)
        }
    }

    /// The same for `--out` alone.
    static func checkOut(_ arguments: Arguments) throws(CommandFault) {
        if let path = arguments["out"], !Terminal.isStandardOutput(path) { try check(file: path) }
    }

    /// Writes a text to `--out`, or to stdout.
    static func write(_ text: String, _ arguments: Arguments) throws(ResultError) {
        if let path = arguments["out"], !Terminal.isStandardOutput(path) {
            try TextFile.write(text, to: path)
        } else {
            Terminal.print(text, terminator: "")
        }
    }

    /// Writes the result to the places asked for.
    static func store(_ result: ResultFile, _ arguments: Arguments) throws {
        if let path = arguments["out"] {
            if Terminal.isStandardOutput(path) {
                Terminal.write([UInt8](try result.encoded()))
            } else {
                try result.write(to: path)
            }
        }
        guard arguments.has("save") else { return }
        let path = try ResultStore(root: root).save(result)
        if !arguments.has("json") { Terminal.complain("The result is stored at \(path)") }
    }

    private static func check(file path: String) throws(CommandFault) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // A folder says so itself; a device or pipe is written in place.
            return try check(path, isNamed: path, isFolder: false)
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try check(folder, isNamed: path)
    }

    private static func check(
        _ path: String,
        isNamed name: String,
        isFolder wanted: Bool = true
    ) throws(CommandFault) {
        guard let found = isFolder(path) else { throw fault(name, errno) }
        guard found == wanted else { throw fault(name, wanted ? ENOTDIR : EISDIR) }
        guard access(path, wanted ? W_OK | X_OK : W_OK) == 0 else { throw fault(name, errno) }
    }

    /// Whether `path` is a folder; nil where there is nothing, with the reason in `errno`.
    static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
    }

    private static func fault(_ path: String, _ errorNumber: Int32) -> CommandFault {
        let error = ResultError.unwritable(path: path, fault: FileFault(code: errorNumber))
        return CommandFault(.runFailed, error.description)
    }
}
