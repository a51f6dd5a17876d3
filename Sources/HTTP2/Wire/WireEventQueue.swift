/// A client's events in order, and the bytes that go with them.
struct WireEventQueue: ~Copyable {
    /// Bytes of a response body, or of GOAWAY's debug data, that are kept.
    static let bodyLimit = 4096

    private var events: UnsafeMutablePointer<ClientEvent>
    /// A power of two.
    private var capacity = 64
    private var first = 0
    private var count = 0
    private var bodies = WireBuffer(capacity: 4096)

    init() { events = .allocate(capacity: 64) }

    deinit { events.deallocate() }

    /// Forgets the bytes of events that were all told.
    @inline(__always)
    mutating func beginReceiving() {
        if count == 0, !bodies.isEmpty { bodies.removeAll() }
    }

    @inline(__always)
    mutating func append(_ event: ClientEvent) {
        if count == capacity { grow() }
        (events + ((first &+ count) & (capacity &- 1))).initialize(to: event)
        count &+= 1
    }

    @inline(__always)
    mutating func next() -> ClientEvent? {
        guard count > 0 else { return nil }
        let event = events[first]
        first = (first &+ 1) & (capacity &- 1)
        count &-= 1
        return event
    }

    /// Keeps the first bytes of `body`; the range names them in an event.
    mutating func keep(_ body: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bodies.count
        bodies.append(UnsafeRawBufferPointer(rebasing: body.prefix(Self.bodyLimit)))
        return start..<bodies.count
    }

    /// The bytes of `range`; none where they were forgotten.
    func body(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        guard range.lowerBound >= 0, range.upperBound <= bodies.count, !range.isEmpty else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: bodies.first + range.lowerBound, count: range.count)
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<ClientEvent>.allocate(capacity: capacity * 2)
        for offset in 0..<count {
            (larger + offset).initialize(to: events[(first + offset) & (capacity - 1)])
        }
        events.deallocate()
        events = larger
        first = 0
        capacity *= 2
    }
}
