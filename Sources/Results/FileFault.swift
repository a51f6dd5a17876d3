import Glibc

/// A system call on a file that failed.
public struct FileFault: Error, Equatable, Sendable {
    /// The call's `errno`.
    public let code: Int32

    /// Makes a fault.
    ///
    /// - Parameter code: The call's `errno`.
    public init(code: Int32) { self.code = code }

    /// What the system says, for example "No space left on device".
    public var reason: String {
        String(cString: strerror(code))
    }

    /// What to do about a file that cannot be written.
    public var mend: String {
        switch code {
        case ENOSPC, EDQUOT: "free some space or choose a path on another disk"
        case ENOENT: "make its folder first"
        case EISDIR: "add the name of a file"
        default: "choose a path that you may write to"
        }
    }
}
