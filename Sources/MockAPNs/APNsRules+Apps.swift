import HTTP2
import PushModel

/// Broadcasts and channel management: contract 1.1 and 1.6b.
///
/// Order of checks, by the one of pushes: method, doubled fields, authorization, bundle id, topic,
/// feature, then a broadcast's push type, priority and expiration, then request id, channel, body.
/// Where the contract leaves room:
///
/// - A bundle id that ends in a push type's suffix is TopicDisallowed; `apns-topic` need not come,
///   but must be the bundle id, with or without Live Activities' suffix, else it is TopicMismatch, as is
///   a bundle id that a client certificate does not name.
/// - A broadcast takes each of the three priorities, and 5,120 bytes; priority and expiration
///   may be left out. A channel that stores nothing takes no expiration but 0.
/// - An `apns-request-id` that is no UUID is BadMessageId.
/// - With `--verify off` broadcasts are accepted as they come; channels are managed all the same,
///   whoever asks, but created for no bundle id of more than 255 bytes.
extension APNsRules {
    /// The largest body of a broadcast, in bytes.
    static let broadcastLimit = 5120

    /// Does what `call` asks for, or says why not.
    ///
    /// - Parameters:
    ///   - call: What the path of `request` says.
    ///   - request: The whole request.
    ///   - connection: What is remembered of its connection.
    ///   - channels: The channels of all apps.
    ///   - now: Seconds since the epoch.
    ///   - identifiers: Makes the ids of calls that came without.
    ///   - throttle: What a call without a fault is refused with all the same, before anything is done
    ///     about it; asked once at most.
    /// - Returns: The answer.
    func answer(
        _ call: AppCall,
        _ request: borrowing RequestView,
        connection: inout ConnectionRuleState,
        channels: ChannelRegistry,
        now: Int64,
        identifiers: inout UUIDGenerator,
        throttle: () -> Throttle? = { nil }
    ) -> AppAnswer {
        let field = RequestField.apnsRequestID
        let sentID = request.has(field) ? Self.uuid(request.value(of: field)) : nil
        var answer = AppAnswer(requestID: sentID ?? identifiers.next())
        var fault: ReasonCode?
        if let action = call.action(of: request.value(of: .method)) {
            fault = senderFault(of: request, call, connection: &connection, now: now)
            if fault == nil, action == .broadcast, verification != .off {
                fault = broadcastFieldFault(of: request)
            }
            if fault == nil, sentID == nil, request.has(field) { fault = ReasonCode(.badMessageID) }
            let app = Self.text(request.value(of: .path).extracting(call.bundle))
            if fault == nil { fault = callFault(action, request, app: app, channels: channels) }
            if fault == nil, let throttle = throttle() {
                fault = throttle.reason
                answer.retryAfterSeconds = throttle.retryAfterSeconds
            }
            if fault == nil {
                fault = Self.perform(
                    action,
                    request,
                    app: app,
                    channels: channels,
                    answer: &answer
                )
            }
        } else {
            fault = ReasonCode(.methodNotAllowed)
        }
        if let fault {
            answer.status = reasons.status(of: fault)
            answer.reason = fault
        } else if call.kind == .broadcast, environment == .sandbox {
            answer.uniqueID = identifiers.next()
        }
        return answer
    }

    static func text(_ bytes: RawSpan) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the sender may speak for the app.
    private func senderFault(
        of request: borrowing RequestView,
        _ call: AppCall,
        connection: inout ConnectionRuleState,
        now: Int64
    ) -> ReasonCode? {
        guard verification != .off else { return nil }
        if request.duplicatedField != nil { return ReasonCode(.duplicateHeaders) }
        if let fault = authenticationFault(of: request, connection: &connection, now: now) {
            return fault
        }
        let bundle = request.value(of: .path).extracting(call.bundle)
        guard Self.isTopic(bundle) else { return ReasonCode(.badTopic) }
        guard !pushTypes.hasSuffix(bundle) else { return ReasonCode(.topicDisallowed) }
        if request.has(.apnsTopic) {
            let topic = request.value(of: .apnsTopic)
            let suffix = topic.byteCount - bundle.byteCount
            guard suffix >= 0, Self.areEqual(topic.extracting(droppingLast: suffix), bundle),
                suffix == 0
                    || topic.extracting(last: suffix).equals(
                        Array(PushType.liveactivity.topicSuffix.utf8)
                    )
            else { return ReasonCode(.topicMismatch) }
        }
        if let certificate = certificate(of: connection), !certificate.allows(bundle) {
            return ReasonCode(.topicMismatch)
        }
        if let broadcastApps, !broadcastApps.contains(Self.text(bundle)) {
            return ReasonCode(.featureNotEnabled)
        }
        return nil
    }

    private static func areEqual(_ one: RawSpan, _ other: RawSpan) -> Bool {
        one.withUnsafeBytes { other.equals($0) }
    }

    /// The fields that only a broadcast has.
    private func broadcastFieldFault(of request: borrowing RequestView) -> ReasonCode? {
        guard request.has(.apnsPushType) else { return ReasonCode(.missingPushType) }
        guard request.value(of: .apnsPushType).equals("liveactivity") else {
            return ReasonCode(.invalidPushType)
        }
        if request.has(.apnsPriority), PrioritySet(request.value(of: .apnsPriority)).isEmpty {
            return ReasonCode(.badPriority)
        }
        if request.has(.apnsExpiration), !Self.isTime(request.value(of: .apnsExpiration)) {
            return ReasonCode(.badExpirationDate)
        }
        return nil
    }

    /// What is wrong with a call of a sender who may make it.
    private func callFault(
        _ action: AppCall.Action,
        _ request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry
    ) -> ReasonCode? {
        switch action {
        case .broadcast:
            verification == .off ? nil : broadcastFault(of: request, app: app, channels: channels)
        case .create:
            // Kept as long as the channel, and not looked at before with --verify off.
            app.utf8.count > Self.longestTopic
                ? ReasonCode(.badTopic) : Self.settingsFault(of: request)
        case .read, .delete: Self.registrationFault(of: request, app: app, channels: channels)
        case .list: nil
        }
    }

    /// Does what a call without a fault asks for; it may fail all the same.
    private static func perform(
        _ action: AppCall.Action,
        _ request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry,
        answer: inout AppAnswer
    ) -> ReasonCode? {
        switch action {
        case .broadcast: return nil
        case .create: return create(request, app: app, channels: channels, answer: &answer)
        case .read: return read(request, app: app, channels: channels, answer: &answer)
        case .delete: return delete(request, app: app, channels: channels, answer: &answer)
        case .list:
            answer.listedApp = app
            return nil
        }
    }

    /// Channel and body of a broadcast.
    private func broadcastFault(
        of request: borrowing RequestView,
        app: String,
        channels: ChannelRegistry
    ) -> ReasonCode? {
        if let fault = Self.channelFault(of: request) { return fault }
        let id = Self.text(request.value(of: .apnsChannelID))
        guard let policy = channels.policy(of: id, app: app) else {
            return ReasonCode(.channelNotRegistered)
        }
        if policy == .none, request.has(.apnsExpiration),
            !request.value(of: .apnsExpiration).equals("0")
        {
            return ReasonCode(.badExpirationDate)
        }
        guard verification != .headers else { return nil }
        guard request.bodyByteCount > 0 else { return ReasonCode(.payloadEmpty) }
        guard request.bodyByteCount <= Self.broadcastLimit else {
            return ReasonCode(.payloadTooLarge)
        }
        return Self.isJSONObject(request.body) ? nil : ReasonCode(.badRequestPayload)
    }
}
