import CNghttp2
import PushBuffers

/// A ``ClientSession`` on libnghttp2.
///
/// Differs from the other engine in one thing: nghttp2 always writes authorization as a literal
/// that is never indexed, under both values of ``RequestProfile/Indexing``.
public final class NGHTTP2ClientSession: ClientSession {
    /// The most stream ids a connection has: 1, 3, … 2^31 − 1.
    private static let lastStreamID = Int64(Int32.max)

    private let session: OpaquePointer
    private let memory: UnsafeMutablePointer<NGHTTP2Memory>
    private let shared: UnsafeMutablePointer<NGHTTP2ClientState>
    private let output: UnsafeMutablePointer<NGHTTP2Output>
    private var headers: NGHTTP2RequestHeaders
    private var nextStreamID: Int64

    /// Makes a session whose output starts with the preface, SETTINGS and the wider window.
    ///
    /// - Parameters:
    ///   - profile: What all requests share; field names in lowercase.
    ///   - settings: What is announced to the peer.
    ///   - maxStreams: Most streams in flight, whatever the peer allows; at least 1.
    public convenience init(profile: RequestProfile, settings: SessionSettings, maxStreams: Int) {
        self.init(profile: profile, settings: settings, maxStreams: maxStreams, firstStreamID: 1)
    }

    /// As the public one; a `firstStreamID` near 2^31 shows what happens when ids run out.
    init(
        profile: RequestProfile,
        settings: SessionSettings,
        maxStreams: Int,
        firstStreamID: Int32
    ) {
        shared = .allocate(capacity: 1)
        shared.initialize(to: NGHTTP2ClientState(maxStreams: maxStreams))
        memory = NGHTTP2Memory.make()
        headers = NGHTTP2RequestHeaders(profile)
        nextStreamID = Int64(firstStreamID)

        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var made: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        NGHTTP2ClientCallbacks.install(in: callbacks)
        nghttp2_option_new(&options)
        var functions = NGHTTP2Memory.functions(for: memory)
        nghttp2_session_client_new3(&made, callbacks, shared, options, &functions)
        nghttp2_option_del(options)
        nghttp2_session_callbacks_del(callbacks)
        guard let made else { preconditionFailure("no memory for an HTTP/2 session") }
        session = made
        output = shared.pointee.output

        if firstStreamID > 1 {
            nghttp2_session_set_next_stream_id(session, firstStreamID)
            output.pointee.lastHeadersStreamID = firstStreamID - 2
        }
        settings.submit(to: session, isClient: true)
    }

    deinit {
        nghttp2_session_del(session)
        shared.deinitialize(count: 1)
        shared.deallocate()
        NGHTTP2Memory.destroy(memory)
    }

    /// How many requests can be submitted now; 0 once the session is closing.
    public var availableStreams: Int { shared.pointee.available }

    /// Streams that were submitted and have had no event.
    public var streamsInFlight: Int { shared.pointee.inFlight }

    /// The peer's SETTINGS_MAX_CONCURRENT_STREAMS; 0 until its first SETTINGS.
    public var peerMaxConcurrentStreams: UInt32 { shared.pointee.peerMaxConcurrentStreams }

    /// Whether the peer's first SETTINGS came.
    public var hasPeerSettings: Bool { shared.pointee.hasPeerSettings }

    /// Whether the session still works.
    public var state: SessionState { shared.pointee.state }

    /// Whether ``drain(into:)`` would produce bytes.
    public var hasOutput: Bool {
        if shared.pointee.isLost { return false }
        if output.pointee.hasRest { return true }
        return !output.pointee.isDead && nghttp2_session_want_write(session) != 0
    }

