import PushModel

/// Reasons that shares of all device tokens are refused with, whenever they come.
///
/// The seed and the token alone decide, so that a push that is sent again meets the same answer and
/// nothing is remembered of any token.
public struct ReasonMix: Sendable {
    /// A reason and its share of the tokens.
    public struct Row: Equatable, Sendable {
        /// The reason.
        public var reason: ReasonCode
        /// How many of all tokens it meets.
        public var share: Share

        /// Makes a row.
        public init(reason: ReasonCode, share: Share) {
            self.reason = reason
            self.share = share
        }
    }

    /// Keeps what a token's hash decides here apart from what it decides elsewhere.
    private static let salt: UInt64 = 0x6D69_7820_7265_6173
    /// Timestamps of tokens that are gone: in the year from this moment on, in milliseconds.
    private static let firstTimestamp: UInt64 = 1_700_000_000_000
    private static let timestampRange: UInt64 = 31_536_000_000

    /// The reasons and their shares.
    public let rows: [Row]
    private let table: ShareTable
    private let seed: UInt64
    /// Whether a row's tokens are gone since some time.
    private let haveTimestamp: [Bool]

    /// Makes a mix.
    ///
    /// - Parameters:
    ///   - rows: The reasons with their shares, which add up to 1 at most.
    ///   - seed: Decides which tokens they meet.
    public init(_ rows: [Row] = [], seed: UInt64 = 1) {
        self.rows = rows
        self.seed = SplitMix64.mix(seed ^ Self.salt)
        table = ShareTable(rows.map(\.share))
        let gone = [ReasonCode(.unregistered), ReasonCode(.expiredToken)]
        haveTimestamp = rows.map { gone.contains($0.reason) }
    }

    /// Whether every token gets the common answer.
    public var isEmpty: Bool { table.isEmpty }

    /// What the token with this hash is refused with.
    func fate(ofHash hash: UInt64) -> TokenScript.Fate? {
        let draw = SplitMix64.mix(hash ^ seed)
        guard let place = table.place(draw) else { return nil }
        var fate = TokenScript.Fate(reason: rows[place].reason)
        if haveTimestamp[place] {
            fate.timestampMilliseconds =
                Self.firstTimestamp + SplitMix64.mix(draw) % Self.timestampRange
        }
        return fate
    }
}
