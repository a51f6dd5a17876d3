import HTTP2
import NetIO
import PushBuffers

/// One connection to the target: socket, HTTP/2 session, and the pushes in flight on it.
///
/// Touched by its loop's thread alone.
final class ClientConnection {
    /// How far the connection is.
    enum Phase: Equatable {
        case handshaking
        case open
        case closed
    }

    /// Names the connection to the poller; never used twice in a loop.
    let id: UInt64
    let link: Connection
    let session: any ClientSession
    let inFlight: InFlightTable
    let record: RunReport.Connection.Builder
    /// The place of its lane in the loop.
    let lane: Int
    /// When it was asked for.
    let openedAt: MonotonicInstant
    private let isPlain: Bool

    private(set) var phase = Phase.handshaking
    /// The socket took no more; wait until it is writable.
    var isWriteBlocked = false
    /// The peer's first SETTINGS came.
    var isGreeted = false
    /// Bytes were left unread for the sake of the others.
    var hasMoreToRead = false
    /// The session has had something to say since the last write.
    var hasUnsentOutput = false
    /// Writing failed; what was received before is still read.
    var isBroken = false
    /// When the phase began, the peer's SETTINGS or an answer last came, pushes went out on an idle
    /// connection, or it last could have taken some.
    var lastProgress: MonotonicInstant
    /// What the poller was last told.
    var interest: Poller.Interest = [.read, .write]

    /// The version of the provider token that its requests carry.
    var tokenVersion: Int
    /// Most pushes in flight: below the table's capacity where the peer counts streams for longer
    /// than it says.
    var mostInFlight: Int
    /// Whether there were as many pushes in flight as the limits allow.
    var hasBeenAtLimit = false
    /// Whether the target asked for another connection: no more pushes go out on this one.
    var isLeaving = false
    /// No push goes out until then, where it is set.
    private(set) var pausedUntil: MonotonicInstant?
    /// How often the target asked for fewer provider tokens.
    var slowdowns = 0

    /// Bytes from the peer when they were last looked at.
    var bytesHeard: UInt64 = 0
    /// When more bytes from the peer were last seen.
    var lastHeard: MonotonicInstant
    /// When a PING went out that nothing has come after; nil where none waits.
    var pingSentAt: MonotonicInstant?

    private let output = IOBuffer(capacity: outputCapacity)
    private static let outputCapacity = 1 << 16

    init(
        id: UInt64,
        lane: Int,
        link: Connection,
        session: any ClientSession,
        streams: Int,
        isPlain: Bool,
        tokenVersion: Int,
        now: MonotonicInstant,
        elapsed: UInt64
    ) {
        self.id = id
        self.lane = lane
        self.tokenVersion = tokenVersion
        mostInFlight = streams
        lastHeard = now
        self.link = link
        self.session = session
        inFlight = InFlightTable(capacity: streams)
        self.isPlain = isPlain
        openedAt = now
        lastProgress = now
        record = RunReport.Connection.Builder(openedAt: elapsed)
    }

    /// Whether a push can be submitted now.
    var canSubmit: Bool {
        phase == .open && !isWriteBlocked && inFlight.count < mostInFlight
            && session.availableStreams > 0 && !isLeaving && pausedUntil == nil
    }

    /// Whether it takes no more pushes, though those in flight may still be answered.
    var isRetiring: Bool { phase == .open && (isLeaving || session.state != .open) }

    /// Sends nothing until `instant`.
    func pause(until instant: MonotonicInstant) {
        pausedUntil = max(pausedUntil ?? instant, instant)
    }

    /// Goes on where the pause is over.
    func resume(now: MonotonicInstant) {
        if let pausedUntil, now >= pausedUntil { self.pausedUntil = nil }
    }

    /// Stays `margin` streams below the peer's limit.
    func keepBelowLimit(by margin: Int) {
        let limit = Int(clamping: session.peerMaxConcurrentStreams)
        mostInFlight = min(inFlight.capacity, max(1, limit - margin))
    }

    /// Whether as many streams are open as the peer's own limit allows, this side's being no lower.
    func noteFill() {
        guard !hasBeenAtLimit, inFlight.count >= mostInFlight || session.availableStreams == 0
        else { return }
        hasBeenAtLimit = Int(clamping: session.peerMaxConcurrentStreams) <= inFlight.capacity
    }

    // MARK: - Peers that speak something else

    private enum Greeting {
        case none, http2, tls, other
    }
    private var greeting = Greeting.none

    /// Looks at the first bytes that the peer sends: HTTP/2 begins with a SETTINGS frame.
    func noteReceived(_ bytes: RawSpan) {
        guard greeting == .none, bytes.byteCount > 0 else { return }
        let first = bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        let type = bytes.byteCount > 3 ? bytes.unsafeLoad(fromByteOffset: 3, as: UInt8.self) : 4
        greeting = first == 0x15 ? .tls : type == 4 ? .http2 : .other
    }

    /// What the peer does instead of HTTP/2, and the mend; nil where it speaks HTTP/2, or TLS has
    /// settled that.
    var peerProtocol: String? {
        guard isPlain, phase == .open else { return nil }
        return switch greeting {
        case .none:
            "closed the connection before its first HTTP/2 frame: check that it speaks HTTP/2 "
                + "without TLS, and the port."
        case .other:
            "does not answer in HTTP/2: check that it speaks HTTP/2 without TLS, and the port."
        case .tls: "speaks TLS: give the target as https://."
        case .http2: nil
        }
    }

    // MARK: - Handshake and output

    /// Goes on with connect and TLS; true once the session can be used.
    func advanceHandshake(now: MonotonicInstant) throws(NetIOError) -> Bool {
        switch try link.advanceHandshake() {
        case .established:
            phase = .open
            lastProgress = now
            interest = []
            return true
        case .wantsRead:
            wantedInterest = .read
        case .wantsWrite:
            wantedInterest = .write
        }
        return false
    }

    /// What the handshake waits for.
    private var wantedInterest: Poller.Interest = .write

    /// What the poller should watch for.
    var desiredInterest: Poller.Interest {
        switch phase {
        case .handshaking: wantedInterest
        case .open: isWriteBlocked ? [.read, .write] : .read
        case .closed: []
        }
    }

    /// Writes what the session has to say, as far as the socket takes it.
    func flush() throws(NetIOError) {
        hasUnsentOutput = false
        switch try link.flush(output, refill: { session.drain(into: &$0) }) {
        case .drained: isWriteBlocked = false
        case .blocked: isWriteBlocked = true
        }
    }

    /// Takes leave of the peer, as far as the socket takes it: GOAWAY, and TLS's goodbye.
    func farewell() {
        if phase == .open, session.state == .open, inFlight.count == 0 {
            session.shutdown()
            try? flush()
        }
        link.shutdownTLS()
    }

    /// Closes the socket, or resets it; the session has been told before.
    func close(resets: Bool) {
        phase = .closed
        if resets { link.closeWithReset() } else { link.close() }
    }
}
