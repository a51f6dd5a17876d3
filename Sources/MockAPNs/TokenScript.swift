import PushModel

/// Device tokens that do not get the common answer, with the one they get.
///
/// Immutable once a server runs. Costs nothing while empty.
public struct TokenScript: Sendable {
    /// What is wrong with a token.
    public struct Fate: Equatable, Sendable {
        /// The reason that answers it.
        public var reason: ReasonCode
        /// Milliseconds since the epoch since when the token is gone, for status 410.
        public var timestampMilliseconds: UInt64?

        /// Makes a fate.
        public init(reason: ReasonCode, timestampMilliseconds: UInt64? = nil) {
            self.reason = reason
            self.timestampMilliseconds = timestampMilliseconds
        }
    }

    // Keyed by a 64-bit hash: among scripted tokens of a test a collision does not happen.
    private var fates: [UInt64: Fate] = [:]
    /// What shares of the other tokens get.
    public var mix = ReasonMix()

    /// Makes an empty script.
    public init() {}

    /// Whether every token gets the common answer.
    public var isEmpty: Bool { fates.isEmpty && mix.isEmpty }

    /// Gives `token`, hex digits in either case, a fate; nil takes it away.
    public mutating func setFate(_ fate: Fate?, ofToken token: String) {
        let bytes = Array(token.utf8)
        fates[TokenHash.of(bytes.span.bytes)] = fate
    }

    func fate(of token: RawSpan) -> Fate? {
        let hash = TokenHash.of(token)
        if !fates.isEmpty, let fate = fates[hash] { return fate }
        return mix.isEmpty ? nil : mix.fate(ofHash: hash)
    }
}
