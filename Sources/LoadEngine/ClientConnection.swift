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
    /// Writing failed; what was received before is still read.
    var isBroken = false
    /// When the phase began, the peer's SETTINGS or an answer last came, pushes went out on an idle
    /// connection, or it last could have taken some.
    var lastProgress: MonotonicInstant
    /// What the poller was last told.
    var interest: Poller.Interest = [.read, .write]

    private let output = IOBuffer(capacity: outputCapacity)
    private static let outputCapacity = 1 << 16

    init(
        id: UInt64,
        link: Connection,
        session: any ClientSession,
        streams: Int,
        isPlain: Bool,
        now: MonotonicInstant,
        elapsed: UInt64
    ) {
        self.id = id
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
        phase == .open && !isWriteBlocked && session.availableStreams > 0
            && inFlight.count < inFlight.capacity
    }

    /// Whether it takes no more pushes, though those in flight may still be answered.
    var isRetiring: Bool { phase == .open && session.state != .open }

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

    /// Closes the socket; the session has been told before.
    func close() {
        phase = .closed
        link.close()
    }
}
