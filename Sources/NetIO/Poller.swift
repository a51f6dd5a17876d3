import CShims
import Glibc

/// Waits for many descriptors at once (epoll, level-triggered); touched by its loop's thread alone.
public final class Poller {
    /// What to wait for; hang-ups and errors are always told.
    public struct Interest: OptionSet, Sendable {
        /// The set's bits.
        public let rawValue: UInt8

        /// Makes a set of its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Bytes, a connection or the end of the stream can be read.
        public static let read = Interest(rawValue: 1)
        /// Bytes can be written.
        public static let write = Interest(rawValue: 2)
        /// The peer has closed its end; for connections that are not read.
        public static let hangUp = Interest(rawValue: 4)

        var epollBits: UInt32 {
            var bits: UInt32 = 0
            if contains(.read) { bits |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
            if contains(.write) { bits |= EPOLLOUT.rawValue }
            if contains(.hangUp) { bits |= EPOLLRDHUP.rawValue }
            return bits
        }
    }

    /// The most events that one ``wait(timeoutNanoseconds:)`` reports; the next one reports the rest.
    public static let eventCapacity = 256

    private let descriptor: CInt
    private let events: UnsafeMutablePointer<epoll_event>
    private var eventCount = 0
    /// Kernels before 5.11 lack the call with nanoseconds.
    private var hasNanosecondWait = true

    /// Opens an epoll instance.
    ///
    /// - Throws: ``NetIOError/tooManyOpenFiles(limit:)`` or ``NetIOError/system(call:errno:purpose:)``.
    public init() throws(NetIOError) {
        let descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard descriptor >= 0 else {
            throw .opening(call: "epoll_create1", errno: errno, purpose: "open a poller")
        }
        self.descriptor = descriptor
        events = .allocate(capacity: Self.eventCapacity)
        events.initialize(repeating: epoll_event(), count: Self.eventCapacity)
    }

    deinit {
        events.deallocate()
        _ = Glibc.close(descriptor)
    }

    /// Starts to watch a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor; it must be removed before it is closed, or closed for good.
    ///   - id: Comes back in its events.
    ///   - interest: What to wait for.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    public func add(
        descriptor: CInt,
        id: UInt64,
        interest: Interest
    ) throws(NetIOError) {
        try control(EPOLL_CTL_ADD, descriptor, id, interest)
    }

    /// Changes what a watched descriptor is waited for.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that was added.
    ///   - id: Comes back in its events from now on.
    ///   - interest: What to wait for from now on.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    public func modify(
        descriptor: CInt,
        id: UInt64,
        interest: Interest
    ) throws(NetIOError) {
        try control(EPOLL_CTL_MOD, descriptor, id, interest)
    }

    /// Stops watching a descriptor.
    ///
    /// Events of it that the last wait has reported stay visible.
    ///
    /// - Parameter descriptor: A descriptor that was added.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    public func remove(descriptor: CInt) throws(NetIOError) {
        try control(EPOLL_CTL_DEL, descriptor, 0, [])
    }

    /// Waits until something happens or the time is up.
    ///
    /// Kept out of its callers so that profiles show waiting under its own name.
    ///
    /// - Parameter timeoutNanoseconds: How long at most, in nanoseconds; nil waits for ever.
    /// - Returns: How many events ``event(at:)`` holds; 0 when the time is up or a signal came.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    @inline(never)
    public func wait(timeoutNanoseconds: UInt64?) throws(NetIOError) -> Int {
        eventCount = 0
        let count = waitOnce(timeoutNanoseconds)
        if count >= 0 {
            eventCount = Int(count)
            return eventCount
        }
        guard errno == EINTR else {
            throw .system(call: "epoll_pwait2", errno: errno, purpose: "wait for events")
        }
        return 0
    }

    /// One of the events of the last wait.
    ///
    /// - Parameter index: 0 up to what ``wait(timeoutNanoseconds:)`` returned.
    /// - Returns: The event.
    public func event(at index: Int) -> PollEvent {
        precondition(index >= 0 && index < eventCount, "no event \(index) of \(eventCount)")
        let event = events[index]
        return PollEvent(id: event.data.u64, bits: event.events)
    }

    private func waitOnce(_ timeoutNanoseconds: UInt64?) -> CInt {
        let capacity = CInt(Self.eventCapacity)
        guard let timeoutNanoseconds else {
            return epoll_wait(descriptor, events, capacity, -1)
        }
        if hasNanosecondWait {
            var time = timespec()
            time.tv_sec = Int(timeoutNanoseconds / 1_000_000_000)
            time.tv_nsec = Int(timeoutNanoseconds % 1_000_000_000)
            let count = epoll_pwait2(descriptor, events, capacity, &time, nil)
            guard count < 0, errno == ENOSYS else { return count }
            hasNanosecondWait = false
        }
        // Rounded up: waking early would turn the last millisecond into a busy loop.
        let milliseconds =
            timeoutNanoseconds.addingReportingOverflow(999_999).partialValue / 1_000_000
        return epoll_wait(descriptor, events, capacity, CInt(clamping: milliseconds))
    }

    private func control(
        _ operation: CInt,
        _ descriptor: CInt,
        _ id: UInt64,
        _ interest: Interest
    ) throws(NetIOError) {
        var event = epoll_event()
        event.events = interest.epollBits
        event.data.u64 = id
        guard epoll_ctl(self.descriptor, operation, descriptor, &event) == 0 else {
            throw .system(
                call: "epoll_ctl",
                errno: errno,
                purpose: "watch descriptor \(descriptor)"
            )
        }
    }
}

/// What a ``Poller`` tells of one descriptor.
public struct PollEvent: Equatable, Sendable {
    /// The id that the descriptor was added with.
    public let id: UInt64
    private let bits: UInt32

    init(id: UInt64, bits: UInt32) {
        self.id = id
        self.bits = bits
    }

    /// Whether a read would not block: bytes, a connection, the end of the stream, or an error.
    public var isReadable: Bool {
        bits & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
    }

    /// Whether a write would not block, were it only to learn of an error.
    public var isWritable: Bool {
        bits & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
    }

    /// Whether the peer has closed its end, or the connection is broken.
    ///
    /// Bytes that came before may still be there to read.
    public var isHangUp: Bool {
        bits & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
    }
}
