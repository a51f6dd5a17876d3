import CNghttp2

/// libnghttp2's client end: requests in, answers out, without I/O.
final class NGHTTP2Exchange {
    private var session: OpaquePointer?
    private var answers: [Int32: RequestClient.Answer] = [:]
    private var bodies: [Int32: [UInt8]] = [:]
    private var ended: Set<Int32> = []
    /// Streams that were reset, or that a GOAWAY left out.
    private(set) var refused: Set<Int32> = []
    /// Whether SETTINGS have come.
    private(set) var hasSettings = false
    /// The debug data of the last GOAWAY; nil before.
    private(set) var goAway: String?

    init() {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameCount,
            value,
            valueCount,
            _,
            context in
            guard let frame else { return 0 }
            NGHTTP2Exchange.of(context).take(
                String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self),
                String(
                    decoding: UnsafeBufferPointer(start: value, count: valueCount),
                    as: UTF8.self
                ),
                of: frame.pointee.hd.stream_id
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _,
            _,
            stream,
            bytes,
            count,
            context in
            let text = String(
                decoding: UnsafeBufferPointer(start: bytes, count: count),
                as: UTF8.self
            )
            NGHTTP2Exchange.of(context).answers[stream]?.body += text
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame else { return 0 }
            if frame.pointee.hd.type == UInt8(NGHTTP2_SETTINGS.rawValue) {
                NGHTTP2Exchange.of(context).hasSettings = true
            }
            guard frame.pointee.hd.type == UInt8(NGHTTP2_GOAWAY.rawValue) else { return 0 }
            let frameOfGoAway = frame.pointee.goaway
            NGHTTP2Exchange.of(context).goAway = String(
                decoding: UnsafeBufferPointer(
                    start: frameOfGoAway.opaque_data,
                    count: frameOfGoAway.opaque_data_len
                ),
                as: UTF8.self
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _,
            stream,
            error,
            context in
            let exchange = NGHTTP2Exchange.of(context)
            if error == 0 { exchange.ended.insert(stream) } else { exchange.refused.insert(stream) }
            return 0
        }
        nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
        nghttp2_session_callbacks_del(callbacks)
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil, 0)
    }

    deinit { nghttp2_session_del(session) }

    private static func of(_ context: UnsafeMutableRawPointer?) -> NGHTTP2Exchange {
        guard let context else { preconditionFailure("nghttp2 gave no context") }
        return Unmanaged<NGHTTP2Exchange>.fromOpaque(context).takeUnretainedValue()
    }

    /// How many streams the peer allows.
    var streamLimit: UInt32 {
        nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    }

    /// Queues a request and gives its stream's id.
    func submit(_ fields: [(name: String, value: String)], body: [UInt8]) -> Int32 {
        // One block of memory holds all names and values while nghttp2 copies them.
        var text: [UInt8] = []
        for field in fields { text += Array(field.name.utf8) + Array(field.value.utf8) }
        let stream = text.withUnsafeMutableBufferPointer { text -> Int32 in
            var next = text.baseAddress
            var list = fields.map { field -> nghttp2_nv in
                let name = next
                let value = name?.advanced(by: field.name.utf8.count)
                next = value?.advanced(by: field.value.utf8.count)
                return nghttp2_nv(
                    name: name,
                    value: value,
                    namelen: field.name.utf8.count,
                    valuelen: field.value.utf8.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                )
            }
            guard !body.isEmpty else {
                return nghttp2_submit_request(session, nil, &list, list.count, nil, nil)
            }
            var source = nghttp2_data_provider(
                source: nghttp2_data_source(fd: 0),
                read_callback: { _, stream, buffer, limit, flags, _, context in
                    NGHTTP2Exchange.of(context).read(stream, into: buffer, limit, flags)
                }
            )
            return nghttp2_submit_request(session, nil, &list, list.count, &source, nil)
        }
        bodies[stream] = body
        return stream
    }

    /// The whole answer on a stream; nil while it has not come.
    func takeAnswer(of stream: Int32) -> RequestClient.Answer? {
        guard ended.remove(stream) != nil else { return nil }
        return answers.removeValue(forKey: stream)
    }

    /// All that is to be written.
    func output() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var start: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &start)
            guard count > 0 else { return all }
            all += UnsafeBufferPointer(start: start, count: count)
        }
    }

    /// Takes bytes that came.
    func receive(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = nghttp2_session_mem_recv(session, start, buffer.count)
        }
    }

    private func take(_ name: String, _ value: String, of stream: Int32) {
        if name == ":status" {
            answers[stream, default: .init()].status = Int(value) ?? 0
        } else {
            answers[stream, default: .init()].fields[name] = value
        }
    }

    private func read(
        _ stream: Int32,
        into buffer: UnsafeMutablePointer<UInt8>?,
        _ limit: Int,
        _ flags: UnsafeMutablePointer<UInt32>?
    ) -> Int {
        let body = bodies[stream] ?? []
        let count = min(limit, body.count)
        for index in 0..<count { buffer?[index] = body[index] }
        bodies[stream] = Array(body.dropFirst(count))
        if count == body.count { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }
}
