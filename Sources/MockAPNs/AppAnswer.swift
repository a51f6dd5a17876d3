import HTTP2

/// What the mock answers to an ``AppCall``.
struct AppAnswer {
    var status: UInt16
    /// Why the call is refused; nil where it is not.
    var reason: ReasonCode?
    /// `apns-request-id`: the request's own where it has a valid one, else a new one.
    var requestID: ServerResponse.UUIDText
    /// `apns-unique-id`, for an accepted broadcast in the sandbox environment.
    var uniqueID: ServerResponse.UUIDText?
    /// `apns-channel-id`, for a channel that was created.
    var channelID: String?
    /// `retry-after`, in seconds, for a call that may be made again.
    var retryAfterSeconds: UInt32?
    /// The JSON text of a read.
    var body: [UInt8] = []
    /// The app whose channels are listed in place of `body`.
    ///
    /// The list is made when the answer is given: it may be long, and the answer may wait.
    var listedApp: String?

    /// Makes an answer that accepts.
    init(requestID: ServerResponse.UUIDText) {
        status = 200
        self.requestID = requestID
    }

    /// The answer as the session sends it.
    func response(reasons: ReasonTable, channels: ChannelRegistry) -> ServerResponse {
        var fields = [RequestProfile.Field(name: "apns-request-id", value: Self.text(requestID))]
        if let retryAfterSeconds {
            fields.append(.init(name: "retry-after", value: String(retryAfterSeconds)))
        }
        if let channelID { fields.append(.init(name: "apns-channel-id", value: channelID)) }
        return ServerResponse(
            status: status,
            apnsUniqueID: uniqueID,
            fields: fields,
            body: reason.map { reasons.body(of: $0, timestampMilliseconds: nil) }
                ?? listedApp.map { APNsRules.list(app: $0, channels: channels) } ?? body
        )
    }

    private static func text(_ id: ServerResponse.UUIDText) -> String {
        String(decoding: id.indices.map { id[$0] }, as: UTF8.self)
    }
}
