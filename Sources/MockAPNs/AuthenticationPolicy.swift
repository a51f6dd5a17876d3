public import PushCrypto

/// What the mock asks of a sender before it takes a push (contract 1.4).
public enum AuthenticationPolicy: Sendable {
    /// Nothing: `authorization` is not looked at.
    case off
    /// A client certificate, or a well-formed, recent ES256 token of any key.
    case any
    /// A client certificate, or a recent ES256 token of the verifier's key.
    case publicKey(ProviderTokenVerifier)

    /// What checks a token's form and signature.
    var verifier: ProviderTokenVerifier {
        switch self {
        case .off, .any: ProviderTokenVerifier()
        case .publicKey(let verifier): verifier
        }
    }
}
