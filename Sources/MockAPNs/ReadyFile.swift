import Glibc

/// A file that tells another process that a mock listens, and where.
///
/// There is one for as long as the mock listens: what an earlier mock left is removed first, and
/// this one's when it ends.
public struct ReadyFile: Sendable {
    /// The files that were written, and which ones they are.
    private var written: [Identity] = []

    private struct Identity {
        let path: String
        let device: dev_t
        let inode: ino_t

        init?(path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            self.path = path
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// Removes a ready file that an earlier mock left; call it before the mock listens.
    ///
    /// - Parameter path: The file; pipes and devices are left alone.
    public static func removeLeftover(at path: String) {
        if Identity(path: path) != nil { unlink(path) }
    }

    /// Writes `path` with `host`, `port` and, under TLS, `caFile`.
    ///
    /// The file appears whole, under a temporary name first: who sees it can connect. A pipe or
    /// device is written as it is.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - server: The mock that listens.
    ///   - caFile: Where the certificate is already; nil writes it beside the file, with `.ca.pem`
    ///     added to the name. Ignored without TLS.
    /// - Throws: ``ReadyFileError``.
    public init(
        at path: String,
        for server: MockServer,
        caFile: String? = nil
    ) throws(ReadyFileError) {
        var text = JSONText()
        var ownFiles = [path]
        var caFile = server.certificatePEM == nil ? nil : caFile
        if caFile == nil, server.certificatePEM != nil {
            let beside = path + ".ca.pem"
            try Self.writeCertificate(of: server, to: beside)
            ownFiles.append(beside)
            caFile = beside
        }
        text.object {
            $0.field("host", server.host)
            $0.field("port", server.port)
            // Its reader may work in another folder.
            if let caFile { $0.field("caFile", Self.wholePath(of: caFile)) }
        }
        do throws(ReadyFileError) {
            try Self.replace(path, with: text.text + "\n")
        } catch {
            ownFiles.dropFirst().forEach(Self.removeLeftover)
            throw error
        }
        written = ownFiles.compactMap(Identity.init)
    }

    /// Writes the certificate that clients have to trust, in PEM.
    ///
    /// - Parameters:
    ///   - server: A mock; without TLS nothing is written.
    ///   - path: The file.
    /// - Throws: ``ReadyFileError``.
    public static func writeCertificate(
        of server: MockServer,
        to path: String
    ) throws(ReadyFileError) {
        if let pem = server.certificatePEM { try replace(path, with: pem) }
    }

    /// Removes what was written, unless it was replaced meanwhile.
    public func remove() {
        for file in written {
            guard let now = Identity(path: file.path), now.device == file.device,
                now.inode == file.inode
            else { continue }
            unlink(file.path)
        }
    }

    private static func wholePath(of path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func replace(_ path: String, with text: String) throws(ReadyFileError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard file >= 0 else { throw ReadyFileError(path: path, errno: errno) }
            defer { close(file) }
            let failure = writeAll(text, to: file)
            guard failure == 0 else { throw ReadyFileError(path: path, errno: failure) }
            return
        }
        let temporary = "\(path).\(getpid()).tmp"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw ReadyFileError(path: path, errno: errno) }
        var failure = writeAll(text, to: file)
        close(file)
        if failure == 0, rename(temporary, path) != 0 { failure = errno }
        guard failure != 0 else { return }
        unlink(temporary)
        throw ReadyFileError(path: path, errno: failure)
    }

    /// Writes a text; the `errno` of the call that failed, else 0.
    private static func writeAll(_ text: String, to file: CInt) -> CInt {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count > 0 { written += count } else if errno != EINTR { return errno }
        }
        return 0
    }
}

/// Why a ready file or a certificate could not be written.
public struct ReadyFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The system's error number.
    public let errno: CInt

    /// One sentence that names the file and the cause.
    public var description: String {
        let cause = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return "The file \(path) cannot be written: \(cause)."
    }
}
