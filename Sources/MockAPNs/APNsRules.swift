import CJSON
public import HTTP2
public import PushModel

/// The decision for one push, by the documented rules and the order of checks of contract 1.6.
///
/// Pure: what it looks at comes in, what it decides goes out; it knows no socket, clock or counter.
/// Immutable, so that all loops share one. Where Apple's pages are silent:
///
/// - A request without `apns-push-type` is taken; then the topic's suffix alone sets the size limit.
/// - A topic is 1 to 255 letters, digits, `.`, `-`, `_`; one that does not fit the push type's suffix
///   is BadTopic, also an alert's that ends in another type's suffix.
/// - A missing priority is never a fault; a priority the push type does not allow is BadPriority.
/// - An expiration is one to eighteen decimal digits; one in the past is taken.
/// - `apns-id` may have either case and is echoed byte for byte.
/// - Present but empty fields are bad, not missing.
/// - With a client certificate of one topic, a push may leave `apns-topic` out; `location` is Forbidden with
///   any certificate, and another topic than the certificate's is TopicDisallowed.
/// - A 410 that a script gives without a time says that the token is gone since now.
/// - A body that is no JSON object is ``ReasonCode/payloadInvalidJSON``, after the size checks.
public struct APNsRules: Sendable {
    /// What is asked of the sender.
    public var authentication: AuthenticationPolicy
    /// How much of a request is looked at.
    public var verification: VerificationLevel
    /// The environment; the sandbox alone sends `apns-unique-id`.
    public var environment: APNsEnvironment
    /// The tokens that do not get the common answer.
    public var script: TokenScript
    /// The reasons, with those that a script added.
    public var reasons: ReasonTable
    /// The bundle ids that may broadcast; nil lets all.
    public var broadcastApps: [String]?

    let pushTypes = PushTypeTable()

    /// Makes rules.
    public init(
        authentication: AuthenticationPolicy = .any,
        verification: VerificationLevel = .full,
        environment: APNsEnvironment = .production,
        script: TokenScript = TokenScript(),
        reasons: ReasonTable = ReasonTable()
    ) {
        self.authentication = authentication
        self.verification = verification
        self.environment = environment
        self.script = script
        self.reasons = reasons
    }

    /// Decides on one request; allocates nothing where the connection's token and topic are known.
    ///
    /// - Parameters:
    ///   - request: The whole request.
    ///   - connection: What is remembered of its connection.
    ///   - now: Seconds since the epoch.
    ///   - identifiers: Makes the ids of pushes that came without.
    /// - Returns: The answer.
    public func decide(
        _ request: borrowing RequestView,
        connection: inout ConnectionRuleState,
        now: Int64,
        identifiers: inout UUIDGenerator
    ) -> PushDecision {
        let sentID = request.has(.apnsID) ? Self.uuid(request.value(of: .apnsID)) : nil
        var decision = PushDecision(apnsID: sentID ?? identifiers.next())
        if verification != .off {
            let fate = fault(
                of: request,
                hasBadID: sentID == nil && request.has(.apnsID),
                connection: &connection,
                now: now
            )
            if let fate {
                decision.status = reasons.status(of: fate.reason)
                decision.reason = fate.reason
                decision.timestampMilliseconds = fate.timestampMilliseconds
                if decision.status == 410, fate.timestampMilliseconds == nil {
                    decision.timestampMilliseconds = UInt64(clamping: now) &* 1000
                }
                return decision
            }
        }
        if environment == .sandbox { decision.apnsUniqueID = identifiers.next() }
        return decision
    }

    /// The first fault in the order of contract 1.6; nil where there is none.
    private func fault(
        of request: borrowing RequestView,
        hasBadID: Bool,
        connection: inout ConnectionRuleState,
        now: Int64
    ) -> TokenScript.Fate? {
        guard request.value(of: .method).equals("POST") else { return fate(.methodNotAllowed) }
        let path = request.value(of: .path)
        guard path.starts(with: Self.devicePath) else { return fate(.badPath) }
        let token = path.extracting(droppingFirst: Self.devicePath.utf8CodeUnitCount)
        guard token.byteCount > 0 else { return fate(.missingDeviceToken) }
        if request.duplicatedField != nil { return fate(.duplicateHeaders) }
        if let reason = authenticationFault(of: request, connection: &connection, now: now) {
            return TokenScript.Fate(reason: reason)
        }
        if let reason = kindFault(of: request, connection: &connection) {
            return TokenScript.Fate(reason: reason)
        }
        if request.has(.apnsPriority) {
            let priority = PrioritySet(request.value(of: .apnsPriority))
            guard !connection.kind.priorities.isDisjoint(with: priority) else {
                return fate(.badPriority)
            }
        }
        if request.has(.apnsExpiration), !Self.isTime(request.value(of: .apnsExpiration)) {
            return fate(.badExpirationDate)
        }
        if hasBadID { return fate(.badMessageID) }
        if request.has(.apnsCollapseID) {
            let count = request.value(of: .apnsCollapseID).byteCount
            guard (1...Self.longestCollapseID).contains(count) else { return fate(.badCollapseID) }
        }
        guard DeviceToken.isValid(token) else { return fate(.badDeviceToken) }
        let scripted = script.isEmpty ? nil : script.fate(of: token)
        if let scripted, Self.isTokenFault(scripted.reason) { return scripted }
        return bodyFault(of: request.body, limit: connection.kind.bodyLimit) ?? scripted
    }

