public import PushCrypto
public import PushModel

/// What the mock asks of a sender before it takes a push (contract 1.4).
public enum AuthenticationPolicy: Sendable {
    /// Nothing: neither `authorization` nor a client certificate is looked at.
    case off
    /// A client certificate, or a well-formed, recent ES256 token of any key.
    case any
    /// A client certificate, or a recent ES256 token of one of these keys.
    case keys([ProviderKey])
}

/// A key that the mock knows as a provider's, with what is known of it.
public struct ProviderKey: Sendable {
    /// Checks form and signature of the key's tokens.
    public var verifier: ProviderTokenVerifier
    /// The id that its tokens must name; nil takes any.
    public var keyID: String?
    /// The team that its tokens must name; nil takes any.
    public var teamID: String?
    /// The one environment that it is for; nil is for both.
    public var environment: APNsEnvironment?

    /// Makes a key.
    public init(
        verifier: ProviderTokenVerifier,
        keyID: String? = nil,
        teamID: String? = nil,
        environment: APNsEnvironment? = nil
    ) {
        self.verifier = verifier
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
    }
}
