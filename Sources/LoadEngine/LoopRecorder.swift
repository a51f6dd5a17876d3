import HDRHistogram
import NetIO

/// What one loop measures and counts: touched by its thread alone, merged after the join.
final class LoopRecorder {
    /// Answer minus due time; only of an open loop, where the two instants differ.
    let response: Histogram
    /// Answer minus hand-over to the socket.
    let service: Histogram
    /// Hand-over to the socket minus due time; only of an open loop.
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
    /// Requests sent again because the first was certainly not processed.
    var resent = 0
    /// Body bytes handed over, resends included.
    var bodyBytes = 0
    /// Rejections by reason.
    var reasons = ReasonTally()
    /// The first error that ended a connection, as a sentence.
    var firstFailure: String?
    /// TLS version of the last connection that opened; nil without TLS.
    var tlsVersion: String?
    /// Every connection that the loop has closed or still has.
    var connections: [RunReport.Connection] = []
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

    init() throws(HistogramError) {
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
