import PushModel

/// Which install each push of a run goes to.
///
/// A *sequence number* names a push of this run; the installs of the shard take turns over it, so
/// that one past the audience's end is the first install again. In a run that continues another one
/// they count what that left over.
struct PushOrder: Sendable {
    /// The installs of this shard.
    let audience: Int
    /// Pushes to make; `Int.max` where only the clock ends the run.
    let total: Int
    private let shard: (index: Int, count: Int)
    private let pending: PendingPushes?

    init(installs: InstallTable, configuration: RunConfiguration) {
        shard = configuration.shard
        audience = (installs.count - shard.index + shard.count - 1) / shard.count
        pending = configuration.journal?.pending
        switch configuration.goal {
        case .pushes(let count): total = pending?.count ?? count
        case .duration: total = .max
        }
    }

    /// The install that a sequence number pushes to.
    func installIndex(of sequence: Int) -> Int {
        shard.index + (number(of: sequence) % audience) * shard.count
    }

    /// The push's number in the run that this one continues; else its sequence number.
    func number(of sequence: Int) -> Int { pending?.number(at: sequence) ?? sequence }
}
