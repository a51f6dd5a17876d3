import Dispatch
import Foundation
import Synchronization

/// Catches signals for as long as it lives, instead of letting them end the program.
///
/// Make it before the threads of a run: they inherit that the signals are blocked, so that each one
/// waits for the thread that takes them, and none is lost however early it comes.
final class Signals: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let state = State()

    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    /// Catches `numbers`; the first that comes calls `onFirst`, later ones `onLater`.
    init(
        _ numbers: [Int32],
        onFirst: (@Sendable () -> Void)? = nil,
        onLater: (@Sendable () -> Void)? = nil
    ) {
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in numbers { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        let arrived = arrived
        let state = state
        let awaited = blocked
        Thread.detachNewThread {
            var set = awaited
            var number: Int32 = 0
            var count = 0
            while sigwait(&set, &number) == 0 {
                if state.isOver.load(ordering: .acquiring) { _exit(128 + number) }
                count += 1
                (count == 1 ? onFirst : onLater)?()
                arrived.signal()
            }
        }
    }

    /// From now on a signal ends the program, as it would by itself.
    deinit { state.isOver.store(true, ordering: .releasing) }

    /// Waits for the next one.
    func wait() { arrived.wait() }
}
