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
    /// Decisions where Apple's pages leave room: the scheme word is read in either case; another
    /// scheme or an empty token is a missing one; an `iat` over an hour ahead and another team than
    /// the connection's first are InvalidProviderToken; only tokens that were taken count as
    /// updates, so one may follow an expired one at once.
    func authenticationFault(
        of request: borrowing RequestView,
        connection: inout ConnectionRuleState,
        now: Int64
    ) -> ReasonCode? {
        if case .off = authentication { return nil }
        if connection.hasClientCertificate { return nil }
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
        guard token.isGenuine, token.issuedAt - now <= Self.tokenLifetime else {
            return ReasonCode(.invalidProviderToken)
        }
        guard now - token.issuedAt <= Self.tokenLifetime else {
            return ReasonCode(.expiredProviderToken)
        }
        guard connection.team.isEmpty || connection.team == token.team else {
            return ReasonCode(.invalidProviderToken)
        }
        let isFirst = connection.currentToken.value.isEmpty
        guard isFirst || now - connection.currentTokenSince >= Self.tokenUpdateInterval else {
            return ReasonCode(.tooManyProviderTokenUpdates)
        }
        swap(&connection.currentToken, &connection.otherToken)
        connection.currentTokenSince = now
        connection.team = token.team
        return nil
    }

    /// Form and signature of a token, looked at once for its bytes.
    private func examine(_ value: RawSpan) -> RememberedToken {
        var remembered = RememberedToken(value: value.copied)
        let text = value.extracting(droppingFirst: Self.scheme.utf8CodeUnitCount)
        if case .valid(_, let team, let issuedAt) = authentication.verifier.verify(text) {
            remembered.isGenuine = true
            remembered.team = team
            remembered.issuedAt = issuedAt
        }
        return remembered
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
