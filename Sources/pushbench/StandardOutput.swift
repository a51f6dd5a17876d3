/// Who may write to standard output: one document for whoever reads it.
enum StandardOutput {
    /// Refuses a run of a command of which two things would stand on standard output, or one that has
    /// to be a file.
    ///
    /// - Parameters:
    ///   - arguments: The flags; `--json` claims standard output where it is given.
    ///   - claimants: The flags that take `-` for standard output.
    ///   - files: The flags that need a file, with what becomes of it.
    /// - Throws: ``UsageError`` that names the flags.
    static func check(
        _ arguments: Arguments,
        claimants: [String],
        files: KeyValuePairs<String, String> = [:]
    ) throws(UsageError) {
        for (flag, reason) in files where arguments[flag] == "-" {
            throw UsageError("--\(flag) - is no file, and \(reason): give the name of one.")
        }
        var claims = arguments.has("json") ? ["--json"] : []
        for flag in claimants {
            guard let path = arguments[flag], Terminal.isStandardOutput(path) else { continue }
            claims.append("--\(flag) \(path)")
        }
        guard claims.count > 1 else { return }
        throw UsageError(
            "\(claims[0]) and \(claims[1]) both write to standard output: give one of them a file, "
                + "or leave it out."
        )
    }

    /// Whether one of these flags has claimed standard output, so that what people read goes to stderr.
    static func isClaimed(_ arguments: Arguments, by flags: [String]) -> Bool {
        flags.contains { arguments[$0].map(Terminal.isStandardOutput) ?? false }
    }
}
