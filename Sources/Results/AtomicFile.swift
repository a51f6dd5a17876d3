import Glibc

/// Whole files, read and written so that nobody sees half of one.
package enum AtomicFile {
    /// Puts `bytes` under `path`: all of them, or the path stays as it was and no file is left.
    ///
    /// A symbolic link is followed. What exists and is no regular file, as /dev/stdout or a pipe,
    /// is written in place: it could not be replaced without harm.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - path: Where it goes; the folder has to exist.
    ///   - mode: Who may read and write a new file.
    ///   - write: The system call, which tests replace to fill the disk.
    /// - Throws: ``FileFault`` of the first call that failed.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        mode: UInt32 = 0o644,
        with write: (CInt, UnsafeRawPointer?, Int) -> Int = Glibc.write
    ) throws(FileFault) {
        let target = resolved(path)
        var status = stat()
        if stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let file = open(target, O_WRONLY | O_CLOEXEC)
            guard file >= 0 else {
                throw FileFault(code: errno)
            }
            defer { close(file) }
            return try writeAll(bytes, to: file, with: write)
        }

        let folder = folderAndName(target).folder
        let temporary = temporaryPath(beside: target)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else {
            throw FileFault(code: errno)
        }
        do {
            try writeAll(bytes, to: file, with: write)
            // Without this a crash of the machine could keep the name and lose the content.
            try check(fsync(file))
        } catch {
            close(file)
            unlink(temporary)
            throw error
        }
        do {
            try check(close(file))
            try check(rename(temporary, target))
        } catch {
            unlink(temporary)
            throw error
        }
        syncFolder(folder)
    }

    /// Makes a folder and those above it; one that exists is fine.
    static func makeFolder(_ path: String) throws(FileFault) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o755) != 0, errno != EEXIST {
                throw FileFault(code: errno)
            }
        }
    }

    /// No result is as long; it keeps a device without an end from filling the memory.
    private static let mostBytes = 512 << 20

    /// The bytes of a whole file; `EFBIG` of one that is too long for any result.
    static func read(_ path: String, most: Int = mostBytes) throws(FileFault) -> [UInt8] {
        // A blocking open would wait for another writer of a pipe though one has been and gone.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            throw FileFault(code: errno)
        }
        defer { close(file) }
        _ = fcntl(file, F_SETFL, 0)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR {
                continue
            }
            guard count >= 0 else {
                throw FileFault(code: errno)
            }
            guard count > 0 else {
                return bytes
            }
            bytes += chunk.prefix(count)
            guard bytes.count <= most else {
                throw FileFault(code: EFBIG)
            }
        }
    }

    private static func writeAll(
        _ bytes: [UInt8],
        to file: CInt,
        with write: (CInt, UnsafeRawPointer?, Int) -> Int
    ) throws(FileFault) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(file, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if count < 0, errno == EINTR {
                continue
            }
            guard count > 0 else {
                throw FileFault(code: count < 0 ? errno : ENOSPC)
            }
            done += count
        }
    }

    private static func check(_ status: CInt) throws(FileFault) {
        guard status == 0 else {
            throw FileFault(code: errno)
        }
    }

    /// The file that a link leads to; the path itself where there is nothing yet.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else {
            return path
        }
        defer { free(real) }
        return String(cString: real)
    }

    private static func folderAndName(_ path: String) -> (folder: String, name: Substring) {
        guard let slash = path.lastIndex(of: "/") else {
            return (".", path[...])
        }
        return (String(path[...slash]), path[path.index(after: slash)...])
    }

    /// A hidden name in the folder of `path` that no other process uses.
    private static func temporaryPath(beside path: String) -> String {
        let (folder, name) = folderAndName(path)
        let random = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return "\(folder)/.\(name.prefix(100)).\(random).tmp"
    }

    /// Puts the new name on the disk too.
    ///
    /// Some file systems refuse this, and the file is whole either way: no error.
    private static func syncFolder(_ folder: String) {
        let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if handle >= 0 {
            fsync(handle)
            close(handle)
        }
    }
}
