/// The state of a ``WireClientSession``, at a fixed address so that no access is checked for
/// exclusivity.
///
/// Streams live in a ring whose place is the id's half. The ring has twice as many places as streams
/// may be open; where the next id's place is still taken by a slow stream, that id is left out.
struct WireClientCore: ~Copyable {
    /// The last client id (RFC 9113 section 5.1.1).
    static let lastStreamID: UInt32 = 0x7FFF_FFFF

    var connection: WireConnection
    var template: WireRequestTemplate
    var events = WireEventQueue()
    let maxStreams: Int
    let streams: UnsafeMutablePointer<WireClientStream>
    let bytes: UnsafeMutablePointer<WireClientStreamBytes>
    let mask: Int
    /// The next id, or one past the last.
    var nextStreamID: UInt32
    var inFlight = 0
    /// Streams that may be open at once; 0 until the peer has said how many it takes, and once the
    /// session is closing.
    var streamLimit = 0
    /// The streams whose body waits, in the order of their submission; -1 for none.
    var firstWaiting: Int32 = -1
    var lastWaiting: Int32 = -1
    /// Whether a body waits for the connection's window: what comes later has to wait behind it.
    var isConnectionBlocked = false
    /// The highest id that this side reset or was told is not processed.
    var highestAbandoned: UInt32 = 0
    /// Streams above it will not be processed.
    var peerLastStreamID = WireClientCore.lastStreamID
    /// PINGs of this side that were not answered.
    var unansweredPings = 0
    /// For blocks that are not ready made.
    var blockBuffer = WireBuffer(capacity: 1024)
    /// The `content-length` of the last push: many have the same.
    var length = WireContentLength(0)

    init(
        profile: RequestProfile,
        settings: SessionSettings,
        maxStreams: Int,
        firstStreamID: UInt32
    ) {
        connection = WireConnection(settings: settings)
        template = WireRequestTemplate(profile: profile)
        self.maxStreams = max(1, maxStreams)
        var capacity = 16
        while capacity < 2 * self.maxStreams { capacity *= 2 }
        mask = capacity - 1
        streams = .allocate(capacity: capacity)
        streams.initialize(repeating: WireClientStream(), count: capacity)
        bytes = .allocate(capacity: capacity)
        bytes.initialize(repeating: WireClientStreamBytes(), count: capacity)
        nextStreamID = firstStreamID | 1
        let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        connection.output.append(preface.utf8Start, count: preface.utf8CodeUnitCount)
        connection.writeSettings(isServer: false)
    }

    deinit {
        for place in 0...mask {
            bytes[place].request.deallocate()
            bytes[place].response.deallocate()
        }
        streams.deallocate()
        bytes.deallocate()
    }

    var availableStreams: Int {
        let idsLeft =
            nextStreamID > Self.lastStreamID
            ? 0 : Int((Self.lastStreamID - nextStreamID) / 2) + 1
        return max(0, min(streamLimit - inFlight, idsLeft))
    }

    @inline(__always)
    func place(of streamID: UInt32) -> Int { Int(streamID >> 1) & mask }

    /// The place of an open stream; nil where the id has none.
    @inline(__always)
    func openPlace(of streamID: UInt32) -> Int? {
        let place = place(of: streamID)
        guard streams[place].id == streamID, streams[place].isOpen else { return nil }
        return place
    }

    // MARK: - Ends

    /// Ends a stream with its one event.
    @inline(__always)
    mutating func close(_ place: Int, as phase: WireClientStream.Phase, event: ClientEvent) {
        if streams[place].isWaiting {
            stopWaiting(place)
            if isConnectionBlocked { sendWaiting() }
        }
        if bytes[place].response.count > 0 { bytes[place].response.clear() }
        streams[place].phase = phase
        if phase == .abandoned { highestAbandoned = max(highestAbandoned, streams[place].id) }
        inFlight -= 1
        connection.creditFinishedStream()
        events.append(event)
    }

    /// Resets a stream because of what the peer sent.
    mutating func abandon(_ place: Int, code: HTTP2ErrorCode) throws(WireFault) {
        try connection.countAnswer()
        connection.writeReset(streamID: streams[place].id, code: code)
        let event = ClientEvent(
            kind: .reset,
            tag: streams[place].tag,
            status: streams[place].status,
            errorCode: code
        )
        close(place, as: .abandoned, event: event)
    }

    mutating func fail(_ fault: WireFault) {
        connection.fail(fault, lastStreamID: 0)
        streamLimit = 0
    }

    mutating func ping(_ payload: UInt64) {
        guard !connection.isFailed else { return }
        unansweredPings += 1
        connection.writePing(payload)
    }

    mutating func shutdown() {
        guard connection.state == .open else { return }
        connection.state = .draining
        streamLimit = 0
        connection.writeGoAway(
            lastStreamID: 0,
            code: .noError,
            debugData: UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    mutating func connectionLost() {
        if !connection.isFailed { connection.state = .failed(.noError) }
        streamLimit = 0
        forEachOpenStream { core, place in
            let stream = core.streams[place]
            let isUnwritten = stream.isWaiting || stream.outputEnd > core.connection.output.taken
            core.close(
                place,
                as: .abandoned,
                event: ClientEvent(
                    kind: isUnwritten ? .unprocessed : .connectionLost,
                    tag: stream.tag
                )
            )
        }
        connection.output.removeAll()
    }

    /// Calls `body` for the open streams in the order of their ids.
    mutating func forEachOpenStream(_ body: (inout WireClientCore, Int) -> Void) {
        let start = place(of: nextStreamID)
        for offset in 0...mask {
            let place = (start + offset) & mask
            if streams[place].isOpen { body(&self, place) }
        }
    }

    // MARK: - The list of waiting streams

    mutating func startWaiting(_ place: Int) {
        streams[place].isWaiting = true
        streams[place].previous = lastWaiting
        streams[place].next = -1
        if lastWaiting >= 0 {
            streams[Int(lastWaiting)].next = Int32(place)
        } else {
            firstWaiting = Int32(place)
        }
        lastWaiting = Int32(place)
    }

    mutating func stopWaiting(_ place: Int) {
        let stream = streams[place]
        streams[place].isWaiting = false
        if stream.previous >= 0 {
            streams[Int(stream.previous)].next = stream.next
        } else {
            firstWaiting = stream.next
        }
        if stream.next >= 0 {
            streams[Int(stream.next)].previous = stream.previous
        } else {
            lastWaiting = stream.previous
        }
        bytes[place].request.clear()
    }
}
