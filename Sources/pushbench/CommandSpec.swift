/// What a command takes: the one table that parsing, `--help` and the README's test read.
struct CommandSpec: Sendable {
    /// The command's words, for example `installs generate`.
    var name: String
    /// One line for the list of commands.
    var summary: String
    /// Names of the positional arguments, for the usage line; `[X]` is optional.
    var positionals: [String] = []
    var flags: [Flag] = []
    /// What else `--help` says, after the flags.
    var notes: String = ""

    struct Flag: Sendable {
        /// The name without its dashes.
        var name: String
        /// What stands for the value in the usage; nil for a switch.
        var value: String?
        var help: String
        var isRepeatable = false
        /// Whether an empty value means something.
        var mayBeEmpty = false
    }

    /// Whether the last positional argument may come any number of times.
    var takesMore: Bool { positionals.last?.hasSuffix("...]") ?? false }

    static let helpFlag = Flag(name: "help", value: nil, help: "Print this text.")

    /// The text of `--help`.
    var help: String {
        var lines = ["usage: pushbench \(name)" + (flags.isEmpty ? "" : " [flags]")]
        if !positionals.isEmpty { lines[0] += " " + positionals.joined(separator: " ") }
        lines += ["", summary, "", "flags:"]
        for flag in flags + [Self.helpFlag] {
            let left = "  --\(flag.name)" + (flag.value.map { " \($0)" } ?? "")
            let words = Self.wrapped(flag.help, width: 64)
            let padding = String(repeating: " ", count: max(2, 34 - left.count))
            lines.append(left + (left.count > 32 ? "\n" + Self.indent : padding) + words[0])
            lines += words.dropFirst().map { Self.indent + $0 }
        }
        if !notes.isEmpty { lines += ["", notes] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let indent = String(repeating: " ", count: 34)

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = String(word)
            } else if lines[lines.count - 1].count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
