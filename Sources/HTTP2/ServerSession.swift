/// The server's end of an HTTP/2 connection without I/O: bytes in, bytes out.
///
/// Touched by one thread at a time. After ``receive(_:)`` take each whole request from
/// ``nextRequest()`` and answer it with ``respond(to:with:)``, now or later, in any order.
public protocol ServerSession: AnyObject {
    /// Whether the session still works.
    var state: SessionState { get }
    /// Streams that are open: their request has begun and their answer is not out.
    var streamsInFlight: Int { get }
    /// Whether ``drain(into:)`` would produce bytes.
    var hasOutput: Bool { get }
    /// Whether the peer began something that it has not finished: its preface and first SETTINGS, a
    /// frame, a header block or a request.
    ///
    /// Not for the path of a push: looks at every stream.
    var isMidway: Bool { get }

    /// Bytes that are kept of requests that have begun and not ended, and of answers that wait for the
    /// peer's windows.
    var unfinishedByteCount: Int { get }

    /// Bytes that wait for ``drain(into:)``, as far as they are known.
    var outputByteCount: Int { get }

    /// Streams that were refused because they were more than the settings in force allow.
    var refusedStreamCount: Int { get }

    /// Gives back memory that streams have left which are over.
    ///
    /// It is kept for the next ones else. To be called now and then; not for the path of a push.
    ///
    /// - Returns: Whether there was any.
    func trim() -> Bool

    /// Takes bytes that came from the peer; any split is fine.
    func receive(_ bytes: RawSpan)

    /// The handle of the next whole request (headers, body, END_STREAM), in order of completion.
    ///
    /// Its storage stays until it is answered or reset. A stream that the peer resets meanwhile
    /// is answered into the void.
    func nextRequest() -> RequestHandle?

    /// Calls `body` with the request; the view's spans are valid during the call alone.
    func withRequest<R>(_ handle: RequestHandle, _ body: (borrowing RequestView) -> R) -> R

    /// Gives back what a request's body takes, where the answer comes later; the body is empty then.
    ///
    /// A stale handle is ignored.
    func dropBody(of handle: RequestHandle)

    /// Answers a request and gives its storage back.
    func respond(to handle: RequestHandle, with response: borrowing ServerResponse)

    /// Resets a request's stream and gives its storage back.
    func reset(_ handle: RequestHandle, errorCode: HTTP2ErrorCode)

    /// Moves as many whole output bytes as fit into `output`.
    func drain(into output: inout OutputRawSpan)

    /// Announces new settings; they hold from the peer's acknowledgement on.
    ///
    /// A peer that knows more streams allowed may use them before its acknowledgement comes.
    func update(settings: SessionSettings)

    /// Queues GOAWAY with the last stream id processed so far, or `lastStreamID` where given.
    ///
    /// 2^31-1 warns of another GOAWAY to come: streams go on to be taken. All streams up to the id
    /// that is told are served as before; the caller ends the connection after
    /// ``streamsInFlight`` is 0.
    func goAway(errorCode: HTTP2ErrorCode, lastStreamID: UInt32?, debugData: [UInt8])

    /// Queues a PING.
    func ping(payload: UInt64)
}

/// Names a whole request of a ``ServerSession`` until it is answered.
public struct RequestHandle: Hashable, Sendable {
    /// The stream's place in the session's slot array.
    var slot: UInt32
    /// The HTTP/2 stream id.
    public var streamID: UInt32

    init(slot: UInt32, streamID: UInt32) {
        self.slot = slot
        self.streamID = streamID
    }
}

/// The request fields that a push endpoint knows; each has a fixed place in a ``RequestView``.
public enum RequestField: UInt8, CaseIterable, Sendable {
    case method
    case scheme
    case authority
    case path
    case authorization
    case apnsTopic
    case apnsPushType
    case apnsID
    case apnsExpiration
    case apnsPriority
    case apnsCollapseID
    case apnsChannelID
    case apnsRequestID
    case contentType
    case contentLength

    /// The field's name on the wire.
    public var wireName: StaticString {
        switch self {
        case .method: ":method"
        case .scheme: ":scheme"
        case .authority: ":authority"
        case .path: ":path"
        case .authorization: "authorization"
        case .apnsTopic: "apns-topic"
        case .apnsPushType: "apns-push-type"
        case .apnsID: "apns-id"
        case .apnsExpiration: "apns-expiration"
        case .apnsPriority: "apns-priority"
        case .apnsCollapseID: "apns-collapse-id"
        case .apnsChannelID: "apns-channel-id"
        case .apnsRequestID: "apns-request-id"
        case .contentType: "content-type"
        case .contentLength: "content-length"
        }
    }
}
