/// How fast a run went.
public struct Throughput: Codable, Equatable, Sendable {
    /// Answered pushes per second, rejected ones included, lost ones not.
    public var pushesPerSecond: Double
    /// Bytes of body per second in those pushes.
    public var bytesPerSecond: Double
    /// Pushes per second that an open loop's schedule asked for.
    public var offeredRate: Double?
    /// Pushes per second that were really sent; below ``offeredRate`` the sender fell behind.
    public var achievedRate: Double?

    /// Makes rates from counts.
    ///
    /// - Parameters:
    ///   - acknowledged: Answered pushes.
    ///   - bytes: Bytes of body in them.
    ///   - elapsedNanoseconds: From the first push to the last answer; 0 makes all rates 0.
    ///   - sent: Pushes that were sent, answered or not.
    ///   - offeredRate: What the schedule asked for, in an open loop.
    public init(
        acknowledged: Int,
        bytes: Int,
        elapsedNanoseconds: Int64,
        sent: Int? = nil,
        offeredRate: Double? = nil
    ) {
        let seconds = Double(elapsedNanoseconds) / 1e9
        func perSecond(_ count: Int) -> Double {
            seconds > 0 ? Double(count) / seconds : 0
        }
        pushesPerSecond = perSecond(acknowledged)
        bytesPerSecond = perSecond(bytes)
        self.offeredRate = offeredRate
        achievedRate = sent.map(perSecond)
    }
}
