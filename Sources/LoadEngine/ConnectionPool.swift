import NetIO
import PushModel

/// A loop's connections to one target: how many it should have, those it has, and how often opening
/// failed.
///
/// Touched by its loop's thread alone.
struct ConnectionPool {
    /// Connections that the loop should have open.
    let wanted: Int
    private var connections: [ClientConnection] = []
    private var failuresInARow = 0
    private var generator: SplitMix64
    private var hasEverOpened = false
    private var hasEverAnswered = false
    private var notBefore = MonotonicInstant(nanoseconds: 0)
    private var firstFailure = MonotonicInstant(nanoseconds: 0)
    private var lastFailure = MonotonicInstant(nanoseconds: 0)

    /// Times that connections may fail one after the other without an answer between them.
    private static let failureLimit = 3
    /// How long a target that has answered before may be away: it is restarted, say.
    private static let patience: UInt64 = 3_000_000_000
    private static let firstBackOff: UInt64 = 100_000_000
    /// Connections per wanted one at most, those that wait for their last answers included.
    private static let mostPerWanted = 4

    init(wanted: Int, seed: UInt64) {
        self.wanted = wanted
        generator = SplitMix64(seed: seed)
    }

    /// Connections that are not closed.
    var count: Int { connections.count }

    /// The connection at `position`, in the order of opening.
    subscript(position: Int) -> ClientConnection { connections[position] }

    /// The connection that the poller knows by `id`; nil where it has been closed meanwhile.
    func connection(id: UInt64) -> ClientConnection? {
        position { $0.id == id }.map { connections[$0] }
    }

    /// Asked at each turn of the loop: the library's searches allocate where they are not optimised.
    private func position(_ isWanted: (ClientConnection) -> Bool) -> Int? {
        var position = 0
        while position < connections.count {
            if isWanted(connections[position]) { return position }
            position += 1
        }
        return nil
    }

    /// Pushes in flight on all connections.
    var inFlight: Int { connections.reduce(0) { $0 + $1.inFlight.count } }

    /// Whether some connection takes a push now.
    var canSubmit: Bool { position { $0.canSubmit } != nil }

    /// Whether some connection left bytes unread.
    var hasMoreToRead: Bool { position { $0.hasMoreToRead } != nil }

    /// Calls `body` with each connection that left bytes unread.
    func forEachWithMoreToRead(_ body: (ClientConnection) -> Void) {
        forEach { if $0.hasMoreToRead { body($0) } }
    }

    /// Calls `body` with each connection; closing them meanwhile is fine.
    func forEach(_ body: (ClientConnection) -> Void) {
        let connections = connections
        var position = 0
        while position < connections.count {
            body(connections[position])
            position += 1
        }
    }

    /// Calls `body` with each connection, which closes it.
    func closeAll(_ body: (ClientConnection) -> Void) { forEach(body) }

    /// Whether no connection is left and none can be had at any of so many addresses.
    func isGivenUp(now: MonotonicInstant, addresses: Int) -> Bool {
        connections.isEmpty && !mayOpen(now: now, addresses: addresses)
    }

    private func mayOpen(now: MonotonicInstant, addresses: Int) -> Bool {
        // A target that was never reached has had its chance at each of its addresses.
        guard hasEverOpened else { return failuresInARow < addresses }
        return failuresInARow < max(addresses, Self.failureLimit)
            || hasEverAnswered && now.nanoseconds(since: firstFailure) < Self.patience
    }

    /// How many connections should be opened now.
    ///
    /// Those that retire are replaced at once, as long as they do not pile up.
    func missing(now: MonotonicInstant, addresses: Int) -> Int {
        guard now >= notBefore, mayOpen(now: now, addresses: addresses) else { return 0 }
        let atWork = connections.lazy.filter { !$0.isRetiring }.count
        return min(wanted - atWork, Self.mostPerWanted * wanted - connections.count)
    }

    /// Takes a connection in.
    mutating func insert(_ connection: ClientConnection) { connections.append(connection) }

    /// Lets a closed connection go.
    mutating func remove(_ connection: ClientConnection) {
        connections.removeAll { $0 === connection }
    }

    /// Notes that the target was reached and speaks HTTP/2.
    mutating func noteOpened() { hasEverOpened = true }

    /// Notes that the target answers.
    mutating func noteAnswer() {
        failuresInARow = 0
        hasEverAnswered = true
    }

    /// Notes that a connection failed: the next one waits, longer each time, between half and all of
    /// the pause so that many senders do not come back together.
    ///
    /// Those that were open together count once, be it that the target was restarted. One that had
    /// answered pushes is replaced at once: the target lives.
    mutating func noteFailure(
        openedAt: MonotonicInstant,
        now: MonotonicInstant,
        hadAnswered: Bool = false
    ) {
        guard openedAt >= lastFailure else { return }
        lastFailure = now
        if failuresInARow == 0 { firstFailure = now }
        if !hadAnswered || failuresInARow > 0 {
            let pause = Self.firstBackOff << UInt64(min(failuresInARow, 5))
            notBefore = now.advanced(by: UInt64.random(in: pause / 2...pause, using: &generator))
        }
        failuresInARow += 1
    }

    /// When a connection may be opened next.
    var opensNotBefore: MonotonicInstant { notBefore }
}
