import Glibc

/// Why a record could not be written.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file; nil is stdout.
    public let path: String?
    /// The system's error number; 0 where it took nothing for too long.
    public let errno: CInt

    /// One sentence that names the file, the cause and the mend.
    public var description: String {
        "\(Self.name(of: path)) cannot be written: \(cause); \(mend)."
    }

    /// How a sentence calls the record.
    static func name(of path: String?) -> String {
        path.map { "The record \($0)" } ?? "The record on stdout"
    }

    /// What the system says.
    var cause: String {
        if errno == 0 { return "nothing was taken for too long" }
        return strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    }

    private var mend: String {
        switch errno {
        case 0: "see what its reader does"
        case ENOSPC, EDQUOT, EFBIG: "free some space or choose a path on another disk"
        case ENOENT: "make its folder first"
        case EISDIR: "add the name of a file"
        default: path == nil ? "redirect it elsewhere" : "choose a path that you may write to"
        }
    }
}
