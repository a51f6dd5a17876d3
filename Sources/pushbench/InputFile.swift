import Foundation
import Results

/// Reads the small files that flags name.
enum InputFile {
    /// More than any message, key or scenario; it keeps `/dev/zero` from filling the memory.
    private static let mostBytes = 64 << 20

    /// The bytes of a file, a pipe or a device, and for `-` of standard input.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 that names the file and the cause.
    static func bytes(_ path: String, what: String) throws(CommandFault) -> [UInt8] {
        guard path != "-" else { return try bytes(from: STDIN_FILENO, "\(what) - (stdin)") }
        let descriptor = try open(path, what: what)
        defer { close(descriptor) }
        return try bytes(from: descriptor, "\(what) \(path)")
    }

    /// Looks whether a file that a library will open can be opened, for a better sentence.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 that names the file and the cause.
    static func check(_ path: String?, what: String) throws(CommandFault) {
        guard let path else { return }
        guard access(path, R_OK) == 0 else { throw unreadable("\(what) \(path)", errno) }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw unreadable("\(what) \(path)", EISDIR)
        }
        try awaitContent(path, what: what)
    }

    /// Waits until a pipe that a library will open has something to read; other files are left alone.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 that names the file and the cause.
    static func awaitContent(_ path: String, what: String) throws(CommandFault) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
        // Left open: a pipe's content is gone with its last reader, and its writer is killed.
        _ = try open(path, what: what)
    }

    /// Opens a file; a pipe that keeps it waiting is told of on stderr.
    private static func open(_ path: String, what: String) throws(CommandFault) -> Int32 {
        // Without O_NONBLOCK the call itself would wait for a pipe's writer, without a word.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable("\(what) \(path)", errno) }
        var reading = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready: Int32
        repeat { ready = poll(&reading, 1, patienceMilliseconds) } while ready < 0 && errno == EINTR
        if ready == 0 {
            Terminal.complain(
                "pushbench: Waiting for the \(what) \(path): nothing has been written to it yet."
            )
            while poll(&reading, 1, -1) < 0, errno == EINTR {}
        }
        _ = fcntl(descriptor, F_SETFL, 0)
        return descriptor
    }

    private static let patienceMilliseconds: Int32 = 1_000

    /// Whether two names are those of one file; false where one of them is none's.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (left, right) = (stat(), stat())
        guard stat(path, &left) == 0, stat(other, &right) == 0 else { return false }
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }

    private static func bytes(
        from descriptor: Int32,
        _ name: String
    ) throws(CommandFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 {
                guard errno == EINTR else { throw unreadable(name, errno) }
                continue
            }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= mostBytes else {
                throw CommandFault(
                    .invalidInput,
                    "The \(name) cannot be used: it has more than \(mostBytes >> 20) MiB."
                )
            }
        }
    }

    private static func unreadable(_ name: String, _ errorNumber: Int32) -> CommandFault {
        let cause =
            switch errorNumber {
            case ENOENT: "there is no such file"
            case EISDIR: "it is a folder"
            case EACCES: "it may not be read; look at its permissions"
            default: String(cString: strerror(errorNumber))
            }
        return CommandFault(.invalidInput, "The \(name) cannot be used: \(cause).")
    }
}
