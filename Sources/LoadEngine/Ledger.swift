import Synchronization

/// How each install's push ended, kept beside the loops' counters: the second book of the account.
///
/// Kept where every install is pushed to once. An install belongs to one loop at a time, so its
/// byte is written without a lock; it is read after the loops have been joined.
final class Ledger: @unchecked Sendable {
    // Safe to share: see above.

    /// How a push ended.
    enum Outcome: UInt8 {
        case neverSent = 0
        case accepted = 1
        case rejected = 2
        case unknown = 3
    }

    private let outcomes: UnsafeMutableBufferPointer<UInt8>

    init(pushes: Int) {
        outcomes = .allocate(capacity: pushes)
        outcomes.initialize(repeating: Outcome.neverSent.rawValue)
    }

    deinit { outcomes.deallocate() }

    /// Notes how a push ended.
    ///
    /// - Returns: False where it had ended before.
    func settle(_ sequence: Int, as outcome: Outcome) -> Bool {
        guard outcomes[sequence] == Outcome.neverSent.rawValue else { return false }
        outcomes[sequence] = outcome.rawValue
        return true
    }

    /// The pushes that ended as `outcome`.
    func count(of outcome: Outcome) -> Int {
        outcomes.reduce(0) { $0 + ($1 == outcome.rawValue ? 1 : 0) }
    }
}
