import FlatJSON

/// Counts rejections by reason.
///
/// Touched by its loop alone. Unknown reasons count under their own text (contract 1.6); an answer
/// without one under its status. A target that thinks up a new reason each time gets no memory for it.
struct ReasonTally {
    /// Counts by reason.
    private(set) var counts: [String: Int] = [:]

    /// Counts a rejection by its status and body.
    mutating func count(status: UInt16, body: RawSpan) {
        var reason = FlatJSON.string("reason", in: body) ?? "HTTP \(status)"
        if counts[reason] == nil {
            if reason.utf8.count > Self.longest { reason = String(reason.prefix(Self.longest)) }
            if counts.count >= Self.most { reason = "other reasons" }
        }
        counts[reason, default: 0] += 1
    }

    /// Reasons that are told apart; APNs has 32.
    private static let most = 200
    /// Characters that are kept of one.
    private static let longest = 64
}
