import Glibc

/// A point on the monotonic clock, in nanoseconds since some fixed moment.
public struct MonotonicInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds on `CLOCK_MONOTONIC`.
    public var nanoseconds: UInt64

    /// Makes the instant `nanoseconds` after the clock's zero.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Reads the clock.
    ///
    /// - Returns: The present instant.
    public static func now() -> Self {
        Self(nanoseconds: clockNanoseconds(CLOCK_MONOTONIC) ?? 0)
    }

    /// The instant later by `nanoseconds`, or the last one there is.
    ///
    /// - Parameter nanoseconds: The distance in nanoseconds.
    /// - Returns: The later instant.
    public func advanced(by nanoseconds: UInt64) -> Self {
        let (sum, overflows) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return Self(nanoseconds: overflows ? .max : sum)
    }

    /// The time that passed since `earlier`, in nanoseconds; 0 where `earlier` is later.
    ///
    /// - Parameter earlier: The start of the span.
    /// - Returns: Its length in nanoseconds.
    public func nanoseconds(since earlier: Self) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    /// Whether `left` comes before `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

/// Reads `clock` in nanoseconds; nil where it does not exist (any more).
func clockNanoseconds(_ clock: clockid_t) -> UInt64? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
