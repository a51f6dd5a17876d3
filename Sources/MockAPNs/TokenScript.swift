import PushModel

/// Device tokens that do not get the common answer, with the one they get.
///
/// Immutable once a server runs. Costs nothing while empty, else one dictionary look-up a push.
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

    /// Makes an empty script.
    public init() {}

    /// Whether every token gets the common answer.
    public var isEmpty: Bool { fates.isEmpty }

    /// Gives `token`, hex digits in either case, a fate; nil takes it away.
    public mutating func setFate(_ fate: Fate?, ofToken token: String) {
        let bytes = Array(token.utf8)
        fates[Self.hash(bytes.span.bytes)] = fate
    }

    func fate(of token: RawSpan) -> Fate? { fates[Self.hash(token)] }

    /// FNV-1a over the digits in lowercase.
    private static func hash(_ token: RawSpan) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for offset in token.byteOffsets {
            hash ^= UInt64(token.unsafeLoad(fromByteOffset: offset, as: UInt8.self) | 0x20)
            hash &*= 0x100_0000_01B3
        }
        return hash
    }
}
