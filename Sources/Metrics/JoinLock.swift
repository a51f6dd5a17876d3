import Synchronization

/// Lets one thread at a time wait for another.
final class JoinLock: Sendable {
    private let mutex = Mutex(())

    func withLock(_ body: () -> Void) {
        mutex.withLock { _ in body() }
    }
}