    /// Whether a scripted reason belongs to the token's place in the order, before the body's.
    private static func isTokenFault(_ reason: ReasonCode) -> Bool {
        reason == ReasonCode(.badDeviceToken) || reason == ReasonCode(.deviceTokenNotForTopic)
            || reason == ReasonCode(.unregistered) || reason == ReasonCode(.expiredToken)
    }

    /// Topic and push type, which follow each other; remembered while they stay the same.
    private func kindFault(
        of request: borrowing RequestView,
        connection: inout ConnectionRuleState
    ) -> ReasonCode? {
        let topic = request.value(of: .apnsTopic)
        let typeName = request.value(of: .apnsPushType)
        if topic.equals(connection.kind.topic), typeName.equals(connection.kind.typeName),
            topic.byteCount > 0 || connection.kind.isTopicImplied && !request.has(.apnsTopic),
            typeName.byteCount > 0 || !request.has(.apnsPushType)
        {
            return nil
        }
        return newKindFault(of: request, connection: &connection)
    }

    /// The rare path: another topic or push type than the connection's last.
    @inline(never)
    private func newKindFault(
        of request: borrowing RequestView,
        connection: inout ConnectionRuleState
    ) -> ReasonCode? {
        let certificate = certificate(of: connection)
        guard request.has(.apnsTopic) else {
            guard let implied = certificate?.defaultTopic else { return ReasonCode(.missingTopic) }
            return newKindFault(
                of: request,
                topic: implied.span.bytes,
                certificate: certificate,
                kind: &connection.kind
            )
        }
        return newKindFault(
            of: request,
            topic: request.value(of: .apnsTopic),
            certificate: certificate,
            kind: &connection.kind
        )
    }

    private func newKindFault(
        of request: borrowing RequestView,
        topic: RawSpan,
        certificate: ClientCertificate?,
        kind: inout KnownPushKind
    ) -> ReasonCode? {
        guard Self.isTopic(topic) else { return ReasonCode(.badTopic) }
        let row: PushTypeTable.Row
        if request.has(.apnsPushType) {
            guard let named = pushTypes.row(named: request.value(of: .apnsPushType)) else {
                return ReasonCode(.invalidPushType)
            }
            guard pushTypes.fits(topic: topic, suffix: named.suffix) else {
                return ReasonCode(.badTopic)
            }
            row = named
        } else {
            row = pushTypes.rowForMissingType(topic: topic)
            guard topic.byteCount > row.suffix.count else { return ReasonCode(.badTopic) }
        }
        if let certificate {
            guard !row.isForTokensOnly else { return ReasonCode(.forbidden) }
            guard certificate.allows(topic) else { return ReasonCode(.topicDisallowed) }
        }
        kind.isTopicImplied = !request.has(.apnsTopic)
        kind.topic = kind.isTopicImplied ? [] : topic.copied
        kind.typeName = row.name
        kind.bodyLimit = row.bodyLimit
        kind.priorities = row.priorities
        return nil
    }

    /// The client certificate, where anything is asked of the sender.
    func certificate(of connection: borrowing ConnectionRuleState) -> ClientCertificate? {
        if case .off = authentication { return nil }
        return connection.certificate
    }

    private func bodyFault(of body: RawSpan, limit: Int) -> TokenScript.Fate? {
        switch verification {
        case .off, .headers: return nil
        case .full, .content: break
        }
        guard body.byteCount > 0 else { return fate(.payloadEmpty) }
        guard body.byteCount <= limit else { return fate(.payloadTooLarge) }
        return Self.isJSONObject(body) ? nil : TokenScript.Fate(reason: .payloadInvalidJSON)
    }

    private func fate(_ reason: APNsReason) -> TokenScript.Fate {
        TokenScript.Fate(reason: ReasonCode(reason))
    }
}
