import Dispatch
import NetIO
public import PushCrypto
public import PushModel
import Synchronization

/// The phase before a send in which the secrets of its pushes are made (design 3.3).
///
/// Runs in parallel on as many Dispatch queues as the send renders on. Made and finished by one
/// thread; ``stop()``, ``progress`` and ``isOver`` may be called by any. Serves one run.
public final class SecretPreparation: Sendable {
    /// What the send takes its secrets from.
    let secrets: PreparedSecrets

    private let order: PushOrder
    private let installs: InstallTable
    private let group = DispatchGroup()
    private let start: MonotonicInstant
    private let cursor = Atomic<Int>(0)
    private let made = Atomic<Int>(0)
    private let cpu = Atomic<UInt64>(0)
    private let running: Atomic<Int>
    private let isStopping = Atomic<Bool>(false)
    private let endNanoseconds = Atomic<UInt64>(0)
    private let firstFailure = Mutex<String?>(nil)

    private static let chunk = 64

    /// Starts to make the secrets of a run.
    ///
    /// - Parameters:
    ///   - installs: The audience; not changed from now on.
    ///   - keys: The public keys that installs name; not changed from now on.
    ///   - configuration: The run's configuration.
    /// - Throws: ``LoadError/preparationNeedsCount``, ``LoadError/preparationTooLarge``, or
    ///   ``LoadError/setUp(_:)`` where OpenSSL lacks an algorithm.
    public init(
        installs: InstallTable,
        keys: PublicKeyStore,
        configuration: RunConfiguration
    ) throws(LoadError) {
        guard installs.count > configuration.shard.index else { throw .emptyAudience }
        order = PushOrder(installs: installs, configuration: configuration)
        guard order.total != .max else { throw .preparationNeedsCount }
        let limit = configuration.preparedMemoryLimit
        let (bytes, overflows) = order.total.multipliedReportingOverflow(
            by: PreparedSecrets.bytesPerPush
        )
        guard !overflows, bytes <= limit else {
            throw .preparationTooLarge(
                pushes: order.total,
                bytes: overflows ? .max : bytes,
                limit: limit
            )
        }
        self.installs = installs
        secrets = PreparedSecrets(count: order.total)
        var sealers: [ContentSealer] = []
        for _ in 0..<configuration.renderQueues {
            do {
                sealers.append(try ContentSealer(keys: keys))
            } catch { throw .setUp(error.description) }
        }
        start = .now()
        running = Atomic(sealers.count)
        for (index, sealer) in sealers.enumerated() {
            let queue = DispatchQueue(
                label: "pushbench.prepare.\(index)",
                target: .global(qos: .userInitiated)
            )
            let worker = Worker(sealer: sealer)
            queue.async(group: group) { [self] in work(worker.sealer) }
        }
    }

    /// Carries a sealer to its queue.
    private struct Worker: @unchecked Sendable {
        // Safe: the maker does not touch the sealer again.
        let sealer: ContentSealer
    }

    /// The pushes that were looked at so far, and all.
    public var progress: (done: Int, total: Int) {
        (min(cursor.load(ordering: .relaxed), order.total), order.total)
    }

    /// Whether all work has ended: ``finish()`` would not wait.
    public var isOver: Bool { running.load(ordering: .acquiring) == 0 }

    /// Why secrets are missing; nil where none is, or ``stop()`` was called.
    public var failure: String? { firstFailure.withLock { $0 } }

    /// Ends the phase early.
    ///
    /// A send makes what is missing in passing.
    public func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Waits for the end of the phase.
    ///
    /// - Returns: What it came to.
    @discardableResult
    public func finish() -> RunReport.Preparation {
        group.wait()
        return RunReport.Preparation(
            secrets: made.load(ordering: .relaxed),
            nanoseconds: endNanoseconds.load(ordering: .relaxed),
            cpuNanoseconds: cpu.load(ordering: .relaxed),
            bytes: secrets.count * PreparedSecrets.bytesPerPush
        )
    }

    private func work(_ sealer: ContentSealer) {
        let cpuStart = LoopThread.threadCPUTimeNanoseconds()
        while !isStopping.load(ordering: .relaxed) {
            let first = cursor.add(Self.chunk, ordering: .relaxed).oldValue
            guard first < order.total else { break }
            var count = 0
            for sequence in first..<min(first + Self.chunk, order.total) {
                let record = installs.record(at: order.installIndex(of: sequence))
                guard let key = record.key else { continue }
                do throws(CryptoError) {
                    try sealer.prepare(sequence, of: secrets, for: key)
                } catch {
                    firstFailure.withLock { $0 = $0 ?? error.description }
                    stop()
                    break
                }
                count += 1
            }
            made.add(count, ordering: .relaxed)
        }
        cpu.add(LoopThread.threadCPUTimeNanoseconds() &- cpuStart, ordering: .relaxed)
        let elapsed = MonotonicInstant.now().nanoseconds(since: start)
        endNanoseconds.max(elapsed, ordering: .relaxed)
        running.subtract(1, ordering: .releasing)
    }
}
