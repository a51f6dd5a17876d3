import MockAPNs
import PushCrypto

/// Makes provider tokens, right ones and wrong ones.
struct ProviderTokens {
    private let signer: ProviderTokenSigner

    init() throws { signer = try .generate(keyID: "KEY1234567", teamID: "TEAM123456") }

    /// The policy that takes this key's tokens alone.
    func policy() throws -> AuthenticationPolicy {
        .publicKey(try ProviderTokenVerifier(publicKeyPEM: Array(signer.publicKeyPEM.utf8)))
    }

    /// The value of `authorization` with a token of this key.
    func authorization(issuedAt: Int64) throws -> String {
        try "bearer " + signer.makeToken(issuedAt: issuedAt)
    }

    /// The value of `authorization` with a token of another team, of this key.
    func authorization(issuedAt: Int64, team: String) throws -> String {
        let other = try ProviderTokenSigner(
            pem: Array(signer.privateKeyPEM.utf8),
            keyID: signer.keyID,
            teamID: team
        )
        return try "bearer " + other.makeToken(issuedAt: issuedAt)
    }

    /// A token whose form is right only if header and claims are; its signature is made up.
    static func unsigned(header: String, claims: String) -> String {
        let parts = [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 7, count: 64)]
        return parts.map(Base64URL.encode).joined(separator: ".")
    }
}
