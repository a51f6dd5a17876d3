/// The client's end of an HTTP/2 connection without I/O: bytes in, bytes out.
///
/// Touched by one thread at a time, its loop's. Nothing here blocks, reads a clock or knows a
/// socket: feed what was read to ``receive(_:)``, take what is to be written from
/// ``drain(into:)``, then look at ``nextEvent()`` until it is nil.
public protocol ClientSession: AnyObject {
    /// How many requests can be submitted now: the least of the peer's stream limit, this side's
    /// own and the stream ids left, less the streams in flight; 0 before the peer's first SETTINGS
    /// (contract 1.1: never assume a stream count) and once the session is closing.
    var availableStreams: Int { get }
    /// Streams that were submitted and have not ended.
    var streamsInFlight: Int { get }
    /// The peer's SETTINGS_MAX_CONCURRENT_STREAMS, as last announced; 0 before its first SETTINGS.
    var peerMaxConcurrentStreams: UInt32 { get }
    /// Whether the peer's first SETTINGS came: it speaks HTTP/2, and its limits are known.
    var hasPeerSettings: Bool { get }
    /// Whether the session still works.
    var state: SessionState { get }
    /// Whether ``drain(into:)`` would produce bytes.
    var hasOutput: Bool { get }

    /// Takes bytes that came from the peer; any split is fine.
    ///
    /// A violation by the peer queues a GOAWAY and turns ``state`` to failed.
    func receive(_ bytes: RawSpan)

    /// Submits `POST /3/device/<token>` with `body`; both are copied before the call returns.
    ///
    /// - Parameters:
    ///   - token: The device token's digits.
    ///   - body: The whole body, at least one byte.
    ///   - tag: Handed back in the stream's one event.
    /// - Returns: False, with nothing done, where ``availableStreams`` is 0, or where each request
    ///   has to have an id.
    func submit(token: RawSpan, body: RawSpan, tag: UInt32) -> Bool

    /// Submits a request with an `apns-id` of its own, for a profile that has
    /// ``RequestProfile/hasOwnIDs``.
    ///
    /// - Parameters:
    ///   - token: The device token's digits.
    ///   - apnsID: The id, ``RequestProfile/idByteCount`` bytes.
    ///   - body: The whole body, at least one byte.
    ///   - tag: Handed back in the stream's one event.
    /// - Returns: False, with nothing done, where ``availableStreams`` is 0, or the id has another
    ///   size or is not wanted.
    func submit(token: RawSpan, apnsID: RawSpan, body: RawSpan, tag: UInt32) -> Bool

    /// Moves as many whole output bytes as fit into `output`.
    func drain(into output: inout OutputRawSpan)

    /// The next thing that happened, in order; nil when all is told.
    ///
    /// Every submitted stream yields exactly one event that names its tag.
    func nextEvent() -> ClientEvent?

    /// Calls `body` with the response body of `event`, at most 4,096 bytes of it; valid until the
    /// next ``receive(_:)``.
    func withResponseBody<R>(of event: ClientEvent, _ body: (RawSpan) -> R) -> R

    /// Replaces the authorization value from the next request on.
    func setAuthorization(_ value: String?)

    /// Queues a PING with `payload`; the answer comes as ``ClientEvent/Kind/pong``.
    func ping(payload: UInt64)

    /// Queues GOAWAY and takes no more requests; the streams in flight go on.
    func shutdown()

    /// Ends every stream in flight with ``ClientEvent/Kind/connectionLost``, for a connection that
    /// is gone. Streams whose request had not been drained to its last byte end as
    /// ``ClientEvent/Kind/unprocessed``.
    func connectionLost()
}

/// How a session stands.
public enum SessionState: Equatable, Sendable {
    /// Requests are taken.
    case open
    /// No new requests; those in flight go on (GOAWAY was sent or received).
    case draining
    /// Broken: write what ``ClientSession/drain(into:)`` still gives, then close.
    case failed(HTTP2ErrorCode)
}

/// Something that happened on a client's connection.
public struct ClientEvent: Equatable, Sendable {
    /// What happened.
    public enum Kind: UInt8, Equatable, Sendable {
        /// The response came whole: look at `status`.
        case responded
        /// The peer reset the stream: look at `errorCode`. It may have been processed.
        case reset
        /// The stream was certainly not processed (REFUSED_STREAM, above GOAWAY's last stream id, or
        /// never written): safe to send again.
        case unprocessed
        /// The connection ended while the stream was in flight: it may have been processed.
        case connectionLost
        /// The peer sent GOAWAY: `errorCode`, and its debug data as response body. Has no tag.
        case goAway
        /// The answer to a PING: `value` is its payload. Has no tag.
        case pong
    }

    /// What happened.
    public var kind: Kind
    /// The `tag` of the request.
    public var tag: UInt32
    /// The HTTP status; 0 without a response.
    ///
    /// A reset stream has one where the response had begun.
    public var status: UInt16
    /// The error code of a reset or GOAWAY; of an unprocessed stream refusedStream where the peer refused
    /// that very stream.
    public var errorCode: HTTP2ErrorCode
    /// Whether it was the peer that reset the stream, not this side for what the peer had sent.
    public var isPeerReset = false
    /// `retry-after` in seconds; nil where absent or not a number.
    public var retryAfterSeconds: UInt32?
    /// The payload of a PING answer.
    public var value: UInt64
    /// Where the response body stands in the session's event storage.
    var bodyRange: Range<Int>

    init(
        kind: Kind,
        tag: UInt32 = 0,
        status: UInt16 = 0,
        errorCode: HTTP2ErrorCode = .noError,
        retryAfterSeconds: UInt32? = nil,
        value: UInt64 = 0,
        bodyRange: Range<Int> = 0..<0
    ) {
        self.kind = kind
        self.tag = tag
        self.status = status
        self.errorCode = errorCode
        self.retryAfterSeconds = retryAfterSeconds
        self.value = value
        self.bodyRange = bodyRange
    }
}
