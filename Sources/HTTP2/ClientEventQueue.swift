/// The events of a client session that were not told yet, and the response bodies with them.
///
/// Both parts grow to what the session needs and then allocate no more.
struct ClientEventQueue: ~Copyable {
    /// Bytes kept of one response body.
    static let largestBody = 4096

    private var events: UnsafeMutableBufferPointer<ClientEvent>
    /// The place of the oldest event.
    private var head = 0
    private var count = 0
    private var bodies: UnsafeMutableRawBufferPointer
    private var bodiesUsed = 0

    init(capacity: Int) {
        events = .allocate(capacity: max(capacity, 16))
        bodies = .allocate(byteCount: 0, alignment: 1)
    }

    deinit {
        events.deallocate()
        bodies.deallocate()
    }

    /// Drops the bodies of events that were told.
    mutating func forgetBodies() {
        if count == 0 { bodiesUsed = 0 }
    }

    /// Appends `event` with at most ``largestBody`` bytes of `body`.
    mutating func append(_ event: ClientEvent, body: UnsafeRawBufferPointer) {
        var event = event
        let size = min(body.count, Self.largestBody)
        if size > 0 {
            reserveBodies(size)
            let place = bodiesUsed..<(bodiesUsed + size)
            UnsafeMutableRawBufferPointer(rebasing: bodies[place])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: body[..<size]))
            bodiesUsed += size
            event.bodyRange = place
        }
        append(event)
    }

    /// Appends `event`.
    mutating func append(_ event: ClientEvent) {
        if count == events.count { grow() }
        var place = head + count
        if place >= events.count { place -= events.count }
        events.initializeElement(at: place, to: event)
        count += 1
    }

    /// Takes the oldest event.
    mutating func next() -> ClientEvent? {
        if count == 0 { return nil }
        let event = events[head]
        head = head + 1 == events.count ? 0 : head + 1
        count -= 1
        return event
    }

    /// The body of `event`, which must not be older than the last ``forgetBodies()``.
    borrowing func body(of event: ClientEvent) -> UnsafeRawBufferPointer {
        guard event.bodyRange.upperBound <= bodiesUsed else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(rebasing: bodies[event.bodyRange])
    }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<ClientEvent>.allocate(capacity: events.count * 2)
        for index in 0..<count {
            larger.initializeElement(at: index, to: events[(head + index) % events.count])
        }
        events.deallocate()
        events = larger
        head = 0
    }

    private mutating func reserveBodies(_ size: Int) {
        let needed = bodiesUsed + size
        if needed <= bodies.count { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, bodies.count * 2, 4096),
            alignment: 1
        )
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bodies[..<bodiesUsed]))
        bodies.deallocate()
        bodies = larger
    }
}
