import PushModel

/// What the rules remember of one connection: its certificate or provider token, its last topic.
///
/// Touched by the connection's loop alone.
public struct ConnectionRuleState {
    /// The sender's client certificate; where there is one, no token is asked for.
    let certificate: ClientCertificate?

    /// The provider token that the connection uses now.
    var currentToken = RememberedToken()
    /// The last other one that came: refused, or not taken yet.
    var otherToken = RememberedToken()
    /// When the current token was first taken, seconds since the epoch.
    var currentTokenSince: Int64 = 0
    /// The team of the first token that was taken; empty before.
    var team = ""
    /// The key id of that token.
    var keyID = ""
    /// The last topic and push type that were found to fit, and what follows from them.
    var kind = KnownPushKind()

    /// Makes the state of a new connection.
    public init(certificate: ClientCertificate? = nil) { self.certificate = certificate }
}

/// The value of `authorization` as it came, with what its one examination found.
struct RememberedToken {
    /// The whole field value; empty where there is none.
    var value: [UInt8] = []
    /// Why it is refused whatever the time; nil where form, signature and key are right.
    var fault: ReasonCode? = ReasonCode(.invalidProviderToken)
    var keyID = ""
    var team = ""
    /// Seconds since the epoch.
    var issuedAt: Int64 = 0
}

/// A topic and push type that fit each other.
struct KnownPushKind {
    /// Empty where the request had no `apns-topic`.
    var topic: [UInt8] = []
    /// Whether a request without `apns-topic` is of this kind: its certificate has but one topic.
    var isTopicImplied = false
    /// Empty where the request had no `apns-push-type`.
    var typeName: [UInt8] = []
    var bodyLimit = 0
    var priorities: PrioritySet = []
}
