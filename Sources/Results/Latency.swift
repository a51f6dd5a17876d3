/// The three times that are kept of every answered push.
///
/// A push that was lost or never sent is in none of them.
public struct Latency: Codable, Equatable, Sendable {
    /// Acknowledged less intended: what a schedule's customer waits.
    public var response: LatencySummary?
    /// Acknowledged less sent: what the target took.
    public var service: LatencySummary?
    /// Sent less intended: how far pushbench was behind.
    public var lateness: LatencySummary?

    /// Makes the three; nil where nothing was measured.
    ///
    /// - Parameters:
    ///   - response: Acknowledged less intended.
    ///   - service: Acknowledged less sent.
    ///   - lateness: Sent less intended.
    public init(response: LatencySummary?, service: LatencySummary?, lateness: LatencySummary?) {
        self.response = response
        self.service = service
        self.lateness = lateness
    }
}
