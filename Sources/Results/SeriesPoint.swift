/// What happened within one second of a run.
public struct SeriesPoint: Codable, Equatable, Sendable {
    /// The end of the second, in nanoseconds since the run began.
    public var t: Int64
    /// Pushes sent.
    public var sent: Int
    /// Pushes accepted.
    public var accepted: Int
    /// Pushes rejected.
    public var rejected: Int
    /// The median service time, in nanoseconds; absent where no answer came.
    public var p50: Int64?
    /// The 99th percentile of the service time, in nanoseconds; absent where no answer came.
    public var p99: Int64?
    /// The median response time, in nanoseconds; absent where no answer came, and in results of
    /// versions that did not keep it.
    public var responseP50: Int64?
    /// The 99th percentile of the response time, in nanoseconds; absent likewise.
    public var responseP99: Int64?
    /// Pushes sent and not answered at the end of the second.
    public var inFlight: Int

    /// Makes a point.
    ///
    /// - Parameters:
    ///   - t: The end of the second, in nanoseconds since the run began.
    ///   - sent: Pushes sent.
    ///   - accepted: Pushes accepted.
    ///   - rejected: Pushes rejected.
    ///   - p50: The median service time.
    ///   - p99: The 99th percentile of the service time.
    ///   - responseP50: The median response time.
    ///   - responseP99: The 99th percentile of the response time.
    ///   - inFlight: Pushes not answered at the end.
    public init(
        t: Int64,
        sent: Int,
        accepted: Int,
        rejected: Int,
        p50: Int64?,
        p99: Int64?,
        responseP50: Int64? = nil,
        responseP99: Int64? = nil,
        inFlight: Int
    ) {
        self.t = t
        self.sent = sent
        self.accepted = accepted
        self.rejected = rejected
        self.p50 = p50
        self.p99 = p99
        self.responseP50 = responseP50
        self.responseP99 = responseP99
        self.inFlight = inFlight
    }
}
