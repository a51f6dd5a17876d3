import Synchronization

/// How each install's push ended, kept beside the loops' counters: the second book of the account.
///
/// Kept where every install is pushed to once. An install belongs to one loop at a time, so its
/// byte is written by one thread, without a lock; a journal's keeper may read along.
final class Ledger: @unchecked Sendable {
    // Safe to share: the pointer is set once, and each byte behind it is an atomic.

    /// How a push ended.
    enum Outcome: UInt8 {
        case neverSent = 0
        case accepted = 1
        case rejected = 2
        case unknown = 3
        /// Rejected in this run, for a cause that may be gone in another one: its journal leaves the
        /// push open.
        case deferred = 4
    }

    /// Pushes in the book.
    let pushes: Int
    private let outcomes: UnsafeMutablePointer<Atomic<UInt8>>

    init(pushes: Int) {
        self.pushes = pushes
        outcomes = .allocate(capacity: pushes)
        for sequence in 0..<pushes {
            (outcomes + sequence).initialize(to: Atomic(Outcome.neverSent.rawValue))
        }
    }

    deinit { outcomes.deallocate() }

    /// Notes how a push ended.
    ///
    /// - Returns: False where it had ended before.
    func settle(_ sequence: Int, as outcome: Outcome) -> Bool {
        guard self.outcome(of: sequence) == .neverSent else { return false }
        outcomes[sequence].store(outcome.rawValue, ordering: .relaxed)
        return true
    }

    /// How a push ended; ``Outcome/neverSent`` while it has not.
    func outcome(of sequence: Int) -> Outcome {
        Outcome(rawValue: outcomes[sequence].load(ordering: .relaxed)) ?? .neverSent
    }

    /// The pushes that ended as `outcome`.
    func count(of outcome: Outcome) -> Int {
        (0..<pushes).reduce(0) {
            $0 + (outcomes[$1].load(ordering: .relaxed) == outcome.rawValue ? 1 : 0)
        }
    }
}
