/// The program that measured.
public struct Build: Codable, Equatable, Sendable {
    /// The version of pushbench.
    public var version: String
    /// The commit it was built from.
    public var commit: String?
    /// Whether the sources had changes that are in no commit.
    public var dirty: Bool?
    /// The version of the Swift compiler.
    public var swift: String
    /// How it was built, for example `release`.
    public var flags: [String]

    /// Makes the description of a build.
    ///
    /// - Parameters:
    ///   - version: The version of pushbench.
    ///   - commit: The commit; nil where it is not known.
    ///   - dirty: Whether there were changes beside it; nil where that is not known.
    ///   - swift: The version of the compiler.
    ///   - flags: How it was built.
    public init(version: String, commit: String?, dirty: Bool?, swift: String, flags: [String]) {
        self.version = version
        self.commit = commit
        self.dirty = dirty
        self.swift = swift
        self.flags = flags
    }

    /// The running program.
    ///
    /// The commit is not in the binary, so that a commit alone does not rebuild it: the script
    /// that starts it says `PUSHBENCH_COMMIT` and `PUSHBENCH_DIRTY` (`0` or `1`).
    ///
    /// - Parameters:
    ///   - version: The version of pushbench.
    ///   - environment: The process's environment.
    /// - Returns: The description.
    public static func current(version: String, environment: [String: String]) -> Build {
        let commit = environment["PUSHBENCH_COMMIT"].flatMap { $0.isEmpty ? nil : $0 }
        #if DEBUG
        let flags = ["debug"]
        #else
        let flags = ["release"]
        #endif
        #if compiler(>=6.4)
        let swift = "6.4 or later"
        #elseif compiler(>=6.3)
        let swift = "6.3"
        #else
        let swift = "6.2"
        #endif
        return Build(
            version: version,
            commit: commit,
            dirty: environment["PUSHBENCH_DIRTY"].map { $0 == "1" },
            swift: swift,
            flags: flags
        )
    }
}
