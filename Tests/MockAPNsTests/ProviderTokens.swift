import Foundation
import PushCrypto

/// Makes provider tokens, right ones and wrong ones.
struct ProviderTokens {
    let key: ES256PrivateKey

    init() throws { key = try ES256PrivateKey() }

    /// A token signed by the key.
    func token(
        issuedAt: Int64,
        team: String = "TEAM123456",
        header: String = #"{"alg":"ES256","kid":"KEY1234567"}"#,
        claims: String? = nil
    ) throws -> String {
        let claims = claims ?? #"{"iss":"\#(team)","iat":\#(issuedAt)}"#
        let signed = Self.encode(Array(header.utf8)) + "." + Self.encode(Array(claims.utf8))
        let signature = try key.signature(of: Array(signed.utf8).span.bytes)
        return signed + "." + Self.encode(signature)
    }

    /// The value of `authorization` for ``token(issuedAt:team:header:claims:)``.
    func authorization(issuedAt: Int64, team: String = "TEAM123456") throws -> String {
        try "bearer " + token(issuedAt: issuedAt, team: team)
    }

    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
