import CNghttp2
import PushBuffers

/// A ``ServerSession`` on libnghttp2.
///
/// Keeps at most 64 KiB of a request's body (``RequestView/bodyByteCount`` is the whole length)
/// and resets streams whose header list passes the announced limit (ENHANCE_YOUR_CALM). Memory
/// stays bounded only while the caller reads no further from a peer that takes no output.
///
/// Streams over the limit in force are refused (REFUSED_STREAM). A lowered ``SessionSettings/initialWindowSize`` makes nghttp2 take
/// bytes that were on their way for an overrun and reset their streams.
public final class NGHTTP2ServerSession: ServerSession {
    /// GOAWAY's debug data is cut to what fits into every peer's frames.
    private static let largestDebugData = 16_000

    private let session: OpaquePointer
    private let memory: UnsafeMutablePointer<NGHTTP2Memory>
    private let shared: UnsafeMutablePointer<NGHTTP2ServerState>
    private let output: UnsafeMutablePointer<NGHTTP2Output>
    /// What a stale handle's request looks like.
    private let noFields: UnsafeMutablePointer<RequestView.FieldRange>
    private var headers = NGHTTP2ResponseHeaders()

    /// Makes a session whose output starts with SETTINGS.
    ///
    /// - Parameter settings: What is announced to the peer.
    public init(settings: SessionSettings) {
        shared = .allocate(capacity: 1)
        shared.initialize(to: NGHTTP2ServerState(settings: settings))
        output = shared.pointee.output
        memory = NGHTTP2Memory.make()
        noFields = .allocate(capacity: RequestField.count)
        noFields.initialize(repeating: RequestView.FieldRange(), count: RequestField.count)

        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var made: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        NGHTTP2ServerCallbacks.install(in: callbacks)
        nghttp2_option_new(&options)
        // Closed streams would be kept for the sake of priorities, which are not used.
        nghttp2_option_set_no_closed_streams(options, 1)
        var functions = NGHTTP2Memory.functions(for: memory)
        nghttp2_session_server_new3(&made, callbacks, shared, options, &functions)
        nghttp2_option_del(options)
        nghttp2_session_callbacks_del(callbacks)
        guard let made else { preconditionFailure("no memory for an HTTP/2 session") }
        session = made
        announce(settings)
    }

    /// Queues SETTINGS.
    ///
    /// nghttp2 gets them without a limit of streams, which is put in where they go out.
    private func announce(_ settings: SessionSettings) {
        shared.pointee.announce(streams: settings.maxConcurrentStreams)
        var settings = settings
        settings.maxConcurrentStreams = UInt32(Int32.max)
        settings.submit(to: session, isClient: false)
    }

    deinit {
        nghttp2_session_del(session)
        shared.deinitialize(count: 1)
        shared.deallocate()
        NGHTTP2Memory.destroy(memory)
        noFields.deallocate()
    }

    /// Whether the session still works.
    public var state: SessionState { shared.pointee.state }

    /// Streams whose request has begun and whose answer is not out.
    public var streamsInFlight: Int { shared.pointee.open }

    /// Whether ``drain(into:)`` would produce bytes.
    public var hasOutput: Bool {
        if output.pointee.hasRest { return true }
        return !output.pointee.isDead && nghttp2_session_want_write(session) != 0
    }

    /// Whether the peer's first SETTINGS or a request has not come whole.
    public var isMidway: Bool { shared.pointee.isMidway }

    /// Bytes that are kept of requests that are not whole, and of answers whose stream is open.
    public var unfinishedByteCount: Int { shared.pointee.unfinishedBytes }

    /// Bytes that wait for ``drain(into:)`` outside nghttp2.
    public var outputByteCount: Int { output.pointee.waitingByteCount }

    /// Gives back memory that streams have left which are over.
    public func trim() -> Bool {
        let isFreed = shared.pointee.trim()
        guard shared.pointee.open == 0, memory.pointee.hasMuchFree else { return isFreed }
        memory.pointee.freeAll()
        return true
    }

    /// Streams that were refused because they were more than the settings in force allow.
    public var refusedStreamCount: Int { shared.pointee.refusedCount }

