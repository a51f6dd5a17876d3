public import HTTP2

/// What the mock answers to one push.
///
/// A plain value apart from the request, so that whoever holds it may replace it or give it later.
public struct PushDecision: Sendable {
    /// The HTTP status.
    public var status: UInt16
    /// Why the push is refused; nil where it is accepted.
    public var reason: ReasonCode?
    /// `apns-id`: the request's own, byte for byte, where it has a valid one; else a new one.
    public var apnsID: ServerResponse.UUIDText
    /// `apns-unique-id`, for an accepted push in the sandbox environment.
    public var apnsUniqueID: ServerResponse.UUIDText?
    /// Milliseconds since the epoch since when the token is gone, for status 410.
    public var timestampMilliseconds: UInt64?
    /// `retry-after`, in seconds, for a push that may be sent again.
    public var retryAfterSeconds: UInt32?

    /// Makes a decision that accepts.
    public init(apnsID: ServerResponse.UUIDText) {
        status = 200
        self.apnsID = apnsID
    }
}
