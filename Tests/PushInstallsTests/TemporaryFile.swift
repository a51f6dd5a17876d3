import Glibc

/// A nameless file that is gone with its value.
struct TemporaryFile: ~Copyable {
    private let file: UnsafeMutablePointer<FILE>

    init(_ bytes: [UInt8] = []) {
        guard let file = tmpfile() else { preconditionFailure("no temporary file can be made") }
        self.file = file
        let written = fwrite(bytes, 1, bytes.count, file)
        precondition(written == bytes.count, "the temporary file cannot be written")
        fflush(file)
        rewind(file)
    }

    init(_ text: String) { self.init(Array(text.utf8)) }

    deinit { fclose(file) }

    var descriptor: Int32 { fileno(file) }

    /// The whole content, whatever was read or written before.
    func contents() -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        lseek(descriptor, 0, SEEK_SET)
        return bytes
    }
}
