import HTTP2
import PushCrypto
import PushModel

extension APNsRules {
    /// A token may be this old, in seconds, and its `iat` this far ahead (contract 1.4).
    static let tokenLifetime: Int64 = 3600
    /// A connection may change its token once in so many seconds.
    static let tokenUpdateInterval: Int64 = 1200

    /// Why the sender is not let in; nil where it is.
    ///
    /// Decisions where Apple's pages leave room:
    /// - The scheme word is read in either case; another scheme or an empty token is a missing one.
    /// - An `iat` over an hour ahead is InvalidProviderToken, as is a key id or team that the key has not.
    /// - A token of another key or team than the connection's first is UnrelatedKeyIdInToken.
    /// - Only tokens that were taken count as updates. A new one is too soon where neither twenty
    ///   minutes have passed on this connection nor it was issued twenty minutes after the current one,
    ///   and the current one has not expired: who signs a token every fifty minutes for all connections
    ///   may open one just before.
    func authenticationFault(
        of request: borrowing RequestView,
        connection: inout ConnectionRuleState,
        now: Int64
    ) -> ReasonCode? {
        if case .off = authentication { return nil }
        if let certificate = connection.certificate { return certificate.fault }
        let value = request.value(of: .authorization)
        if value.equals(connection.currentToken.value), value.byteCount > 0 {
            return now - connection.currentToken.issuedAt > Self.tokenLifetime
                ? ReasonCode(.expiredProviderToken) : nil
        }
        return faultOfNewToken(value, connection: &connection, now: now)
    }

    /// The rare path: a token that is not the connection's current one.
    @inline(never)
    private func faultOfNewToken(
        _ value: RawSpan,
        connection: inout ConnectionRuleState,
        now: Int64
    ) -> ReasonCode? {
        guard value.byteCount > Self.scheme.utf8CodeUnitCount, Self.hasBearerScheme(value) else {
            return ReasonCode(.missingProviderToken)
        }
        if !value.equals(connection.otherToken.value) {
            connection.otherToken = examine(value)
        }
        let token = connection.otherToken
        if let fault = token.fault { return fault }
        guard token.issuedAt - now <= Self.tokenLifetime else {
            return ReasonCode(.invalidProviderToken)
        }
        guard now - token.issuedAt <= Self.tokenLifetime else {
            return ReasonCode(.expiredProviderToken)
        }
        let current = connection.currentToken
        if !current.value.isEmpty {
            guard connection.team == token.team, connection.keyID == token.keyID else {
                return ReasonCode(.unrelatedKeyIDInToken)
            }
            guard
                now - current.issuedAt > Self.tokenLifetime
                    || now - connection.currentTokenSince >= Self.tokenUpdateInterval
                    || token.issuedAt - current.issuedAt >= Self.tokenUpdateInterval
            else { return ReasonCode(.tooManyProviderTokenUpdates) }
        }
        swap(&connection.currentToken, &connection.otherToken)
        connection.currentTokenSince = now
        connection.team = token.team
        connection.keyID = token.keyID
        return nil
    }

    /// Form, signature and key of a token, looked at once for its bytes.
    private func examine(_ value: RawSpan) -> RememberedToken {
        var remembered = RememberedToken(value: value.copied)
        let text = value.extracting(droppingFirst: Self.scheme.utf8CodeUnitCount)
        switch authentication {
        case .off: remembered.fault = nil
        case .any: check(text, of: ProviderKey(verifier: .init()), into: &remembered)
        case .keys(let keys):
            for key in keys where remembered.fault != nil {
                check(text, of: key, into: &remembered)
            }
        }
        return remembered
    }

    /// Takes over what a token says, where it is one of `key`.
    private func check(_ text: RawSpan, of key: ProviderKey, into token: inout RememberedToken) {
        guard case .valid(let keyID, let team, let issuedAt) = key.verifier.verify(text),
            key.keyID == nil || key.keyID == keyID, key.teamID == nil || key.teamID == team
        else { return }
        token.keyID = keyID
        token.team = team
        token.issuedAt = issuedAt
        let isForThis = key.environment == nil || key.environment == environment
        token.fault = isForThis ? nil : ReasonCode(.badEnvironmentKeyIDInToken)
    }

    private static let scheme: StaticString = "bearer "

    private static func hasBearerScheme(_ value: RawSpan) -> Bool {
        scheme.withUTF8Buffer { expected in
            expected.indices.allSatisfy {
                // The blank has the bit already, so that one comparison serves all seven bytes.
                value.unsafeLoad(fromByteOffset: $0, as: UInt8.self) | 0x20 == expected[$0]
            }
        }
    }
}
