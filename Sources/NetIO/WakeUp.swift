import CShims
import Glibc
import Synchronization

/// Wakes a loop that waits in a ``Poller``, from any thread (eventfd).
///
/// Wake-ups that come before the loop has drained the last one cost no system call.
public final class WakeUp: Sendable {
    /// To be added to the poller with ``Poller/Interest/read``.
    public let descriptor: CInt
    private let isPending = Atomic(false)

    /// Opens the descriptor.
    ///
    /// - Throws: ``NetIOError/tooManyOpenFiles(limit:)`` or ``NetIOError/system(call:errno:purpose:)``.
    public init() throws(NetIOError) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw .opening(call: "eventfd", errno: errno, purpose: "open a wake-up")
        }
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Makes the loop's wait end; may be called by any thread.
    ///
    /// What the caller wrote before is visible to the loop after its ``drain()``.
    public func wake() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = eventfd_write(descriptor, 1)
    }

    /// Takes the wake-ups so far; called by the loop *before* it looks at what it was woken for.
    public func drain() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
        // After the read: a wake-up between the two finds the flag set and stays silent, but what
        // it announces is seen, since this exchange comes before the loop looks.
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
