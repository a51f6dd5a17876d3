/// What the rules remember of one connection: its provider token, its team, its last topic.
///
/// Touched by the connection's loop alone.
public struct ConnectionRuleState {
    /// Whether the sender proved itself with a client certificate; then no token is asked for.
    public var hasClientCertificate: Bool

    /// The provider token that the connection uses now.
    var currentToken = RememberedToken()
    /// The last other one that came: refused, or not taken yet.
    var otherToken = RememberedToken()
    /// When the current token was first taken, seconds since the epoch.
    var currentTokenSince: Int64 = 0
    /// The team of the first token that was taken; empty before.
    var team = ""
    /// The last topic and push type that were found to fit, and what follows from them.
    var kind = KnownPushKind()

    /// Makes the state of a new connection.
    public init(hasClientCertificate: Bool = false) {
        self.hasClientCertificate = hasClientCertificate
    }
}

/// The value of `authorization` as it came, with what its one examination found.
struct RememberedToken {
    /// The whole field value; empty where there is none.
    var value: [UInt8] = []
    /// Whether form and signature are right.
    var isGenuine = false
    var team = ""
    /// Seconds since the epoch.
    var issuedAt: Int64 = 0
}

/// A topic and push type that fit each other.
struct KnownPushKind {
    var topic: [UInt8] = []
    /// Empty where the request had no `apns-push-type`.
    var typeName: [UInt8] = []
    var bodyLimit = 0
    var priorities: PrioritySet = []
}
