/// A documented reason that only broadcasts and channel management know, with its status
/// (contract 1.6b).
public enum BroadcastReason: String, CaseIterable, Sendable {
    case featureNotEnabled = "FeatureNotEnabled"
    case missingChannelID = "MissingChannelId"
    case badChannelID = "BadChannelId"
    case channelNotRegistered = "ChannelNotRegistered"
    case badRequestParams = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
    case missingPushType = "MissingPushType"
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    case topicMismatch = "TopicMismatch"

    /// The HTTP status that carries this reason.
    public var status: Int { self == .topicMismatch ? 403 : 400 }
}
