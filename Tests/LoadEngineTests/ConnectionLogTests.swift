import Testing

@testable import LoadEngine

/// What is kept of connections: bounded, and right in sum.
@Suite struct ConnectionLogTests {
    private func connection(_ number: Int, _ reason: String?) -> RunReport.Connection {
        RunReport.Connection(
            opened: UInt64(number),
            closed: UInt64(number) + 1,
            reason: reason,
            pushes: number % 7
        )
    }

    private func sums(_ log: ConnectionLog) -> (connections: Int, pushes: Int) {
        (
            log.totals.reduce(log.detailed.count) { $0 + $1.connections },
            log.detailed.reduce(log.totals.reduce(0) { $0 + $1.pushes }) { $0 + $1.pushes }
        )
    }

    @Test(arguments: [0, 1, 999, 1000, 1001, 50_000])
    func firstThousandStayInDetailAndTheRestIsAddedUp(count: Int) {
        var log = ConnectionLog()
        for number in 0..<count { log.append(connection(number, number % 3 == 0 ? nil : "gone")) }
        #expect(log.detailed.count == min(count, 1000))
        #expect(log.detailed.map(\.opened) == (0..<UInt64(min(count, 1000))).map(\.self))
        #expect(sums(log) == (count, (0..<count).reduce(0) { $0 + $1 % 7 }))
        #expect(
            log.totals.map(\.reason)
                == (count > 1001 ? [nil, "gone"] : count > 1000 ? ["gone"] : [])
        )
    }

    @Test func targetThatThinksUpReasonsGetsNoMemoryForThem() {
        var log = ConnectionLog()
        for number in 0..<20_000 { log.append(connection(number, "reason \(number)")) }
        #expect(log.totals.count <= 101)
        #expect(sums(log).connections == 20_000)
        #expect(log.totals.contains { $0.reason == "other reasons" && $0.connections > 10_000 })
    }

    @Test func loopsAddUp() {
        let whole = ConnectionLog(
            merging: (0..<3).map { loop in
                var log = ConnectionLog()
                for number in 0..<1500 { log.append(connection(number, loop == 0 ? nil : "gone")) }
                return log
            }
        )
        #expect(whole.detailed.count == 1000)
        #expect(sums(whole) == (4500, 3 * (0..<1500).reduce(0) { $0 + $1 % 7 }))
    }

    @Test func ofAllLoopsThoseThatEndedFirstStayInDetail() {
        let logs = (0..<3).map { loop in
            var log = ConnectionLog()
            for number in 0..<600 { log.append(connection(3 * number + loop, nil)) }
            return log
        }
        let whole = ConnectionLog(merging: logs)
        #expect(whole.detailed.map(\.closed) == (1...1000).map(\.self))
        #expect(sums(whole) == (1800, (0..<1800).reduce(0) { $0 + $1 % 7 }))
    }

    @Test func longReasonIsCut() {
        let builder = RunReport.Connection.Builder(openedAt: 1)
        let connection = builder.finish(at: 2, reason: String(repeating: "é", count: 10_000))
        #expect(connection.reason?.count == 200)
    }
}
