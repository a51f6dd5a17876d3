/// How connections ended: the first ones in detail, the others added up by reason.
///
/// Bounded, whatever a target does: one that closes after each push ends a million of them. Touched
/// by its loop alone.
struct ConnectionLog {
    private(set) var detailed: [RunReport.Connection] = []
    /// The others, by reason; the empty text stands for none.
    private var others: [String: RunReport.ConnectionTotal] = [:]

    /// Connections that are kept in detail.
    static let mostDetailed = 1_000
    private static let mostReasons = 100
    private static let otherReasons = "other reasons"

    /// The connections that are not in detail, by reason.
    var totals: [RunReport.ConnectionTotal] {
        others.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes a connection in that has ended.
    mutating func append(_ connection: RunReport.Connection) {
        if detailed.count < Self.mostDetailed {
            detailed.append(connection)
        } else {
            add(
                RunReport.ConnectionTotal(
                    reason: connection.reason,
                    connections: 1,
                    pushes: connection.pushes
                )
            )
        }
    }

    /// Makes an empty log.
    init() {}

    /// Puts the logs of several loops together: in detail stay the connections that ended first.
    init(merging logs: [ConnectionLog]) {
        let detailed = logs.flatMap(\.detailed).sorted { $0.closed < $1.closed }
        for connection in detailed { append(connection) }
        for log in logs {
            for total in log.others.values { add(total) }
        }
    }

    private mutating func add(_ total: RunReport.ConnectionTotal) {
        var reason = total.reason
        if others[reason ?? ""] == nil, others.count >= Self.mostReasons {
            reason = Self.otherReasons
        }
        var sum =
            others[reason ?? ""]
            ?? RunReport.ConnectionTotal(reason: reason, connections: 0, pushes: 0)
        sum.connections += total.connections
        sum.pushes += total.pushes
        others[reason ?? ""] = sum
    }
}
