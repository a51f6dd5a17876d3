import HTTP2

/// What a request was answered, as a record tells it.
struct RecordedAnswer {
    let status: UInt16
    /// Why it was refused; nil where it was not.
    let reason: ReasonCode?
    let timestampMilliseconds: UInt64?
    /// `apns-id`, for a push to a device.
    let apnsID: ServerResponse.UUIDText?
    let apnsUniqueID: ServerResponse.UUIDText?
    /// `apns-request-id`, for a broadcast or the management of channels.
    let requestID: ServerResponse.UUIDText?
    /// `apns-channel-id`, for a channel that was created.
    let channelID: String?

    init(_ decision: PushDecision) {
        status = decision.status
        reason = decision.reason
        timestampMilliseconds = decision.timestampMilliseconds
        apnsID = decision.apnsID
        apnsUniqueID = decision.apnsUniqueID
        requestID = nil
        channelID = nil
    }

    init(_ answer: AppAnswer) {
        status = answer.status
        reason = answer.reason
        timestampMilliseconds = nil
        apnsID = nil
        apnsUniqueID = answer.uniqueID
        requestID = answer.requestID
        channelID = answer.channelID
    }
}
