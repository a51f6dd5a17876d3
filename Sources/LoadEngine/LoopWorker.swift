import NetIO
import Synchronization

/// A loop with its thread.
final class LoopWorker: @unchecked Sendable {
    // Safe to share: the loop is touched by its thread until `join` has returned, then by the joiner.

    let loop: ClientLoop
    let gauge: LoopGauge
    private let thread: LoopThread
    private let over: OverFlag

    private final class OverFlag: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    /// Carries the loop to its thread.
    private struct Handover: @unchecked Sendable {
        // Safe: the maker does not touch the loop until the thread has been joined.
        let loop: ClientLoop
    }

    init(_ loop: ClientLoop, number: Int) throws(LoadError) {
        self.loop = loop
        gauge = loop.gauge
        let over = OverFlag()
        self.over = over
        let handover = Handover(loop: loop)
        do {
            thread = try LoopThread(name: "push-loop-\(number)") {
                handover.loop.run()
                over.isOver.store(true, ordering: .releasing)
            }
        } catch { throw .setUp(error.description) }
    }

    /// Whether the loop has ended.
    var isOver: Bool { over.isOver.load(ordering: .acquiring) }

    /// Waits for the loop's end.
    func join() { thread.join() }
}
