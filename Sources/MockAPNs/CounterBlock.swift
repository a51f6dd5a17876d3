import Synchronization

/// What a loop counts.
enum Counter: Int, CaseIterable {
    /// Whole requests for a push or a broadcast, accepted or refused.
    case requests
    /// Pushes and broadcasts answered with 200.
    case accepted
    /// Bytes of push bodies.
    case bodyBytes
    /// Accepted pushes whose content was looked at.
    case contentChecked
    /// Requests to create, read, list or delete channels, done or refused.
    case channelRequests
    /// Requests to the admin endpoint.
    case adminRequests
    /// Bytes of HTTP/2, without TLS, that came in.
    case bytesReceived
    /// Bytes of HTTP/2, without TLS, that were handed to connections.
    case bytesSent
    /// Connections taken from the listener, before their handshake.
    case connectionsOpened
    /// Connections that ended, in whatever way.
    case connectionsClosed
    /// TLS handshakes that failed.
    case handshakesFailed
    /// Connections closed because their handshake took too long.
    case handshakesTimedOut
    /// Connections closed because a request, or reading its answer, took too long.
    case connectionsStalled
    /// Connections closed because nothing came for too long.
    case connectionsIdledOut
    /// Connections that ended with a reset or another fault of the socket or of TLS.
    case connectionsBroken
    /// Connections closed because the peer did not speak HTTP/2 as it must.
    case protocolErrors
    /// Connections closed because the loop's connections together held too much of unfinished exchanges.
    case connectionsHoarding
    /// Connections that were told to go, by one GOAWAY or two.
    case goAways
    /// Those of them that were for too many refusals.
    case disconnections
    /// Connections that were reset on purpose.
    case connectionResets
    /// Connections that were left alone on purpose: open, and ignored.
    case silentDeaths
    /// Streams that were refused because they were more than was announced and acknowledged.
    case streamsOverLimit
    /// Pushes whose stream was refused on purpose; not among the requests.
    case streamsRefused
    /// Pushes that were processed and whose stream was reset on purpose in place of an answer.
    case streamsFailed
    /// Pushes that were processed and whose answer came too late for its connection.
    case answersDropped
    /// Times that a connection was announced other settings.
    case settingsChanges
    /// Times that accepting was paused for lack of file descriptors.
    case acceptPauses

    /// The name in the JSON text.
    var name: String { String(describing: self) }
}

/// One loop's counters, which other threads may read meanwhile.
///
/// Written by one thread alone, so a load and a store do instead of an atomic addition.
final class CounterBlock: @unchecked Sendable {
    // Safe to share: every access to the cells is atomic, the pointer never changes.

    private static let firstReason = Counter.allCases.count
    private static let firstFault = firstReason + ReasonTable.capacity
    private static let cellCount = firstFault + ContentFault.allCases.count
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>
    /// The processor time of the loop's thread.
    let threadTime = ThreadTime()

    init() {
        cells = .allocate(capacity: Self.cellCount)
        for index in 0..<Self.cellCount { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: Self.cellCount)
        cells.deallocate()
    }

    /// Adds to a counter; the owning loop's thread alone.
    @inline(__always)
    func add(_ counter: Counter, _ amount: UInt64 = 1) { add(amount, at: counter.rawValue) }

    /// Counts a refusal; the owning loop's thread alone.
    func addRefusal(_ reason: ReasonCode) {
        add(1, at: Self.firstReason + Int(reason.index))
    }

    /// Counts a fault of a content; the owning loop's thread alone.
    func addFault(_ fault: ContentFault) { add(1, at: Self.firstFault + Int(fault.rawValue)) }

    func value(of counter: Counter) -> UInt64 { cells[counter.rawValue].load(ordering: .relaxed) }

    func refusals(at reasonIndex: Int) -> UInt64 {
        cells[Self.firstReason + reasonIndex].load(ordering: .relaxed)
    }

    func faults(_ fault: ContentFault) -> UInt64 {
        cells[Self.firstFault + Int(fault.rawValue)].load(ordering: .relaxed)
    }

    @inline(__always)
    private func add(_ amount: UInt64, at index: Int) {
        let value = cells[index].load(ordering: .relaxed)
        cells[index].store(value &+ amount, ordering: .relaxed)
    }
}
