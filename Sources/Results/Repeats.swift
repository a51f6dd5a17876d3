/// The pushes that went out more than once; each counts once in the account, by its last end.
public struct Repeats: Codable, Equatable, Sendable {
    /// Requests sent again because the first was certainly not processed, or its answer lost.
    public var resent: Int
    /// Requests sent again because of their answer.
    public var retried: Int
    /// The answers for which pushes were to be sent again, by reason.
    public var reasons: [String: Int]

    /// Counts repeats.
    ///
    /// - Parameters:
    ///   - resent: Requests sent again that were not answered.
    ///   - retried: Requests sent again because of their answer.
    ///   - reasons: The answers for which pushes were to be sent again.
    public init(resent: Int, retried: Int, reasons: [String: Int]) {
        self.resent = resent
        self.retried = retried
        self.reasons = reasons
    }
}
