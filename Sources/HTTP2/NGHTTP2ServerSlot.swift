/// One stream of a server session: the request as it comes in, then the body of its answer.
struct NGHTTP2ServerSlot: ~Copyable {
    /// No slot.
    static let none: Int32 = -1

    /// What the slot is doing.
    ///
    /// The peer may reset the stream at any time; a slot whose request was taken stays until it
    /// is answered all the same.
    enum Phase: UInt8 {
        /// In the free list.
        case free
        /// Headers or body are still coming.
        case receiving
        /// Whole, in the queue of requests.
        case ready
        /// Whole, in the queue of requests, but reset.
        case readyAndGone
        /// Handed to the caller.
        case taken
        /// Handed to the caller, but reset.
        case takenAndGone
        /// Answered or reset: goes when nghttp2 closes the stream.
        case answered
    }

    var phase = Phase.free
    /// The first known field that came twice.
    var duplicatedField: RequestField?
    /// Whether the first header block is over; what comes after is a trailer.
    var hasHeaders = false
    var streamID: Int32 = 0
    /// The header list's size as RFC 9113 section 6.5.2 counts it.
    var headerListSize = 0
    /// The values of the known fields, one after the other.
    var fieldBytes = GrowingBytes()
    /// The request's body up to a limit; after the answer, the answer's body.
    var body = GrowingBytes()
    /// How long the request's body is.
    var bodyByteCount = 0
    /// Bytes that count as those of an unfinished exchange.
    var held = 0
    /// How much of the answer's body nghttp2 has taken.
    var sentCount = 0
    /// The next slot in the free list or in the queue of requests.
    var next = NGHTTP2ServerSlot.none
}