    /// Takes bytes that came from the peer, split anywhere.
    public func receive(_ bytes: RawSpan) {
        if output.pointee.isDead || bytes.isEmpty { return }
        let queued = nghttp2_session_get_outbound_queue_size(session)
        let result = bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return nghttp2_session_mem_recv(session, start, buffer.count)
        }
        if result < 0 { output.pointee.fail(HTTP2ErrorCode(nghttp2Error: result)) }
        if nghttp2_session_get_outbound_queue_size(session) > queued {
            // Answers' HEADERS stand among the control frames, their DATA comes behind all.
            output.lookForFailure(session, stop: NGHTTP2_DATA)
        }
        shared.pointee.noteFailure()
    }

    /// The next whole request, in order of completion.
    public func nextRequest() -> RequestHandle? { shared.pointee.takeReady() }

    /// Calls `body` with the request; with one without fields for a stale handle.
    public func withRequest<R>(
        _ handle: RequestHandle,
        _ body: (borrowing RequestView) -> R
    ) -> R {
        guard let slot = shared.pointee.slot(of: handle) else {
            return body(
                RequestView(
                    fields: UnsafePointer(noFields),
                    fieldBytes: UnsafeRawPointer(noFields),
                    bodyBytes: UnsafeRawBufferPointer(start: nil, count: 0),
                    duplicatedField: nil
                )
            )
        }
        return body(
            RequestView(
                fields: UnsafePointer(shared.pointee.ranges(of: Int(handle.slot))),
                fieldBytes: UnsafeRawPointer(
                    slot.pointee.fieldBytes.start ?? UnsafeMutableRawPointer(noFields)
                ),
                bodyBytes: slot.pointee.body.bytes,
                bodyByteCount: slot.pointee.bodyByteCount,
                duplicatedField: slot.pointee.duplicatedField
            )
        )
    }

    /// Gives back what a request's body takes, where the answer comes later.
    public func dropBody(of handle: RequestHandle) {
        guard let slot = shared.pointee.slot(of: handle) else { return }
        slot.pointee.body.removeAll()
        slot.pointee.body.shrink(above: NGHTTP2ServerState.keptBuffer)
    }

    /// Answers a request; a stale handle is ignored.
    public func respond(to handle: RequestHandle, with response: borrowing ServerResponse) {
        guard let slot = answer(handle) else { return }
        headers.fill(from: response)
        slot.pointee.body.removeAll()
        let streamID = Int32(bitPattern: handle.streamID)
        // What fails here, fails because the connection is closing; then the answer is moot.
        if response.body.isEmpty {
            nghttp2_submit_response(session, streamID, headers.fields, headers.count, nil)
            return
        }
        response.body.withUnsafeBytes { slot.pointee.body.append($0) }
        shared.pointee.hold(response.body.count, slot: Int(handle.slot))
        var source = NGHTTP2ServerCallbacks.bodySource(slot: handle.slot)
        nghttp2_submit_response(session, streamID, headers.fields, headers.count, &source)
    }

    /// Resets a request's stream; a stale handle is ignored.
    public func reset(_ handle: RequestHandle, errorCode: HTTP2ErrorCode) {
        guard answer(handle) != nil else { return }
        let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        let streamID = Int32(bitPattern: handle.streamID)
        nghttp2_submit_rst_stream(session, none, streamID, errorCode.rawValue)
    }

    /// Moves as many output bytes as fit into `output`.
    public func drain(into output: inout OutputRawSpan) {
        self.output.drain(session, into: &output)
        shared.pointee.noteFailure()
        if shared.pointee.waitingRefusals > 0, !hasOutput { shared.pointee.waitingRefusals = 0 }
    }

    /// Announces new settings.
    public func update(settings: SessionSettings) {
        if output.pointee.isDead { return }
        guard !shared.pointee.areSettingsIgnored else {
            nghttp2_session_terminate_session(session, NGHTTP2_SETTINGS_TIMEOUT.rawValue)
            output.lookForFailure(session, stop: NGHTTP2_DATA)
            shared.pointee.noteFailure()
            return
        }
        shared.pointee.maxHeaderListSize = Int(settings.maxHeaderListSize)
        announce(settings)
    }

    /// Queues GOAWAY; debug data beyond 16,000 bytes is cut.
    ///
    /// One for streams up to 2^31-1 is written past nghttp2, which takes no streams after its own, and
    /// whose notice of a shutdown has no debug data.
    public func goAway(errorCode: HTTP2ErrorCode, lastStreamID: UInt32?, debugData: [UInt8]) {
        if output.pointee.isDead { return }
        var last = nghttp2_session_get_last_proc_stream_id(session)
        if let lastStreamID {
            last = Int32(min(lastStreamID, UInt32(Int32.max)))
            // Only a client's ids are odd; the next odd one below says the same.
            if last % 2 == 0 { last = max(last - 1, 0) }
        }
        let debugData = debugData.prefix(Self.largestDebugData)
        // Where streams were given up already, a higher id would be a breach.
        if lastStreamID == UInt32(Int32.max), errorCode == .noError,
            shared.pointee.lastTakenStreamID == Int32.max
        {
            output.pointee.insertGoAway(debugData: debugData)
            if shared.pointee.state == .open { shared.pointee.state = .draining }
            return
        }
        shared.pointee.lastTakenStreamID = min(last, shared.pointee.lastTakenStreamID)
        let queued = nghttp2_session_get_outbound_queue_size(session)
        debugData.withUnsafeBufferPointer { bytes in
            _ = nghttp2_submit_goaway(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                last,
                errorCode.rawValue,
                bytes.baseAddress,
                bytes.count
            )
        }
        noteGoAway(queued)
    }

    /// Has a GOAWAY produced at once, if one was queued behind `queued` frames.
    private func noteGoAway(_ queued: Int) {
        guard nghttp2_session_get_outbound_queue_size(session) > queued else { return }
        output.pointee.expectedGoAways += 1
        if shared.pointee.state == .open { shared.pointee.state = .draining }
        output.produceGoAway(session)
    }

    /// Queues a PING with `payload`.
    public func ping(payload: UInt64) {
        if output.pointee.isDead { return }
        var payload = payload.bigEndian
        withUnsafeBytes(of: &payload) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), start)
        }
    }

    /// Marks a request as answered; nil where there is nothing to answer any more.
    private func answer(
        _ handle: RequestHandle
    ) -> UnsafeMutablePointer<NGHTTP2ServerSlot>? {
        guard let slot = shared.pointee.slot(of: handle) else { return nil }
        if slot.pointee.phase == .takenAndGone {
            shared.pointee.freeSlot(Int32(handle.slot))
            return nil
        }
        slot.pointee.phase = .answered
        return output.pointee.isDead ? nil : slot
    }
}
