import HDRHistogram
import NetIO

/// What one loop measures and counts: touched by its thread alone, merged after the join.
final class LoopRecorder {
    /// Answer minus due time; only where the two instants differ: of all pushes of an open loop, and
    /// of those that were sent more than once.
    let response: Histogram
    /// Answer minus hand-over to the socket.
    let service: Histogram
    /// The same of pushes that were sent more than once, from the last time.
    private(set) lazy var repeatedService = Histogram(.latency)
    /// Whether a push that was sent more than once has been answered.
    var hasRepeated = false
    /// Hand-over to the socket minus due time; only of an open loop, for pushes sent once.
    let lateness: Histogram
    /// Answers by nanoseconds since the start of the run.
    let makespan: Histogram

    /// Pushes handed to the socket for the first time.
    var sent = 0
    /// Answers with status 200.
    var accepted = 0
    /// Answers with another status.
    var rejected = 0
    /// Pushes sent whose answer never came.
    var unknown = 0
    /// Answers for pushes that had ended before: always 0, or the engine is wrong.
    var duplicates = 0
    /// Requests sent again because the first was certainly not processed, or its answer lost.
    var resent = 0
    /// Requests sent again because of their answer.
    var retried = 0
    /// The tokens that the target calls bad.
    var rejectedTokens: RejectedTokens
    /// Body bytes handed over, resends included.
    var bodyBytes = 0
    /// Rejections, and pushes sent again, by reason.
    var reasons = ReasonTally()
    /// The first error that ended a connection, as a sentence.
    var firstFailure: String?
    /// TLS version of the last connection that opened; nil without TLS.
    var tlsVersion: String?
    /// The connections that the loop has closed.
    var connections = ConnectionLog()
    /// How long the loop slept with free streams and due pushes that were not rendered, in
    /// nanoseconds.
    var starvedNanoseconds: UInt64 = 0
    /// CPU time of the loop's thread, in nanoseconds.
    var cpuNanoseconds: UInt64 = 0
    /// Pushes that were taken from the fan-out and not sent by the end.
    var abandoned = 0
    /// Pushes that were refused too often: sent, and certainly not processed.
    var refused = 0
    /// When the last answer came.
    var lastAnswer = MonotonicInstant(nanoseconds: 0)
    /// Due times that passed before the run's end without a push going out (open loop by duration).
    var missedArrivals = 0

    init(installs: Int) throws(HistogramError) {
        rejectedTokens = RejectedTokens(installs: installs)
        response = Histogram(.latency)
        service = Histogram(.latency)
        lateness = Histogram(.latency)
        // A run may last days; a thousandth of that is precise enough for "when was 99% done".
        makespan = Histogram(
            try HistogramConfiguration(
                lowestDiscernible: 1 << 12,
                highestTrackable: 1 << 50,
                significantDigits: 3
            )
        )
    }
}
