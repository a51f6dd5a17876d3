public import PushCrypto

/// What the mock asks of a sender before it takes a push (contract 1.4).
public enum AuthenticationPolicy: Sendable {
    /// Nothing: `authorization` is not looked at.
    case off
    /// A client certificate, or a well-formed, recent ES256 token of any key.
    case any
    /// A client certificate, or a recent ES256 token that this key signed.
    case publicKey(ES256PublicKey)
}
