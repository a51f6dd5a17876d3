/// What one repetition measured.
public struct RunRecord: Codable, Equatable, Sendable {
    /// Where every install of the audience ended, in this run or in those that it continues.
    public var account: Account
    /// What it took over from the runs that it continues; absent where it does not.
    public var continuation: Continuation?
    /// How fast it went.
    public var throughput: Throughput
    /// When which share of the audience was acknowledged; absent where nothing was.
    public var makespan: Makespan?
    /// The times of the pushes.
    public var latency: Latency
    /// What it cost.
    public var cost: Cost
    /// What was made before the send; absent where the send did it all.
    public var preparation: Preparation?
    /// The pushes that went out more than once; absent where none did.
    public var repeats: Repeats?
    /// The installs whose tokens the target calls bad; absent where none is.
    public var badTokens: Int?
    /// The provider tokens made during the run; absent where none was.
    public var renewals: [TokenRenewal]?
    /// One record per connection; the first 1,000 that ended where there were more.
    public var connections: [ConnectionRecord]
    /// The connections beyond those, by reason; absent where there are none.
    public var moreConnections: [ConnectionTotal]?
    /// One point per second.
    public var series: [SeriesPoint]

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - account: Where every install ended.
    ///   - throughput: How fast it went.
    ///   - makespan: When which share of the audience was acknowledged.
    ///   - latency: The times of the pushes.
    ///   - cost: What it cost.
    ///   - preparation: What was made before the send.
    ///   - repeats: The pushes that went out more than once.
    ///   - badTokens: The installs whose tokens the target calls bad.
    ///   - renewals: The provider tokens made during the run.
    ///   - connections: One record per connection.
    ///   - moreConnections: The connections beyond those, by reason.
    ///   - series: One point per second.
    ///   - continuation: What it took over from the runs that it continues.
    public init(
        account: Account,
        throughput: Throughput,
        makespan: Makespan?,
        latency: Latency,
        cost: Cost = Cost(),
        preparation: Preparation? = nil,
        repeats: Repeats? = nil,
        badTokens: Int? = nil,
        renewals: [TokenRenewal]? = nil,
        connections: [ConnectionRecord] = [],
        moreConnections: [ConnectionTotal]? = nil,
        series: [SeriesPoint] = [],
        continuation: Continuation? = nil
    ) {
        self.continuation = continuation
        self.account = account
        self.throughput = throughput
        self.makespan = makespan
        self.latency = latency
        self.cost = cost
        self.preparation = preparation
        self.repeats = repeats
        self.badTokens = badTokens
        self.renewals = renewals
        self.connections = connections
        self.moreConnections = moreConnections
        self.series = series
    }
}
