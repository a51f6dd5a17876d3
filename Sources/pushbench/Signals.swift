import Dispatch
import Foundation
import Synchronization

/// Catches signals for as long as it lives; made before any thread that should not get them.
final class Signals: Sendable {
    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
        let arrived = DispatchSemaphore(value: 0)
    }

    private let counter = Counter()
    // Safe: written in init, then only kept alive.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Catches `numbers`; the second of them calls `onSecond`.
    init(_ numbers: [Int32], onSecond: (@Sendable () -> Void)? = nil) {
        let queue = DispatchQueue(label: "pushbench.signals", target: .global(qos: .userInitiated))
        let counter = counter
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if counter.count.add(1, ordering: .relaxed).newValue > 1 { onSecond?() }
                counter.arrived.signal()
            }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// How many have come.
    var count: Int { counter.count.load(ordering: .relaxed) }

    /// Waits for the next one.
    func wait() { counter.arrived.wait() }

    /// Waits for the next one, a while.
    func wait(milliseconds: Int) { _ = counter.arrived.wait(timeout: .now() + .milliseconds(milliseconds)) }
}
