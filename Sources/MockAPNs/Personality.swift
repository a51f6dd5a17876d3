/// How a mock behaves beyond its rules: when it answers, whom it throttles, what it breaks.
///
/// Everything follows from the seed: what meets a token from (seed, token) alone, what meets a push
/// of a connection from (seed, number of the connection, number of the push on it).
public struct Personality: Equatable, Sendable {
    /// A stream limit that follows the answers, as Apple's does (contract 1.1).
    public struct StreamLimit: Equatable, Sendable {
        /// Until the first accepted push of a connection without client certificate.
        public var untilFirstSuccess: UInt32 = 1
        /// From then on; nil is the mock's own.
        public var normal: UInt32?
        /// From a rejection, other than a 410, until the next accepted push; nil changes nothing.
        public var afterRejection: UInt32?

        /// Makes the limit of one stream at the start.
        public init() {}
    }

    /// The end of a connection on which too much was refused.
    public struct Disconnection: Equatable, Sendable {
        /// After so many refusals, those with 410 not counted; 0 is never.
        public var errors: UInt64 = 0
        /// As how many of them a BadDeviceToken counts.
        public var badDeviceTokenWeight: UInt64 = 1

        /// Makes one that never happens.
        public init() {}
    }

    /// What breaks, as shares of a connection's pushes; one thing a push at most.
    public struct Faults: Equatable, Sendable {
        /// The connection dies and stays open: nothing is read or answered any more.
        public var silentDeath = Share.none
        /// The connection is reset (TCP RST); the push is not processed.
        public var reset = Share.none
        /// RST_STREAM with REFUSED_STREAM; the push is not processed.
        public var refusedStream = Share.none
        /// RST_STREAM with INTERNAL_ERROR; the push *is* processed.
        public var internalError = Share.none

        /// Makes no faults.
        public init() {}
    }

    /// How connections are told to go.
    public struct Goodbye: Equatable, Sendable {
        /// After so many pushes of a connection; 0 is never.
        public var everyPushes: UInt64 = 0
        /// Whether a first GOAWAY, for streams up to 2^31-1, warns of the one with the real id.
        public var isTwice = false
        /// How long after the first the second one comes, in nanoseconds.
        public var graceNanoseconds: UInt64 = 10_000_000
        /// The `reason` in the debug data of the mock's GOAWAYs; nil gives one where there is a cause.
        public var reason: String?

        /// Makes a common goodbye: one GOAWAY, when the mock stops.
        public init() {}
    }

    /// Decides everything that is random.
    public var seed: UInt64 = 1
    /// How long answers take.
    public var delay = AnswerDelay()
    /// What shares of the tokens are refused with, always.
    public var reasons: [ReasonMix.Row] = []
    /// What shares of the tokens are refused with, some times.
    public var throttles: [Throttle] = []
    /// The stream limit, where it follows the answers.
    public var streamLimit: StreamLimit?
    /// The end after many refusals.
    public var disconnection = Disconnection()
    /// What breaks.
    public var faults = Faults()
    /// How connections are told to go.
    public var goodbye = Goodbye()
    /// What is announced in SETTINGS.
    public var settings = SettingsScript()

    /// Makes the personality that accepts all at once.
    public init() {}

    /// Whether it only decides by token, which the rules do, and has no part in the course of
    /// connections.
    var isPassive: Bool {
        var other = Personality()
        other.seed = seed
        other.reasons = reasons
        return self == other
    }
}
