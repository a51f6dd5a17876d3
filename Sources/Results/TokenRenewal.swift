/// A provider token made anew during a run, and the dip in the throughput that came with it.
public struct TokenRenewal: Codable, Equatable, Sendable {
    /// When, in nanoseconds since the run began.
    public var t: Int64
    /// Answers in the second of the renewal; absent where the run has not the whole of it.
    public var pushesPerSecond: Double?
    /// The median of the seconds around it; absent where there are none.
    public var usualPushesPerSecond: Double?

    /// Describes a renewal.
    ///
    /// - Parameters:
    ///   - t: When, in nanoseconds since the run began.
    ///   - pushesPerSecond: Answers in the second of the renewal.
    ///   - usualPushesPerSecond: The median of the seconds around it.
    public init(t: Int64, pushesPerSecond: Double?, usualPushesPerSecond: Double?) {
        self.t = t
        self.pushesPerSecond = pushesPerSecond
        self.usualPushesPerSecond = usualPushesPerSecond
    }

    /// How much slower than usual the second was, 0 to 1 and below 0 where it was faster; nil where
    /// there is nothing to compare.
    public var dip: Double? {
        guard let pushesPerSecond, let usualPushesPerSecond, usualPushesPerSecond > 0 else {
            return nil
        }
        return 1 - pushesPerSecond / usualPushesPerSecond
    }
}
