import Glibc

/// A journal's file: locked, read whole once, then appended to.
///
/// Used by one thread at a time, but for ``sync()``, which any may call meanwhile.
final class JournalFile: @unchecked Sendable {
    // Safe to share: its owner's lock is around all but `sync`, which touches the descriptor alone.

    /// The system call that writes at an offset; tests replace it to fill the disk.
    typealias Write = @Sendable (CInt, UnsafeRawPointer?, Int, Int) -> Int

    let path: String
    let descriptor: CInt
    private let write: Write
    /// The bytes that are whole lines; what a failed write left behind them is cut off.
    private var length = 0

    /// Opens or makes the file, for this process alone.
    init(
        path: String,
        write: @escaping Write = { pwrite($0, $1, $2, $3) }
    ) throws(JournalError) {
        self.path = path
        self.write = write
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .unusable(path: path, reason: Self.errorText()) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusable(path: path, reason: "it must be a regular file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? .inUse(path: path) : .unusable(path: path, reason: Self.errorText())
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child between fork and exec holds a copy, which would keep the lock after the close.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// All its bytes.
    func read() throws(JournalError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unusable(path: path, reason: Self.errorText()) }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }

    /// Says how many bytes are good; what is behind them is cut off.
    func keep(_ count: Int) throws(JournalError) {
        length = count
        guard ftruncate(descriptor, count) == 0 else {
            throw .unusable(path: path, reason: Self.errorText())
        }
    }

    /// Appends lines: all of them, or the file stays as it was.
    func append(_ bytes: [UInt8]) throws(JournalError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done,
                    length + done
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = count < 0 ? Self.errorText() : "nothing was taken"
                // A torn line would be recognised; this leaves none where it can be helped.
                _ = ftruncate(descriptor, length)
                throw .unwritable(path: path, reason: reason)
            }
            done += count
        }
        length += done
    }

    /// Has what was appended on the disk: after a power cut it is there.
    func sync() throws(JournalError) {
        guard fdatasync(descriptor) == 0 else {
            throw .unwritable(path: path, reason: Self.errorText())
        }
    }

    private static func errorText() -> String { String(cString: strerror(errno)) }
}
