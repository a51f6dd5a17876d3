import Synchronization

/// What a loop lets others see while it runs; a little late, never locked.
final class LoopGauge: Sendable {
    private let sent = Atomic<Int>(0)
    private let answered = Atomic<Int>(0)
    private let rejected = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    private let inFlight = Atomic<Int>(0)

    /// Loop: shows the counters as they are.
    func publish(_ recorder: LoopRecorder, inFlight count: Int, connections open: Int) {
        sent.store(recorder.sent, ordering: .relaxed)
        answered.store(recorder.accepted + recorder.rejected, ordering: .relaxed)
        rejected.store(recorder.rejected, ordering: .relaxed)
        connections.store(open, ordering: .relaxed)
        inFlight.store(count, ordering: .relaxed)
    }

    /// Any thread: the counters as last shown.
    var reading: (sent: Int, answered: Int, rejected: Int, inFlight: Int, connections: Int) {
        (
            sent.load(ordering: .relaxed), answered.load(ordering: .relaxed),
            rejected.load(ordering: .relaxed), inFlight.load(ordering: .relaxed),
            connections.load(ordering: .relaxed)
        )
    }
}
