public import HTTP2
public import NetIO

/// Everything that a run needs to know beside its message and audience; checked by its maker.
public struct RunConfiguration: Sendable {
    /// Where the pushes go.
    public var target: Target
    /// The HTTP/2 engine of the client.
    public var engine: HTTP2Engine = .wire
    /// The fields that every request carries.
    public var profile: RequestProfile
    /// TLS, where the target speaks it.
    public var tls: TLSContext?
    /// Where the pushes to installs of the sandbox go, over connections of their own; nil sends them
    /// where all others go.
    public var sandbox: Endpoint?
    /// What signs the provider tokens; nil sends the profile's own authorization, if any.
    public var tokens: ProviderTokenSource?
    /// When pushes are due.
    public var load: LoadModel = .closedLoop
    /// How many pushes there are.
    public var goal: PushGoal
    /// Connections in all, at least 1; as many again to the sandbox, where it has a target of its own.
    public var connections = 1
    /// Most streams in flight on a connection, at least 1; the peer's limit counts too.
    public var streams = 500
    /// Event-loop threads, at least 1 and at most `connections`.
    public var loops = 1
    /// Dispatch queues that render, at least 1.
    public var renderQueues = 1
    /// How long from the start pushes are left out of the latency histograms, in nanoseconds.
    public var warmUpNanoseconds: UInt64 = 0
    /// Seed of the arrival times and of the pauses before what is tried again.
    public var seed: UInt64 = 1
    /// What the ids of pushes follow from, where each has its own: the same number gives the same ids.
    public var runID = UInt64.random(in: .min ... .max)
    /// This shard's number, from 0, and how many shards the run has.
    public var shard = (index: 0, count: 1)
    /// The most memory that prepared secrets may take, in bytes; 377 a push.
    public var preparedMemoryLimit = 1 << 31
    /// Where the run writes down what it does, so that another one can continue it; needs a goal of
    /// as many pushes as the journal has, at most the audience.
    public var journal: RunJournal?
    /// Bounds on waiting.
    public var timeouts = Timeouts()
    /// What goes out again.
    public var retries = Retries()

    /// How long the engine waits before it gives a connection or a push up, in nanoseconds.
    public struct Timeouts: Equatable, Sendable {
        /// For TCP connect and TLS handshake together, then for the peer's first SETTINGS.
        public var connect: UInt64 = 5_000_000_000
        /// For any answer on a connection that has pushes in flight.
        public var answer: UInt64 = 10_000_000_000
        /// For the pushes in flight after a polite stop.
        public var drain: UInt64 = 3_000_000_000
        /// How long a connection with pushes in flight may be silent before it gets a PING.
        public var pingInterval: UInt64 = 2_000_000_000
        /// For anything at all from the peer after a PING: else the connection is dead.
        public var pong: UInt64 = 3_000_000_000
        /// How long a connection without pushes may be silent before it gets a PING: an hour, as
        /// Apple allows (contract 1.1).
        public var idlePingInterval: UInt64 = 3_600_000_000_000

        /// Connections opened within so long of a look-up need no other.
        var addressFreshness: UInt64 = 1_000_000_000

        /// The defaults.
        public init() {}
    }

    /// What goes out again beside the pushes that were certainly not processed, which always do.
    public struct Retries: Equatable, Sendable {
        /// How often one push goes out again at most, 0 to 100.
        public var limit = 3
        /// The pause before the first time, in nanoseconds; it doubles with each further one.
        ///
        /// A `retry-after` that asks for more is obeyed.
        public var delay: UInt64 = 1_000_000_000
        /// A push that would have to wait longer, in nanoseconds, ends as rejected instead.
        public var longestDelay: UInt64 = 7_200_000_000_000
        /// Whether a push whose answer was lost goes out again, with the same `apns-id`: then each
        /// has one.
        public var resendsUnknown = false

        /// The defaults.
        public init() {}
    }

    /// Where the pushes go.
    public struct Target: Sendable {
        /// Asks the name service; called on a Dispatch queue.
        public typealias LookUp = @Sendable () throws(NetIOError) -> [SocketAddress]

        /// Host name or address, without brackets.
        public var host: String
        /// The addresses that the host resolved to, at least one; used in turn.
        public var addresses: [SocketAddress]
        /// Finds the addresses anew before a connection is opened; nil keeps to ``addresses``.
        public var lookUp: LookUp?

        /// Makes a target.
        ///
        /// - Parameters:
        ///   - host: Host name or address, without brackets.
        ///   - addresses: The addresses known now, at least one.
        ///   - lookUp: Finds them anew; nil where they cannot change.
        public init(host: String, addresses: [SocketAddress], lookUp: LookUp? = nil) {
            self.host = host
            self.addresses = addresses
            self.lookUp = lookUp
        }
    }

    /// One environment's target with all that its connections need.
    public struct Endpoint: Sendable {
        /// Where the pushes go.
        public var target: Target
        /// The fields that every request carries.
        public var profile: RequestProfile
        /// TLS, where the target speaks it.
        public var tls: TLSContext?

        /// Makes an endpoint.
        public init(target: Target, profile: RequestProfile, tls: TLSContext?) {
            self.target = target
            self.profile = profile
            self.tls = tls
        }
    }

    /// Makes a configuration with the defaults for all that is not given.
    public init(target: Target, profile: RequestProfile, tls: TLSContext?, goal: PushGoal) {
        self.target = target
        self.profile = profile
        self.tls = tls
        self.goal = goal
    }
}
