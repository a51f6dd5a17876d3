/// What a mock has counted, all loops together, since its start or the last reset.
public struct MockCounts: Equatable, Sendable {
    /// How often a reason was given.
    public struct Refusals: Equatable, Sendable {
        /// The reason's wire name.
        public var reason: String
        /// Pushes refused with it.
        public var count: UInt64
    }

    /// How often a content had a fault.
    public struct ContentFaults: Equatable, Sendable {
        /// What was wrong.
        public var fault: ContentFault
        /// Pushes with it.
        public var count: UInt64
    }

    var values = [UInt64](repeating: 0, count: Counter.allCases.count)
    /// The reasons that were given at least once, in the table's order.
    public internal(set) var refusals: [Refusals] = []
    /// The faults of contents that occurred at least once, in the order of their declaration.
    public internal(set) var contentFaults: [ContentFaults] = []
    /// The first pushes with such a fault.
    public internal(set) var contentFaultExamples: [ContentFaultExample] = []
    /// Requests whose lines are in the record's file; nil without a record.
    public internal(set) var recorded: UInt64?
    /// Requests whose lines the record's file did not take; nil without a record.
    public internal(set) var unrecorded: UInt64?
    /// Processor time of the loops' threads, in nanoseconds.
    public internal(set) var cpuNanoseconds: UInt64 = 0
    /// The largest resident memory of the process, in bytes; a reset does not lower it.
    public internal(set) var peakRSSBytes: UInt64 = 0
    /// Nanoseconds since the start or the last reset.
    public internal(set) var elapsedNanoseconds: UInt64 = 0
    /// The number of loops.
    public internal(set) var loops = 0

    init() {}

    subscript(_ counter: Counter) -> UInt64 { values[counter.rawValue] }

    /// Whole requests for a push or a broadcast, accepted or refused.
    public var requests: UInt64 { self[.requests] }
    /// Pushes and broadcasts answered with 200.
    public var accepted: UInt64 { self[.accepted] }
    /// Pushes refused, whatever the reason.
    public var refused: UInt64 { refusals.reduce(0) { $0 + $1.count } }
    /// Accepted pushes whose content was looked at.
    public var contentChecked: UInt64 { self[.contentChecked] }
    /// Bytes of push bodies.
    public var bodyBytes: UInt64 { self[.bodyBytes] }
    /// Connections taken from the listener.
    public var connectionsOpened: UInt64 { self[.connectionsOpened] }
    /// Connections that are open now, also those from before a reset.
    public internal(set) var connectionsOpen: UInt64 = 0
    /// Connections that ended.
    public var connectionsClosed: UInt64 { self[.connectionsClosed] }
    /// Connections closed because the peer did not speak HTTP/2 as it must.
    public var protocolErrors: UInt64 { self[.protocolErrors] }
    /// TLS handshakes that failed.
    public var handshakesFailed: UInt64 { self[.handshakesFailed] }

    /// How often `reason` was given.
    public func refusals(named reason: String) -> UInt64 {
        refusals.first { $0.reason == reason }?.count ?? 0
    }

    /// How often contents had `fault`.
    public func contentFaults(_ fault: ContentFault) -> UInt64 {
        contentFaults.first { $0.fault == fault }?.count ?? 0
    }

    /// One JSON object, schema `pushbench.mock/1`, without a line break.
    public var json: String {
        var text = JSONText()
        text.object {
            $0.field("schema", "pushbench.mock/1")
            for counter in Counter.allCases {
                $0.field(counter.name, self[counter])
                switch counter {
                case .accepted: write(refusalsTo: &$0)
                case .contentChecked: write(faultsTo: &$0)
                default: break
                }
            }
            if let recorded { $0.field("recorded", recorded) }
            if let unrecorded { $0.field("unrecorded", unrecorded) }
            $0.field("loops", loops)
            $0.field("elapsedNanoseconds", elapsedNanoseconds)
            $0.field("cpuNanoseconds", cpuNanoseconds)
            $0.field("peakRSSBytes", peakRSSBytes)
        }
        return text.text
    }

    private func write(refusalsTo text: inout JSONText) {
        text.field("refused", refused)
        text.field("refusals") { members in
            for row in refusals { members.field(row.reason, row.count) }
        }
    }

    private func write(faultsTo text: inout JSONText) {
        text.field("contentFaults") { members in
            for row in contentFaults { members.field(row.fault.name, row.count) }
        }
        text.field("contentFaultExamples", contentFaultExamples) { example, members in
            members.field("fault", example.fault.name)
            members.field("token", example.tokenStart)
        }
    }
}
