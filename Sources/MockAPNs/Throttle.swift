/// A refusal of a share of all tokens that ends by itself: the same push is taken once it was
/// refused so often.
public struct Throttle: Equatable, Sendable {
    /// The reason that it gives.
    public var reason: ReasonCode
    /// How many of all tokens it meets.
    public var share: Share
    /// How often a token is refused before it is accepted, 1 to 255.
    public var times: UInt8
    /// The value of `retry-after`, in seconds; nil sends none.
    public var retryAfterSeconds: UInt32?

    /// Makes a throttle.
    public init(
        reason: ReasonCode,
        share: Share,
        times: UInt8 = 1,
        retryAfterSeconds: UInt32? = nil
    ) {
        self.reason = reason
        self.share = share
        self.times = times
        self.retryAfterSeconds = retryAfterSeconds
    }
}
