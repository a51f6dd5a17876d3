import Glibc

/// Tells another process, by a file, that a mock listens and where.
public enum ReadyFile {
    /// Writes `path` with `host`, `port` and, under TLS, `caFile`, and the certificate beside it.
    ///
    /// Each file appears whole, under a temporary name first: who sees `path` can connect.
    ///
    /// - Parameters:
    ///   - path: The file; the certificate goes to the same name with `.ca.pem` added.
    ///   - server: The mock that listens.
    /// - Throws: ``ReadyFileError``.
    public static func write(to path: String, for server: MockServer) throws(ReadyFileError) {
        var text = JSONText()
        let caFile = server.certificatePEM.map { _ in path + ".ca.pem" }
        if let caFile, let pem = server.certificatePEM { try replace(caFile, with: pem) }
        text.object {
            $0.field("host", server.host)
            $0.field("port", server.port)
            if let caFile { $0.field("caFile", caFile) }
        }
        try replace(path, with: text.text + "\n")
    }

    private static func replace(_ path: String, with text: String) throws(ReadyFileError) {
        let temporary = "\(path).\(getpid()).tmp"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw ReadyFileError(path: path, errno: errno) }
        let bytes = Array(text.utf8)
        var written = 0
        var failure: CInt = 0
        while written < bytes.count, failure == 0 {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count > 0 { written += count } else if errno != EINTR { failure = errno }
        }
        close(file)
        if failure == 0, rename(temporary, path) != 0 { failure = errno }
        guard failure != 0 else { return }
        unlink(temporary)
        throw ReadyFileError(path: path, errno: failure)
    }
}

/// Why a ready file could not be written.
public struct ReadyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The system's error number.
    public let errno: CInt

    /// One sentence that names the file and the cause.
    public var description: String {
        let cause = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return "The ready file \(path) cannot be written: \(cause)."
    }
}
