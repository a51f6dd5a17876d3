import PushCrypto
import PushModel
import PushPayload
import Synchronization

/// What all threads of a run share: the audience, the compiled message, and the place in the work.
final class FanOut: Sendable {
    let installs: InstallTable
    let payload: CompiledPayload
    /// The message's variant by the install's language index.
    let variants: [Int]
    /// The public keys that installs name.
    let keys: PublicKeyStore
    /// The secrets that were made before the send, if any.
    let prepared: PreparedSecrets?
    /// Which install each push goes to.
    let order: PushOrder
    /// The environment whose installs this fan-out pushes to; nil for all.
    let environment: APNsEnvironment?
    /// Pushes of this fan-out in one round over the audience.
    let roundSize: Int
    /// Pushes handed out at a time.
    let batchSize: Int
    /// Room that one push takes in a slab at most: token and body.
    let bytesPerPush: Int

    private let journal: RunJournal?
    private let cursor = Atomic<Int>(0)
    /// Pushes that were taken off the cursor and that no loop got.
    private let withheld = Atomic<Int>(0)
    private let isStopping = Atomic<Bool>(false)
    private let firstFailure = Mutex<String?>(nil)

    /// A slab's bytes should stay in the second-level cache with its siblings.
    private static let slabBytesGoal = 1 << 18
    private static let largestBatch = 256

    init(
        installs: InstallTable,
        payload: CompiledPayload,
        keys: PublicKeyStore,
        prepared: PreparedSecrets?,
        configuration: RunConfiguration,
        environment: APNsEnvironment? = nil
    ) {
        self.installs = installs
        self.payload = payload
        self.keys = keys
        self.prepared = prepared
        journal = configuration.journal
        let order = PushOrder(installs: installs, configuration: configuration)
        self.order = order
        self.environment = environment
        roundSize =
            environment == nil
            ? order.audience
            : (0..<order.audience).count { sequence in
                installs.record(at: order.installIndex(of: sequence)).environment == environment
            }
        variants = installs.languages.map { payload.variant(forDeviceLanguage: $0) }
        let widestBody =
            (0..<payload.variantCount).map { variant in
                payload.maximumBodySize(
                    variant: variant,
                    widestBadge: installs.widestBadge,
                    longestUID: installs.longestUID
                )
            }.max() ?? 0
        bytesPerPush = widestBody + installs.longestToken
        var batch = min(Self.largestBatch, max(1, Self.slabBytesGoal / max(1, bytesPerPush)))
        if case .openLoop(let rate, _) = configuration.load {
            // A batch belongs to one loop's schedule: short ones keep slow loops level.
            let share = rate / Double(configuration.loops) / 100
            batch = max(1, Int(min(Double(batch), share)))
        }
        batchSize = batch
    }

    /// Pushes to make; `Int.max` where only the clock ends the run.
    var total: Int { order.total }

    /// The installs of this shard.
    var audience: Int { order.audience }

    /// The next sequence numbers to push, those of other environments among them; nil when the goal is
    /// reached or the run is stopping.
    func takeBatch() -> Range<Int>? {
        guard !isStopping.load(ordering: .relaxed) else { return nil }
        let start = cursor.add(batchSize, ordering: .relaxed).oldValue
        guard start < total else { return nil }
        let end = min(total, start + batchSize)
        // What the journal does not hold must not be sent: it would go out again unsaid.
        if let journal, !journal.allowSending(before: end) {
            withheld.add(pushes(in: start..<end), ordering: .relaxed)
            fail(journal.failure?.description ?? "")
            return nil
        }
        return start..<end
    }

    /// Pushes of a counted goal that no loop took.
    var notHandedOut: Int {
        pushes(in: handedOut..<total) + withheld.load(ordering: .relaxed)
    }

    /// Sequence numbers below have been taken.
    var handedOut: Int { min(total, cursor.load(ordering: .relaxed)) }

    /// Whether a push is this fan-out's.
    func includes(_ sequence: Int) -> Bool {
        guard let environment else { return true }
        return installs.record(at: order.installIndex(of: sequence)).environment == environment
    }

    /// How many of `sequences` are this fan-out's.
    func pushes(in sequences: Range<Int>) -> Int {
        guard environment != nil else { return sequences.count }
        let (rounds, rest) = sequences.count.quotientAndRemainder(dividingBy: audience)
        let start = sequences.lowerBound
        return rounds * roundSize + (start..<start + rest).count { includes($0) }
    }

    /// Ends the handing out of batches.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Whether ``stop()`` was called.
    var isStopped: Bool { isStopping.load(ordering: .relaxed) }

    /// Ends the run because a body cannot be made.
    func fail(_ failure: String) {
        firstFailure.withLock { $0 = $0 ?? failure }
        stop()
    }

    /// What ``fail(_:)`` was first told.
    var failure: String? { firstFailure.withLock { $0 } }
}
