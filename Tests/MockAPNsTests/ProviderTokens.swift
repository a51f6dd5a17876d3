import MockAPNs
import PushCrypto
import PushModel

/// Makes provider tokens, right ones and wrong ones.
struct ProviderTokens {
    private let signer: ProviderTokenSigner

    init(keyID: String = "KEY1234567") throws {
        signer = try .generate(keyID: keyID, teamID: "TEAM123456")
    }

    /// The policy that takes this key's tokens alone.
    func policy() throws -> AuthenticationPolicy { .keys([try key()]) }

    /// This key as the mock knows it.
    func key(for environment: APNsEnvironment? = nil) throws -> ProviderKey {
        let pem = Array(signer.publicKeyPEM.utf8)
        return ProviderKey(
            verifier: try ProviderTokenVerifier(publicKeyPEM: pem),
            environment: environment
        )
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
