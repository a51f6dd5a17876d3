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
    /// When pushes are due.
    public var load: LoadModel = .closedLoop
    /// How many pushes there are.
    public var goal: PushGoal
    /// Connections in all, at least 1.
    public var connections = 1
    /// Most streams in flight on a connection, at least 1; the peer's limit counts too.
    public var streams = 500
    /// Event-loop threads, at least 1 and at most `connections`.
    public var loops = 1
    /// Dispatch queues that render, at least 1.
    public var renderQueues = 1
    /// How long from the start pushes are left out of the latency histograms, in nanoseconds.
    public var warmUpNanoseconds: UInt64 = 0
    /// Seed of the arrival times.
    public var seed: UInt64 = 1
    /// This shard's number, from 0, and how many shards the run has.
    public var shard = (index: 0, count: 1)
    /// The most memory that prepared secrets may take, in bytes; 377 a push.
    public var preparedMemoryLimit = 1 << 31
    /// Where the run writes down what it does, so that another one can continue it; needs a goal of
    /// as many pushes as the journal has, at most the audience.
    public var journal: RunJournal?
    /// Bounds on waiting.
    public var timeouts = Timeouts()

    /// How long the engine waits before it gives a connection or a push up, in nanoseconds.
    public struct Timeouts: Equatable, Sendable {
        /// For TCP connect and TLS handshake together.
        public var connect: UInt64 = 5_000_000_000
        /// For any answer on a connection that has pushes in flight.
        public var answer: UInt64 = 10_000_000_000
        /// For the pushes in flight after a polite stop.
        public var drain: UInt64 = 3_000_000_000

        /// The defaults.
        public init() {}
    }

    /// Where the pushes go.
    public struct Target: Sendable {
        /// Host name or address, without brackets.
        public var host: String
        /// The addresses that the host resolved to, at least one; used in turn.
        public var addresses: [SocketAddress]

        /// Makes a target.
        public init(host: String, addresses: [SocketAddress]) {
            self.host = host
            self.addresses = addresses
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