    /// Takes bytes that came from the peer, split anywhere.
    public func receive(_ bytes: RawSpan) {
        shared.pointee.events.forgetBodies()
        if shared.pointee.isLost || output.pointee.isDead || bytes.isEmpty { return }
        let queued = nghttp2_session_get_outbound_queue_size(session)
        let result = bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return nghttp2_session_mem_recv(session, start, buffer.count)
        }
        if result < 0 { output.pointee.fail(HTTP2ErrorCode(nghttp2Error: result)) }
        if nghttp2_session_get_outbound_queue_size(session) > queued {
            // Requests come behind all control frames: a GOAWAY is not behind the first HEADERS.
            output.lookForFailure(session, stop: NGHTTP2_HEADERS)
        }
        shared.pointee.noteFailure()
        resumeHeldStreams()
    }

    /// Submits a push; see ``ClientSession/submit(token:body:tag:)``.
    public func submit(token: RawSpan, body: RawSpan, tag: UInt32) -> Bool {
        headers.hasID ? false : submitRequest(token: token, body: body, tag: tag)
    }

    /// Submits a push with an id; see ``ClientSession/submit(token:apnsID:body:tag:)``.
    public func submit(token: RawSpan, apnsID: RawSpan, body: RawSpan, tag: UInt32) -> Bool {
        guard headers.hasID, apnsID.byteCount == RequestProfile.idByteCount else { return false }
        return apnsID.withUnsafeBytes { id in
            headers.setID(id)
            return submitRequest(token: token, body: body, tag: tag)
        }
    }

    private func submitRequest(token: RawSpan, body: RawSpan, tag: UInt32) -> Bool {
        if availableStreams == 0 { return false }
        let index = shared.pointee.takeSlot(tag: tag)
        let slot = shared.pointee.slots + Int(index)
        slot.pointee.fill(token: token, body: body)
        guard let path = slot.pointee.request.start?.assumingMemoryBound(to: UInt8.self) else {
            preconditionFailure("a filled request has an address")
        }
        headers.setPath(path, count: slot.pointee.pathCount)
        headers.setLength(body.byteCount)
        var source = NGHTTP2ClientCallbacks.bodySource(slot: index)
        let streamID = nghttp2_submit_request(
            session,
            nil,
            headers.fields,
            headers.count,
            &source,
            UnsafeMutableRawPointer(bitPattern: Int(index) + 1)
        )
        guard streamID > 0 else {
            shared.pointee.takeBack(index)
            return false
        }
        slot.pointee.streamID = streamID
        nextStreamID += 2
        if nextStreamID > Self.lastStreamID, shared.pointee.state == .open {
            shared.pointee.state = .draining
        }
        return true
    }

    /// Moves as many output bytes as fit into `output`.
    public func drain(into output: inout OutputRawSpan) {
        if shared.pointee.isLost { return }
        self.output.drain(session, into: &output)
        if shared.pointee.shouldResume {
            // A stream that was reset while its frames were made may have been the last awaited.
            resumeHeldStreams()
            self.output.drain(session, into: &output)
        }
        shared.pointee.noteFailure()
    }

    /// The next thing that happened; nil when all is told.
    public func nextEvent() -> ClientEvent? { shared.pointee.events.next() }

    /// Calls `body` with the kept part of an event's response body.
    public func withResponseBody<R>(of event: ClientEvent, _ body: (RawSpan) -> R) -> R {
        body(RawSpan(_unsafeBytes: shared.pointee.events.body(of: event)))
    }

    /// Replaces the authorization value from the next request on.
    public func setAuthorization(_ value: String?) { headers.setAuthorization(value) }

    /// Queues a PING with `payload`.
    public func ping(payload: UInt64) {
        if isClosing { return }
        var payload = payload.bigEndian
        let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        withUnsafeBytes(of: &payload) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            if nghttp2_submit_ping(session, none, start) == 0 {
                shared.pointee.pingsUnanswered += 1
            }
        }
    }

    /// Queues GOAWAY and takes no more requests.
    public func shutdown() {
        if isClosing { return }
        // nghttp2 would write the GOAWAY before requests that wait; a server that has seen it
        // and has no streams left may take the connection for closed.
        output.produceHeaders(session, upTo: Int32(nextStreamID - 2))
        let queued = nghttp2_session_get_outbound_queue_size(session)
        let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        nghttp2_submit_goaway(session, none, 0, NGHTTP2_NO_ERROR.rawValue, nil, 0)
        if nghttp2_session_get_outbound_queue_size(session) > queued {
            output.pointee.expectedGoAways += 1
        }
        if shared.pointee.state == .open { shared.pointee.state = .draining }
    }

    /// Ends every stream in flight, for a connection that is gone.
    public func connectionLost() {
        if shared.pointee.isLost { return }
        shared.pointee.isLost = true
        if case .failed = shared.pointee.state {} else { shared.pointee.state = .failed(.noError) }
        for index in 0..<shared.pointee.slotCount {
            let isGone = shared.pointee.slots[index].endOffset <= output.pointee.drained
            shared.pointee.tell(isGone ? .connectionLost : .unprocessed, slot: Int32(index))
        }
    }

    /// Whether nothing more may be queued.
    private var isClosing: Bool {
        if case .failed = shared.pointee.state { return true }
        return shared.pointee.isLost || output.pointee.isDead
    }

    /// Lets held streams try again, oldest first, as many as the connection's window may serve.
    private func resumeHeldStreams() {
        guard shared.pointee.shouldResume, !output.pointee.isDead else { return }
        shared.pointee.windowsChanged = false
        var window = Int(nghttp2_session_get_remote_window_size(session))
        let worth = shared.pointee.windowWorthResuming
        while window >= worth, shared.pointee.heldHead != NGHTTP2ClientSlot.none {
            let index = shared.pointee.heldHead
            let slot = shared.pointee.slots + Int(index)
            shared.pointee.release(index)
            // Fails only where the stream is closed; then there is nothing to resume.
            nghttp2_session_resume_data(session, slot.pointee.streamID)
            window -= slot.pointee.unsentCount
        }
    }
}
