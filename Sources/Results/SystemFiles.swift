/// The files in which Linux describes itself, below a root that tests replace.
struct SystemFiles {
    /// What stands before /proc, /sys and /etc; empty for this machine.
    let root: String

    /// A line `name: value` or `name=value`.
    struct Field {
        /// What stands before the separator, without white space around it.
        var name: String
        /// What stands after it, without white space around it.
        var value: String
    }

    /// The file's content; nil where it cannot be read.
    func text(_ path: String) -> String? {
        (try? AtomicFile.read(root + path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The file's first line without white space around it; nil where there is none.
    func line(_ path: String) -> String? {
        text(path)?.split(whereSeparator: \.isNewline).first.map { trimmed($0) }
    }

    /// The lines of the file that have `separator`.
    func fields(_ path: String, separator: Character) -> [Field] {
        (text(path) ?? "").split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(
                separator: separator,
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return parts.count == 2
                ? Field(name: trimmed(parts[0]), value: trimmed(parts[1])) : nil
        }
    }

    private func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true {
            text.removeLast()
        }
        return String(text)
    }
}
