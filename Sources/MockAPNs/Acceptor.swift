import NetIO

/// Takes connections from the listener and deals them out to the loops; touched by loop 0 alone.
final class Acceptor {
    /// The most connections that are taken in one turn, so that those at work are served too.
    private static let connectionsPerTurn = 16
    /// How long accepting rests where descriptors or memory are short, in nanoseconds.
    private static let pauseNanoseconds: UInt64 = 100_000_000

    private let listener: Listener
    private let tls: TLSContext?
    private let mailboxes: [LoopMailbox]
    private let counters: CounterBlock
    private let report: @Sendable (String) -> Void
    private var nextLoop = 0
    /// When accepting goes on; nil where it is not resting.
    private(set) var resumesAt: MonotonicInstant?
    private var hasReportedPause = false
    private var hasReportedFailure = false

    init(
        listener: Listener,
        tls: TLSContext?,
        mailboxes: [LoopMailbox],
        counters: CounterBlock,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.listener = listener
        self.tls = tls
        self.mailboxes = mailboxes
        self.counters = counters
        self.report = report
    }

    /// Lets `poller` watch the listener.
    func watch(with poller: Poller, id: UInt64) throws(NetIOError) {
        try poller.add(descriptor: listener.descriptor, id: id, interest: .read)
        resumesAt = nil
    }

    /// Takes waiting connections.
    ///
    /// Where the process has no descriptor or memory left, the listener is taken out of `poller` for
    /// a while: it would stay readable, and the loop would spin.
    func accept(poller: Poller, now: MonotonicInstant) {
        for _ in 0..<Self.connectionsPerTurn {
            do throws(NetIOError) {
                guard let connection = try listener.accept(tls: tls) else { return }
                counters.add(.connectionsOpened)
                mailboxes[nextLoop].deliver(AcceptedConnection(connection: connection))
                nextLoop = (nextLoop + 1) % mailboxes.count
            } catch {
                pause(poller: poller, now: now, cause: error)
                return
            }
        }
    }

    /// Takes no more connections.
    func stop(poller: Poller) {
        if resumesAt == nil { try? poller.remove(descriptor: listener.descriptor) }
        resumesAt = nil
    }

    /// Goes on to accept where the rest is over; where that fails, after another rest.
    func resume(poller: Poller, id: UInt64, now: MonotonicInstant) {
        guard let due = resumesAt, now >= due else { return }
        do throws(NetIOError) {
            try watch(with: poller, id: id)
        } catch {
            resumesAt = now.advanced(by: Self.pauseNanoseconds)
            guard !hasReportedFailure else { return }
            hasReportedFailure = true
            report("The mock accepts no more connections for now: \(error)")
        }
    }

    /// Rests from accepting, because of `cause`.
    func pause(poller: Poller, now: MonotonicInstant, cause: NetIOError) {
        counters.add(.acceptPauses)
        if !hasReportedPause {
            hasReportedPause = true
            report("New connections have to wait: \(cause)")
        }
        do throws(NetIOError) {
            try poller.remove(descriptor: listener.descriptor)
            resumesAt = now.advanced(by: Self.pauseNanoseconds)
        } catch {
            report("Accepting cannot be paused: \(error)")
        }
    }
}
