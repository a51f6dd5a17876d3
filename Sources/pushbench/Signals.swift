import Dispatch
import Foundation
import Synchronization

/// Catches signals for as long as it lives, instead of letting them end the program.
final class Signals: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    // Safe to share: written in init, then only kept alive and cancelled.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    /// Catches `numbers`; the first that comes calls `onFirst`, later ones `onLater`.
    init(
        _ numbers: [Int32],
        onFirst: (@Sendable () -> Void)? = nil,
        onLater: (@Sendable () -> Void)? = nil
    ) {
        let queue = DispatchQueue(label: "pushbench.signals", target: .global(qos: .userInitiated))
        let counter = Counter()
        let arrived = arrived
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let isFirst = counter.count.add(1, ordering: .relaxed).oldValue == 0
                (isFirst ? onFirst : onLater)?()
                arrived.signal()
            }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// Waits for the next one.
    func wait() { arrived.wait() }
}
