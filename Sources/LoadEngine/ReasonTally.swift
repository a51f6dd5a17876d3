import FlatJSON

/// Counts rejections by reason.
///
/// Touched by its loop alone. Unknown reasons count under their own text (contract 1.6); an answer without one under its
/// status.
struct ReasonTally {
    /// Counts by reason.
    private(set) var counts: [String: Int] = [:]

    /// Counts a rejection by its status and body.
    mutating func count(status: UInt16, body: RawSpan) {
        let reason = FlatJSON.string("reason", in: body) ?? "HTTP \(status)"
        counts[reason, default: 0] += 1
    }
}
