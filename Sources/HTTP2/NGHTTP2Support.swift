import CNghttp2

extension nghttp2_nv {
    /// A header field over memory that nghttp2 only reads.
    init(
        name: UnsafePointer<UInt8>,
        nameCount: Int,
        value: UnsafePointer<UInt8>?,
        valueCount: Int,
        flags: nghttp2_nv_flag...
    ) {
        self.init(
            name: UnsafeMutablePointer(mutating: name),
            value: UnsafeMutablePointer(mutating: value),
            namelen: nameCount,
            valuelen: valueCount,
            flags: flags.reduce(0) { $0 | UInt8(truncatingIfNeeded: $1.rawValue) }
        )
    }
}

extension UnsafePointer<nghttp2_frame> {
    /// The frame header, without a copy of the whole union.
    var header: nghttp2_frame_hd {
        UnsafeRawPointer(self).assumingMemoryBound(to: nghttp2_frame_hd.self).pointee
    }
}

extension nghttp2_frame_hd {
    func isType(_ type: nghttp2_frame_type) -> Bool { UInt32(self.type) == type.rawValue }

    func has(_ flag: nghttp2_flag) -> Bool { UInt32(flags) & flag.rawValue != 0 }
}

extension HTTP2ErrorCode {
    /// The code that goes with a fatal return value of `nghttp2_session_mem_recv`.
    init(nghttp2Error error: Int) {
        switch Int32(truncatingIfNeeded: error) {
        case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue:
            self = .enhanceYourCalm
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: self = .protocolError
        default: self = .internalError
        }
    }
}

extension SessionSettings {
    /// Queues SETTINGS with these values, and the connection's window.
    ///
    /// Values that HTTP/2 does not allow are moved to the nearest allowed ones.
    func submit(to session: OpaquePointer, isClient: Bool) {
        let largestWindow = UInt32(Int32.max)
        // A client takes no pushed streams; a server says how many requests it takes.
        let streams =
            isClient
            ? entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0)
            : entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maxConcurrentStreams)
        let entries = [
            entry(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, headerTableSize),
            streams,
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, min(initialWindowSize, largestWindow)),
            entry(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, min(max(maxFrameSize, 16_384), 16_777_215)),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, maxHeaderListSize),
        ]
        let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        // Both fail only without memory.
        nghttp2_submit_settings(session, none, entries, entries.count)
        let window = Int32(min(connectionWindowSize, largestWindow))
        nghttp2_session_set_local_window_size(session, none, 0, window)
    }

    private func entry(_ id: nghttp2_settings_id, _ value: UInt32) -> nghttp2_settings_entry {
        nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: value)
    }
}
