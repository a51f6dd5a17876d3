/// Why a journal cannot be used.
public enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It cannot be opened, read or locked.
    case unusable(path: String, reason: String)
    /// Another run is writing it.
    case inUse(path: String)
    /// The file is something else.
    case notAJournal(path: String)
    /// Another version of pushbench began it, in a format of its own.
    case otherFormat(path: String)
    /// A line in its middle is not what was written there.
    case damaged(path: String, line: Int)
    /// It is of a run of something else; `differences` names what.
    case otherRun(path: String, differences: [String])
    /// It cannot be written any more: the run stops, for what is not written down must not be sent.
    case unwritable(path: String, reason: String)

    /// One sentence that names the thing and the mend.
    public var description: String {
        switch self {
        case .unusable(let path, let reason):
            "The journal \(path) cannot be used: \(reason)."
        case .inUse(let path):
            "The journal \(path) is in use by another run: wait for its end, or give another file."
        case .notAJournal(let path):
            "The file \(path) is not a journal of pushbench: give another file, or none yet."
        case .otherFormat(let path):
            "The journal \(path) was begun by another version of pushbench: finish it with that "
                + "version, for a new file would send everything again."
        case .damaged(let path, let line):
            "The journal \(path) is damaged in line \(line): without it nobody knows who got a "
                + "push; restore it, or start anew with another file."
        case .otherRun(let path, let differences):
            "The journal \(path) is of another run: \(Self.list(differences)) "
                + "\(differences.count == 1 ? "differs" : "differ"); give the same command as "
                + "then, or another file."
        case .unwritable(let path, let reason):
            "The journal \(path) cannot be written: \(reason); the run was stopped and all it did "
                + "is in there: mend that (free some space, say) and give the same command again."
        }
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}
