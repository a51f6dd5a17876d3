import Synchronization

/// The refusals that a run's journal has not taken yet: the ledger's byte holds no reason.
///
/// Loops append, and only where a journal is kept; its keeper takes them a few times a second.
final class RefusalLog: Sendable {
    /// A push and how it was refused.
    struct Entry: Sendable {
        /// The push's place in this run.
        var place: Int
        var end: PushEnd
    }

    private let entries = Mutex<[Entry]>([])

    /// Any loop: takes a refusal in, for good.
    func append(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    /// Keeper: all since the last time, by rising place.
    func takeAll() -> [Entry] {
        var taken: [Entry] = []
        entries.withLock { swap(&$0, &taken) }
        return taken.sorted { $0.place < $1.place }
    }
}
