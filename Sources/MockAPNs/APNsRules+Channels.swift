import HTTP2
import PushModel

/// The channels of broadcasts: each does what it is asked, or gives the reason why not.
extension APNsRules {
    /// What is wrong with `apns-channel-id`, whether or not there is such a channel.
    static func channelFault(of request: borrowing RequestView) -> ReasonCode? {
        guard request.has(.apnsChannelID) else { return ReasonCode(.missingChannelID) }
        return ChannelID.isValid(request.value(of: .apnsChannelID))
            ? nil : ReasonCode(.badChannelID)
    }

    /// What is wrong with `apns-channel-id`, also that the app has no such channel.
    static func registrationFault(
        of request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry
    ) -> ReasonCode? {
        if let fault = channelFault(of: request) { return fault }
        let isKnown = channels.policy(of: text(request.value(of: .apnsChannelID)), app: app) != nil
        return isKnown ? nil : ReasonCode(.channelNotRegistered)
    }

    /// What is wrong with the body that creates a channel.
    static func settingsFault(of request: borrowing RequestView) -> ReasonCode? {
        // A session keeps the start of a body that is far too long.
        guard request.bodyByteCount == request.body.byteCount else {
            return ReasonCode(.payloadTooLarge)
        }
        switch ChannelSettings.read(request.body) {
        case .failure(let fault): return fault.reason
        case .success: return nil
        }
    }

    /// Creates a channel as the body asks for.
    static func create(
        _ request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry,
        answer: inout AppAnswer
    ) -> ReasonCode? {
        switch ChannelSettings.read(request.body) {
        case .failure(let fault): return fault.reason
        case .success(let settings):
            guard let id = channels.create(app: app, policy: settings.policy) else {
                return ReasonCode(.cannotCreateChannelConfig)
            }
            answer.status = 201
            answer.channelID = id
            return nil
        }
    }

    /// Tells how a channel was created.
    static func read(
        _ request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry,
        answer: inout AppAnswer
    ) -> ReasonCode? {
        let id = text(request.value(of: .apnsChannelID))
        // Another connection may delete it at any time.
        guard let policy = channels.policy(of: id, app: app) else {
            return ReasonCode(.channelNotRegistered)
        }
        answer.body = ChannelSettings(policy: policy).json
        return nil
    }

    /// Deletes a channel.
    static func delete(
        _ request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry,
        answer: inout AppAnswer
    ) -> ReasonCode? {
        guard channels.delete(text(request.value(of: .apnsChannelID)), app: app) else {
            return ReasonCode(.channelNotRegistered)
        }
        answer.status = 204
        return nil
    }

    /// The JSON text of an app's channels.
    static func list(app: String, channels: ChannelRegistry) -> [UInt8] {
        var text = JSONText()
        text.object { $0.field("channels", channels.all(app: app)) }
        return Array(text.text.utf8)
    }
}
