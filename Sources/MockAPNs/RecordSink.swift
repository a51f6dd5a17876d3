import Glibc

/// The file, pipe or device that a record goes to; touched by its writer's thread alone.
final class RecordSink: @unchecked Sendable {
    // Unchecked: made by the starter, then used by one thread.

    private let descriptor: CInt
    private let isRegular: Bool
    private let isOwned: Bool

    /// Opens a file for its owner alone, empty; or takes stdout where `path` is nil.
    ///
    /// A pipe or device is written as it is, and opening a pipe waits for its reader.
    init(path: String?) throws(RecordError) {
        guard let path else {
            let flags = fcntl(STDOUT_FILENO, F_GETFL)
            guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
                throw RecordError(path: nil, errno: EBADF)
            }
            descriptor = STDOUT_FILENO
            isRegular = false
            isOwned = false
            return
        }
        // To append: who empties the file meanwhile gets the later lines at its start.
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY
        let file = open(path, flags, 0o600)
        guard file >= 0 else { throw RecordError(path: path, errno: errno) }
        var status = stat()
        fstat(file, &status)
        descriptor = file
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isOwned = true
        // A file that was there may be open to others: device tokens are personal.
        if isRegular, status.st_mode & 0o777 != 0o600, fchmod(file, 0o600) != 0 {
            throw RecordError(path: path, errno: errno)
        }
    }

    deinit { if isOwned { close(descriptor) } }

    /// Writes whole lines.
    ///
    /// A file keeps no part of a line: what a full disk took of one is cut off again.
    ///
    /// - Parameters:
    ///   - lines: The bytes.
    ///   - progress: Told the number of bytes that were taken, after each call of the system.
    /// - Returns: How many bytes were taken, and the system's error where that is not all.
    func write(
        _ lines: UnsafeRawBufferPointer,
        progress: (Int) -> Void
    ) -> (written: Int, errno: CInt) {
        var written = 0
        while written < lines.count {
            let rest = UnsafeRawBufferPointer(rebasing: lines[written...])
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                written += count
                progress(count)
                continue
            }
            switch count < 0 ? errno : ENOSPC {
            case EINTR: continue
            case EAGAIN:
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
            case let fault: return (cutPartialLine(of: lines, written: written), fault)
            }
        }
        return (written, 0)
    }

    /// Takes the part of a line at the file's end away.
    ///
    /// - Returns: How many of the written bytes are left.
    private func cutPartialLine(of lines: UnsafeRawBufferPointer, written: Int) -> Int {
        let whole = (lines[..<written].lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        guard isRegular, whole < written else { return whole }
        var status = stat()
        if fstat(descriptor, &status) == 0 {
            ftruncate(descriptor, max(0, status.st_size - (written - whole)))
        }
        return whole
    }
}
