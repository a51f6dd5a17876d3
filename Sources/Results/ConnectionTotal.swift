/// Connections that have no record of their own, put together by how they ended.
public struct ConnectionTotal: Codable, Equatable, Sendable {
    /// Why they were closed before the end of the run; absent where they were not.
    public var reason: String?
    /// How many there were.
    public var connections: Int
    /// Pushes that were answered on them.
    public var pushes: Int

    /// Makes a total.
    ///
    /// - Parameters:
    ///   - reason: Why they were closed early.
    ///   - connections: How many there were.
    ///   - pushes: Pushes that were answered on them.
    public init(reason: String? = nil, connections: Int, pushes: Int) {
        self.reason = reason
        self.connections = connections
        self.pushes = pushes
    }
}

extension RunRecord {
    /// All connections by reason, those with a record of their own among them.
    package var connectionsByReason: [String: Int] {
        var reasons: [String: Int] = [:]
        for reason in connections.compactMap(\.reason) { reasons[reason, default: 0] += 1 }
        for total in moreConnections ?? [] {
            if let reason = total.reason { reasons[reason, default: 0] += total.connections }
        }
        return reasons
    }

    /// How many connections were opened.
    package var connectionsOpened: Int {
        (moreConnections ?? []).reduce(connections.count) { $0 + $1.connections }
    }
}
