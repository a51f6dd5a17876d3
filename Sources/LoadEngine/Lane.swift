import HTTP2
import NetIO
import PushModel

/// One environment's part of a loop: its target, connections, slabs and schedule.
///
/// A run has one lane, or two where the sandbox has a target of its own: then each sends to its own
/// installs alone, and the end of one is not the other's. Touched by its loop's thread alone.
final class Lane {
    /// Its place in the loop.
    let number: Int
    let endpoint: RunConfiguration.Endpoint
    let fanOut: FanOut
    let ring: SlabRing
    let retries = RetryQueue()
    let resolver: HostResolver?
    /// For the pushes that go out again.
    let renderer: PushRenderer

    var pool: ConnectionPool
    var addresses: AddressBook
    var pacer: Pacer?
    var nextDue: MonotonicInstant
    var rotation = 0
    var stopSeenAt: MonotonicInstant?
    /// Whether it has ended, with all its connections.
    var isOver = false
    /// Streams that connections stay below the peer's limit; above 0 where the peer counts streams for
    /// longer than it says.
    var limitMargin = 0
    /// When the margin last grew.
    var marginGrewAt = MonotonicInstant(nanoseconds: 0)
    /// Nothing is sent before the provider token has this version.
    var awaitedTokenVersion = 0

    init(
        number: Int,
        loop: Int,
        endpoint: RunConfiguration.Endpoint,
        configuration: RunConfiguration,
        fanOut: FanOut,
        stage: RenderStage,
        doorbell: Doorbell,
        start: MonotonicInstant
    ) throws(LoadError) {
        self.number = number
        self.endpoint = endpoint
        self.fanOut = fanOut
        ring = SlabRing(fanOut: fanOut, stage: stage, doorbell: doorbell)
        renderer = try PushRenderer(fanOut)
        resolver = endpoint.target.lookUp.map { HostResolver($0, wakeUp: doorbell.wakeUp) }
        let (share, rest) = configuration.connections.quotientAndRemainder(
            dividingBy: configuration.loops
        )
        pool = ConnectionPool(
            wanted: share + (loop < rest ? 1 : 0),
            seed: configuration.seed &+ UInt64(2 * loop + number)
        )
        addresses = AddressBook(endpoint.target.addresses, first: loop, resolvedAt: start)
        nextDue = start
        guard case .openLoop(let rate, let arrivals) = configuration.load else { return }
        // Each lane asks for the share of the rate that its installs are of the audience.
        let lanesShare = Double(fanOut.roundSize) / Double(fanOut.audience)
        var pacer = Pacer(
            rate: rate * lanesShare,
            arrivals: arrivals,
            seed: configuration.seed &+ UInt64(number) &* 0x9E37_79B9,
            loop: loop,
            loops: configuration.loops
        )
        nextDue = start.advanced(by: pacer.next())
        self.pacer = pacer
    }

    /// The host and port that messages name.
    var name: String { endpoint.profile.authority }

    /// Whether pushes wait to be sent, or may come.
    var hasMoreToSend: Bool { !ring.isDrained || !retries.isEmpty }

    /// Whether there is something to send by `instant`: no connection is opened for what waits longer.
    func hasWork(by instant: MonotonicInstant) -> Bool {
        !ring.isDrained || retries.hasDue(at: instant)
    }

    /// Whether no connection is left and none can be had.
    func isGivenUp(now: MonotonicInstant) -> Bool {
        pool.isGivenUp(now: now, addresses: addresses.addresses.count)
    }
}
