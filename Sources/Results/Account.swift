/// Where every install of the audience ended: in exactly one of four places.
public struct Account: Codable, Equatable, Sendable {
    /// The installs that were to be sent to.
    public var audience: Int
    /// Pushes answered with status 200.
    public var accepted: Int
    /// Pushes answered with another status, by reason.
    public var rejected: [String: Int]
    /// Pushes that were sent and whose answer was lost with the connection or never came.
    public var unknown: Int
    /// Installs whose push was not sent, or certainly not processed and not sent again.
    public var neverSent: Int
    /// Pushes that the target got more than once; absent where the target does not tell.
    public var duplicates: Int?

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - audience: The installs that were to be sent to.
    ///   - accepted: Pushes answered with status 200.
    ///   - rejected: Pushes answered with another status, by reason.
    ///   - unknown: Pushes whose answer is not known.
    ///   - neverSent: Installs whose push was not sent.
    ///   - duplicates: Pushes that the target got more than once, if it tells.
    public init(
        audience: Int,
        accepted: Int,
        rejected: [String: Int] = [:],
        unknown: Int = 0,
        neverSent: Int = 0,
        duplicates: Int? = nil
    ) {
        self.audience = audience
        self.accepted = accepted
        self.rejected = rejected
        self.unknown = unknown
        self.neverSent = neverSent
        self.duplicates = duplicates
    }

    // The sums wrap rather than trap: a damaged file may hold any number.

    /// Rejected pushes of all reasons.
    public var rejectedTotal: Int {
        rejected.values.reduce(0, &+)
    }

    /// Pushes that were answered, whatever the answer.
    public var acknowledged: Int {
        accepted &+ rejectedTotal
    }

    /// Whether every install ended in exactly one place and none was pushed to twice.
    public var addsUp: Bool {
        var left = audience
        for count in [accepted, unknown, neverSent] + rejected.values {
            guard count >= 0, count <= left else {
                return false
            }
            left -= count
        }
        return left == 0 && (duplicates ?? 0) == 0
    }

    /// The share of the audience, 0 to 1, that was not accepted; nil for an empty audience.
    public var errorShare: Double? {
        audience > 0 ? Double(audience &- accepted) / Double(audience) : nil
    }
}
