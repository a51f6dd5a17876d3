/// One stream of a client session, and the memory that its request lives in.
///
/// Slots and their buffers are used again and again; nothing is allocated once a slot's buffers
/// have the size that the requests need.
struct NGHTTP2ClientSlot: ~Copyable {
    /// No slot.
    static let none: Int32 = -1

    /// What the slot is doing.
    enum Phase: UInt8 {
        /// In the free list.
        case free
        /// Submitted, no event yet.
        case inFlight
        /// Its event is out, but nghttp2 still knows the stream.
        case told
    }

    var phase = Phase.free
    var streamID: Int32 = 0
    var tag: UInt32 = 0
    /// The path, then the body.
    var request = GrowingBytes()
    var pathCount = 0
    /// Bytes of the body that nghttp2 has taken.
    var sentCount = 0
    /// The session's output position behind the request's last byte; `max` while unknown.
    var endOffset = UInt64.max
    /// The response's body so far.
    var response = GrowingBytes()
    var status: UInt16 = 0
    var wasResetByPeer = false
    var retryAfterSeconds: UInt32?
    /// The next slot of the free list.
    var next = NGHTTP2ClientSlot.none
    /// The neighbours in the list of streams that wait for a wider window.
    var heldNext = NGHTTP2ClientSlot.none
    var heldPrevious = NGHTTP2ClientSlot.none
    var isHeld = false

    /// Copies a request into the slot.
    mutating func fill(token: RawSpan, body: RawSpan) {
        let prefix = NGHTTP2RequestHeaders.pathPrefix
        pathCount = prefix.utf8CodeUnitCount + token.byteCount
        request.removeAll()
        request.reserve(pathCount + body.byteCount)
        prefix.withUTF8Buffer { request.append(UnsafeRawBufferPointer($0)) }
        token.withUnsafeBytes { request.append($0) }
        body.withUnsafeBytes { request.append($0) }
    }

    /// Bytes of the body that nghttp2 has not taken.
    var unsentCount: Int { request.count - pathCount - sentCount }
    /// Whether nghttp2 has taken the whole request.
    var isSent: Bool { endOffset != .max }
}
