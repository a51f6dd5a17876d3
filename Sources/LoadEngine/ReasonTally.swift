import CJSON

/// Counts rejections by reason. Touched by its loop alone.
///
/// Unknown reasons count under their own text (contract 1.6); an answer without one under its
/// status.
struct ReasonTally {
    /// Counts by reason.
    private(set) var counts: [String: Int] = [:]

    /// Counts a rejection by its status and body.
    mutating func count(status: UInt16, body: RawSpan) {
        counts[Self.reason(status: status, body: body), default: 0] += 1
    }

    private static func reason(status: UInt16, body: RawSpan) -> String {
        JSONReason.parse(body) ?? "HTTP \(status)"
    }
}
