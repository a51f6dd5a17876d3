import HTTP2
import NetIO

// Pushes that go out again, and the end of those that do not.
extension ClientLoop {
    /// Refusals after which a push is given up.
    static let refusalLimit: UInt8 = 16
    /// The pause after a push's first refusal, in nanoseconds; doubled with each further one.
    private static let refusalPause: UInt64 = 1_000_000
    private static let mostDoublings: UInt8 = 6

    /// A push that was certainly not processed goes out again; after a refusal a little later, and not
    /// too often.
    func requeue(
        _ push: InFlightPush,
        in lane: Lane,
        isRefused: Bool,
        now: MonotonicInstant
    ) {
        var push = push
        var due = now
        push.marks.insert(.wasUnprocessed)
        if isRefused {
            let pause = Self.refusalPause << UInt64(min(push.refusals, Self.mostDoublings))
            due = now.advanced(by: pause)
            push.refusals += 1
        }
        if push.refusals < Self.refusalLimit, !isStopping(lane) {
            lane.retries.insert(push, due: due)
        } else {
            giveUp(push)
        }
    }

    /// A push whose answer is lost: it may have been processed.
    func lose(_ push: InFlightPush, in lane: Lane, now: MonotonicInstant) {
        let retries = configuration.retries
        guard retries.resendsUnknown, Int(push.retries) < retries.limit, !isStopping(lane) else {
            endUnknown(push)
            return
        }
        var push = push
        push.marks.insert(.mayHaveArrived)
        push.retries += 1
        lane.retries.insert(push, due: now)
    }

    /// Sends a push again because of its answer.
    ///
    /// - Parameters:
    ///   - push: The push.
    ///   - reason: The answer's reason, by its number.
    ///   - pause: How long it waits, in nanoseconds.
    ///   - lane: Its lane.
    ///   - now: The present.
    ///   - isFree: Whether it is sent again whatever the limit says.
    /// - Returns: False where it is not sent again: it ends with this answer.
    func retry(
        _ push: InFlightPush,
        reason: UInt16,
        after pause: UInt64,
        in lane: Lane,
        now: MonotonicInstant,
        isFree: Bool = false
    ) -> Bool {
        guard isFree || mayRetry(push, after: pause), !isStopping(lane) else { return false }
        var push = push
        push.retries += 1
        push.lastReason = reason
        push.marks.insert(.wasAnswered)
        recorder.reasons.countRetry(reason)
        lane.retries.insert(push, due: now.advanced(by: pause))
        return true
    }

    /// Whether the limits let a push go out again after a pause, in nanoseconds.
    func mayRetry(_ push: InFlightPush, after pause: UInt64) -> Bool {
        let retries = configuration.retries
        return Int(push.retries) < retries.limit && pause <= retries.longestDelay
    }

    /// How long a push waits before it goes out again, in nanoseconds: twice as long each time, a
    /// little more by chance so that what failed together does not come back together, and not less
    /// than the target asks for.
    func pause(before push: InFlightPush, retryAfter seconds: UInt32?) -> UInt64 {
        let doublings = UInt64(min(push.retries, Self.mostDoublings))
        let (shifted, overflows) = configuration.retries.delay
            .multipliedReportingOverflow(by: 1 << doublings)
        let pause = overflows ? UInt64.max / 2 : min(shifted, UInt64.max / 2)
        let spread = pause / 4
        let jittered = pause + (spread > 0 ? UInt64.random(in: 0...spread, using: &generator) : 0)
        return max(jittered, UInt64(seconds ?? 0) * 1_000_000_000)
    }

    /// Ends a push that waited to go out again and does not any more: by what is known of it.
    func giveUp(_ push: InFlightPush) {
        if push.marks.contains(.mayHaveArrived) {
            endUnknown(push)
        } else if push.lastReason > 0 {
            reject(push, reason: push.lastReason, .deferred)
        } else {
            recorder.refused += 1
        }
    }
}
