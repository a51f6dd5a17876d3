import Glibc
import NetIO
import Synchronization

/// The journal of a run: which pushes may have been sent, and how they ended.
///
/// It survives the run: whatever ends the process, another run of the same journal goes on where
/// this one was. The pushes that may be sent are written down before the first of them is, in
/// chunks, the ends a little after; so what lies between is what may go out twice.
///
/// A killed process loses nothing of it. It is put on the disk every second and at the end, so a
/// power cut can lose the last second.
///
/// May be used by several threads at once.
public final class RunJournal: Sendable {
    /// What makes two runs the same: names and values, as a person would call them.
    public struct Binding: Equatable, Sendable {
        let values: [(name: String, value: String)]

        /// Makes a binding.
        ///
        /// - Parameter values: Names of lower-case letters, and values without spaces.
        public init(_ values: KeyValuePairs<String, String>) {
            self.values = values.map { ($0.key, $0.value) }
        }

        /// Whether all names and values are the same.
        public static func == (left: Self, right: Self) -> Bool {
            left.values.elementsEqual(right.values) { $0 == $1 }
        }

        var text: String { values.map { "\($0.name)=\($0.value)" }.joined(separator: " ") }

        /// The names whose values differ from those of a header.
        func differences(from header: Substring) -> [String] {
            let words = header.split(separator: " ").dropFirst()
            return values.filter { !words.contains("\($0.name)=\($0.value)") }.map(\.name)
        }
    }

    /// What earlier runs of the journal did.
    public struct Earlier: Equatable, Sendable {
        /// Pushes that were accepted.
        public var accepted = 0
        /// Pushes that were rejected, by reason.
        public var rejected: [String: Int] = [:]
        /// Pushes that were sent and whose end is not known.
        public var unknown = 0
        /// Pushes that may have been sent, and whose end was not written down any more: this run
        /// sends them, so that they may arrive twice.
        public var unsettled = 0
        /// Those, and the ones that a run before left in doubt and that have not ended since.
        public var mayArriveAgain = 0
        /// The most pushes that may have arrived more than once in all, each counted once: those that
        /// this run or one before found in doubt.
        public var perhapsTwice = 0
        /// The pushes that were rejected for their tokens, by rising number.
        public var badTokens: [BadToken] = []

        /// Nothing.
        public init() {}

        /// Pushes that were rejected, whatever the reason.
        public var rejections: Int { rejected.values.reduce(0, +) }
        /// Pushes that are not sent again.
        public var settled: Int { accepted + rejections + unknown }
    }

    /// A push whose token an earlier run was told is bad.
    public struct BadToken: Equatable, Sendable {
        /// The push's number in the whole run.
        public var push: Int
        /// Why, in the target's words.
        public var reason: String
        /// When its device was known to be gone, in milliseconds since 1970; nil where not told.
        public var timestamp: Int64?
    }

    /// What earlier runs did; all 0 in a new journal.
    public let earlier: Earlier
    /// The pushes of the whole run.
    public let pushes: Int
    /// Its file's path.
    public let path: String
    /// What earlier runs left over; nil where all is.
    let pending: PendingPushes?
    private let writer: JournalWriter

    /// Opens a journal, or begins one, for this process alone.
    ///
    /// - Parameters:
    ///   - path: The file; made where there is none.
    ///   - binding: What must be the same when the run is continued.
    ///   - pushes: The pushes of the whole run, above 0.
    /// - Throws: ``JournalError``.
    public convenience init(path: String, binding: Binding, pushes: Int) throws(JournalError) {
        try self.init(JournalFile(path: path), binding: binding, pushes: pushes)
    }

    init(_ file: JournalFile, binding: Binding, pushes: Int) throws(JournalError) {
        path = file.path
        self.pushes = pushes
        let content = try JournalContent(file.read(), path: path)
        if let header = content.header {
            let differences = binding.differences(from: header)
            guard differences.isEmpty else {
                throw .otherRun(path: path, differences: differences)
            }
        }
        try file.keep(content.wholeBytes)
        if content.header == nil {
            try file.append(JournalLine.bytes(of: JournalContent.format + binding.text))
        }
        let past = try JournalPast(content, pushes: pushes, path: path)
        earlier = past.earlier
        pending = past.earlier.settled == 0 ? nil : past.pending
        writer = JournalWriter(
            file: file,
            pending: past.pending,
            sentBefore: past.sentBefore,
            isInDoubt: past.earlier.unsettled > 0
        )
    }

    /// Pushes whose end it holds by now, those of earlier runs among them.
    public var settled: Int { earlier.settled + writer.settled }

    /// Whether every push has ended in earlier runs.
    public var isComplete: Bool { earlier.settled == pushes }

    /// Why it cannot be written any more; nil where it can.
    public var failure: JournalError? { writer.failure }

    /// Any loop: makes sure that it says of all pushes at places below `end` that they may have been
    /// sent.
    ///
    /// - Returns: False where it cannot be written: the push must not be sent.
    func allowSending(before end: Int) -> Bool { writer.allowSending(before: end) }

    /// Writes down how pushes ended, at places and in order.
    func append(_ runs: [(places: Range<Int>, end: PushEnd)]) { writer.append(runs) }

    /// Writes down that all that has not ended was certainly not processed; the run is over.
    func noteCleanEnd() { writer.noteCleanEnd() }

    /// Puts all that was written on the disk.
    func sync() { writer.sync() }

    /// Lets go of the file: another run may open it, and this one can no longer send.
    public func close() { writer.close() }
}
