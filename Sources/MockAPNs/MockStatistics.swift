import NetIO
import Synchronization

/// The counters of a mock's loops, merged when they are asked for.
///
/// May be asked by any thread; a reset keeps what was counted so far as the new zero, so that the
/// loops' own counters have one writer each.
public final class MockStatistics: Sendable {
    private struct State {
        var zero = MockCounts()
        var zeroRefusals = [UInt64](repeating: 0, count: ReasonTable.capacity)
        var zeroRecorded: UInt64 = 0
        var zeroUnrecorded: UInt64 = 0
        var zeroFaults = [UInt64](repeating: 0, count: ContentFault.allCases.count)
        var startedAt = MonotonicInstant.now()
    }

    let blocks: [CounterBlock]
    private let reasons: ReasonTable
    private let content: ContentCheck?
    private let record: RequestRecord?
    private let state = Mutex(State())

    /// Makes the statistics of `loops` loops.
    init(
        loops: Int,
        reasons: ReasonTable,
        content: ContentCheck? = nil,
        record: RequestRecord? = nil
    ) {
        self.reasons = reasons
        self.content = content
        self.record = record
        blocks = (0..<loops).map { _ in CounterBlock() }
    }

    /// The counts since the start or the last reset.
    public func counts() -> MockCounts {
        state.withLock { state in
            var counts = merged()
            // The two are read one after the other, while the loops go on.
            let (open, isBefore) = counts[.connectionsOpened]
                .subtractingReportingOverflow(counts[.connectionsClosed])
            counts.connectionsOpen = isBefore ? 0 : open
            for index in counts.values.indices { counts.values[index] &-= state.zero.values[index] }
            counts.cpuNanoseconds &-= state.zero.cpuNanoseconds
            counts.elapsedNanoseconds = MonotonicInstant.now().nanoseconds(since: state.startedAt)
            let refusals = refusalCounts()
            for index in 0..<reasons.count {
                let count = refusals[index] &- state.zeroRefusals[index]
                guard count > 0 else { continue }
                counts.refusals.append(.init(reason: reasons.name(at: index), count: count))
            }
            let faults = faultCounts()
            for fault in ContentFault.allCases {
                let index = Int(fault.rawValue)
                let count = faults[index] &- state.zeroFaults[index]
                if count > 0 { counts.contentFaults.append(.init(fault: fault, count: count)) }
            }
            counts.contentFaultExamples = content?.examples ?? []
            counts.recorded = record.map { $0.recorded &- state.zeroRecorded }
            counts.unrecorded = record.map { $0.unrecorded &- state.zeroUnrecorded }
            return counts
        }
    }

    /// Lets every count begin at 0 again; the peak of memory stays.
    public func reset() {
        state.withLock { state in
            state.zero = merged()
            state.zeroRefusals = refusalCounts()
            state.zeroFaults = faultCounts()
            state.zeroRecorded = record?.recorded ?? 0
            state.zeroUnrecorded = record?.unrecorded ?? 0
            content?.reset()
            state.startedAt = .now()
        }
    }

    private func merged() -> MockCounts {
        var counts = MockCounts()
        for block in blocks {
            for counter in Counter.allCases {
                counts.values[counter.rawValue] &+= block.value(of: counter)
            }
        }
        counts.cpuNanoseconds = blocks.reduce(0) { $0 &+ $1.threadTime.nanoseconds }
        counts.peakRSSBytes = ProcessUsage.current().peakRSSBytes
        counts.loops = blocks.count
        return counts
    }

    private func refusalCounts() -> [UInt64] {
        (0..<ReasonTable.capacity).map { index in
            blocks.reduce(0) { $0 &+ $1.refusals(at: index) }
        }
    }

    private func faultCounts() -> [UInt64] {
        ContentFault.allCases.map { fault in blocks.reduce(0) { $0 &+ $1.faults(fault) } }
    }
}
