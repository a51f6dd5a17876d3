import Foundation

/// Refuses a run that would write one file over another one of its own.
enum FileClash {
    private static let written = ["journal", "out", "rejected-out"]
    private static let read = [
        "installs", "message", "auth-key", "cert", "cert-key", "cert-password-file", "cacert",
    ]

    /// Looks whether a file that the run writes is another one that it writes or reads.
    ///
    /// - Throws: ``UsageError`` that names both flags.
    static func check(_ arguments: Arguments) throws(UsageError) {
        var seen: [(flag: String, path: String)] = []
        for flag in read + written {
            guard let value = arguments[flag], value != "-", let path = place(of: value) else {
                continue
            }
            if written.contains(flag), let other = seen.first(where: { $0.path == path }) {
                throw UsageError(
                    "--\(flag) \(value) is the file of --\(other.flag): it would be lost; give "
                        + "another file."
                )
            }
            seen.append((flag, path))
        }
    }

    /// Where a path leads to, by whatever links; nil where that is no regular file and none to be.
    private static func place(of path: String) -> String? {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            return "\(status.st_dev) \(status.st_ino)"
        }
        return URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
