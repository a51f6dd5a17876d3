import PushPayload

/// The words after a command, taken apart by its spec.
struct Arguments {
    private var values: [String: [String]] = [:]
    private(set) var positionals: [String] = []
    /// Whether `--help` or `-h` was among them.
    private(set) var wantsHelp = false

    /// Takes `words` apart: `--flag value`, `--flag=value`, switches, positionals; `--` ends flags.
    init(_ words: some Sequence<String>, for spec: CommandSpec) throws(UsageError) {
        var iterator = words.makeIterator()
        var flagsEnded = false
        while let word = iterator.next() {
            if flagsEnded || word == "-" || !word.hasPrefix("-") {
                positionals.append(word)
            } else if word == "--" {
                flagsEnded = true
            } else if word == "-h" || word == "--help" {
                wantsHelp = true
            } else {
                try take(word, rest: &iterator, spec: spec)
            }
        }
        guard positionals.count <= spec.positionals.count || spec.takesMore else {
            throw UsageError(
                "\(spec.name) takes no argument '\(positionals[spec.positionals.count])':"
                    + " see pushbench \(spec.name) --help."
            )
        }
    }

    private mutating func take(
        _ word: String,
        rest: inout some IteratorProtocol<String>,
        spec: CommandSpec
    ) throws(UsageError) {
        let parts = word.drop { $0 == "-" }.split(
            separator: "=",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let name = parts.first.map(String.init) ?? ""
        guard word.hasPrefix("--"), let flag = spec.flags.first(where: { $0.name == name }) else {
            let nearest = NearestName.find(name, in: spec.flags.map(\.name))
            throw UsageError(
                "Unknown flag \(word.split(separator: "=")[0])"
                    + (nearest.map { ": did you mean --\($0)?" }
                        ?? ": see pushbench \(spec.name) --help.")
            )
        }
        var value = ""
        if flag.value != nil {
            guard let given = parts.count == 2 ? String(parts[1]) : rest.next() else {
                throw UsageError("--\(name) needs a value: --\(name) \(flag.value ?? "").")
            }
            // `--out --json` is a forgotten value, not a file of that name.
            guard parts.count == 2 || !given.hasPrefix("--") else {
                throw UsageError(
                    "--\(name) needs a value and \(given) follows: give --\(name) "
                        + "\(flag.value ?? ""), or --\(name)=\(given) if that is meant."
                )
            }
            guard flag.mayBeEmpty || !given.isEmpty else {
                throw UsageError("--\(name) has an empty value: give \(flag.value ?? "").")
            }
            value = given
        } else if parts.count == 2 {
            throw UsageError("--\(name) is a switch and takes no value: write --\(name) alone.")
        }
        if !flag.isRepeatable, values[name] != nil {
            throw UsageError("--\(name) is given twice: give it once.")
        }
        values[name, default: []].append(value)
    }

    /// Whether a flag was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// A flag's value.
    subscript(name: String) -> String? { values[name]?.last }

    /// All values of a repeatable flag.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Takes a flag's value from elsewhere, a scenario say, unless it was given.
    mutating func setDefault(_ name: String, to defaults: [String]) {
        if values[name] == nil { values[name] = defaults }
    }

    /// A whole number within bounds.
    func integer(_ name: String, in bounds: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), bounds.contains(value) else {
            let range =
                bounds.upperBound == .max
                ? "\(bounds.lowerBound) or more" : "\(bounds.lowerBound) to \(bounds.upperBound)"
            throw UsageError("--\(name) \(text) does not fit: give a whole number, \(range).")
        }
        return value
    }

    /// A number within bounds.
    func number(_ name: String, in bounds: ClosedRange<Double>) throws(UsageError) -> Double? {
        guard let text = self[name] else { return nil }
        guard let value = Double(text), bounds.contains(value) else {
            throw UsageError(
                "--\(name) \(text) does not fit: give a number, \(bounds.lowerBound) to "
                    + "\(Int(bounds.upperBound))."
            )
        }
        return value
    }

    /// A duration in nanoseconds: a number with the unit ms, s, m or h.
    func duration(_ name: String) throws(UsageError) -> UInt64? {
        guard let text = self[name] else { return nil }
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units: [String: Double] = ["ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9]
        guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))],
            number >= 0, number * unit < 1e18
        else {
            throw UsageError(
                "--\(name) \(text) does not fit: give a time such as 500ms, 10s or 2m."
            )
        }
        return UInt64(number * unit)
    }

    /// One of an enumeration's values.
    func choice<T: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        of type: T.Type
    ) throws(UsageError) -> T? {
        guard let text = self[name] else { return nil }
        guard let value = T(rawValue: text) else {
            let known = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--\(name) \(text) is not known: give one of \(known).")
        }
        return value
    }
}

/// Words that do not make a command: exit code 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
