import CNghttp2

/// The functions that nghttp2 calls on a server's session: each finds its state and acts on it.
enum NGHTTP2ServerCallbacks {
    /// Sets all of them; `callbacks` can be freed once a session was made with it.
    static func install(in callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headersBegan)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, headerReceived)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataReceived)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameReceived)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    }

    /// Where nghttp2 gets the body of the answer in slot `slot` from.
    static func bodySource(slot: UInt32) -> nghttp2_data_provider {
        nghttp2_data_provider(
            source: nghttp2_data_source(fd: Int32(slot)),
            read_callback: readBody
        )
    }
}

private func state(
    _ context: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<NGHTTP2ServerState> {
    guard let context else { preconditionFailure("nghttp2 gave no session state") }
    return context.assumingMemoryBound(to: NGHTTP2ServerState.self)
}

private func headersBegan(
    session: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session, let frame else { return 0 }
    if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
        let streamID = frame.header.stream_id
        guard state(context).pointee.requestBegan(streamID, session: session) else {
            guard !state(context).pointee.isFlooded else {
                // nghttp2 reads nothing from here on; it may be told so while it calls.
                nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
                return 0
            }
            return refuse(streamID, NGHTTP2_REFUSED_STREAM, session)
        }
    }
    return 0
}

private func headerReceived(
    session: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    name: UnsafePointer<UInt8>?,
    nameCount: Int,
    value: UnsafePointer<UInt8>?,
    valueCount: Int,
    flags: UInt8,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session, let frame, let name, let value else { return 0 }
    let streamID = frame.header.stream_id
    let isTaken = state(context).pointee.headerReceived(
        streamID: streamID,
        name: UnsafeBufferPointer(start: name, count: nameCount),
        value: UnsafeRawBufferPointer(start: value, count: valueCount),
        session: session
    )
    return isTaken ? 0 : refuse(streamID, NGHTTP2_ENHANCE_YOUR_CALM, session)
}

/// Resets a stream with an error of our own, and has nghttp2 leave the rest of its header block out.
private func refuse(
    _ streamID: Int32,
    _ code: nghttp2_error_code,
    _ session: OpaquePointer
) -> Int32 {
    let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    nghttp2_submit_rst_stream(session, none, streamID, code.rawValue)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
}

private func dataReceived(
    session: OpaquePointer?,
    flags: UInt8,
    streamID: Int32,
    bytes: UnsafePointer<UInt8>?,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
    state(context).pointee.dataReceived(streamID: streamID, bytes: bytes, session: session)
    return 0
}

private func frameReceived(
    session: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session, let frame else { return 0 }
    state(context).pointee.frameReceived(frame.header, session: session)
    return 0
}

private func streamClosed(
    session: OpaquePointer?,
    streamID: Int32,
    errorCode: UInt32,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session else { return 0 }
    state(context).pointee.streamClosed(streamID, session: session)
    return 0
}

private func readBody(
    session: OpaquePointer?,
    streamID: Int32,
    buffer: UnsafeMutablePointer<UInt8>?,
    limit: Int,
    flags: UnsafeMutablePointer<UInt32>?,
    source: UnsafeMutablePointer<nghttp2_data_source>?,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let flags, let source else {
        return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    return state(context).pointee.readBody(
        slot: source.pointee.fd,
        into: buffer,
        limit: limit,
        flags: flags
    )
}
