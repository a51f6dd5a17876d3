import Glibc
import Synchronization

/// The processor time of one thread, which other threads may ask for while it runs and after.
final class ThreadTime: Sendable {
    private static let noClock: clockid_t = .max
    private let clock = Atomic<clockid_t>(ThreadTime.noClock)
    /// What the thread has used at its end, in nanoseconds; 0 before.
    private let final = Atomic<UInt64>(0)

    /// Notes that it is the calling thread whose time counts.
    func threadDidStart() {
        var own = clockid_t()
        guard pthread_getcpuclockid(pthread_self(), &own) == 0 else { return }
        clock.store(own, ordering: .releasing)
    }

    /// Keeps the calling thread's time, since its clock ends with it.
    func threadWillEnd() { final.store(nanoseconds, ordering: .releasing) }

    /// User and system time so far, in nanoseconds; 0 before the start.
    var nanoseconds: UInt64 {
        let kept = final.load(ordering: .acquiring)
        guard kept == 0 else { return kept }
        var time = timespec()
        let own = clock.load(ordering: .acquiring)
        guard own != Self.noClock, clock_gettime(own, &time) == 0 else {
            // It may have ended between the two.
            return final.load(ordering: .acquiring)
        }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
