/// What a run took over from earlier runs of its journal; the account has it all.
public struct Continuation: Codable, Equatable, Sendable {
    /// Pushes that earlier runs had accepted.
    public var accepted: Int
    /// Pushes that earlier runs had rejected.
    public var rejected: Int
    /// Pushes that earlier runs sent, and whose end is not known.
    public var unknown: Int
    /// The most pushes that may have arrived more than once, each counted once: they may have been sent,
    /// an earlier run died before it wrote down how they ended, and they were sent again.
    public var perhapsTwice: Int

    /// Makes a continuation.
    ///
    /// - Parameters:
    ///   - accepted: Pushes that earlier runs had accepted.
    ///   - rejected: Pushes that earlier runs had rejected.
    ///   - unknown: Pushes that earlier runs sent, and whose end is not known.
    ///   - perhapsTwice: The most pushes that may have arrived more than once.
    public init(accepted: Int, rejected: Int, unknown: Int, perhapsTwice: Int) {
        self.accepted = accepted
        self.rejected = rejected
        self.unknown = unknown
        self.perhapsTwice = perhapsTwice
    }
}
