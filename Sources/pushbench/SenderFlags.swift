import MockAPNs
import PushCrypto
import PushModel
import Results

/// The flag `--auth` of the mock: `off`, `any`, or key files with what binds their tokens.
enum SenderFlags {
    static let authHelp =
        "What proves a sender: nothing, a well-formed recent ES256 token of any key or a client "
        + "certificate (default), or a token signed by the key of this public key file. Give it once "
        + "for each key; FILE.pem,environment=E,key-id=K,team-id=T binds the key's tokens to these."

    /// What the mock asks of a sender.
    static func policy(_ values: [String]) throws -> AuthenticationPolicy {
        switch values {
        case [], ["any"]: return .any
        case ["off"]: return .off
        default:
            guard !values.contains("any"), !values.contains("off") else {
                throw UsageError("--auth off and --auth any go alone: give them without a key.")
            }
            return .keys(try values.map(key))
        }
    }

    private static func key(_ value: String) throws -> ProviderKey {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let path = parts[0]
        let key = ProviderKey(verifier: ProviderTokenVerifier())
        var bound = try parts.dropFirst().reduce(into: key) { try bind(&$0, by: $1, path: path) }
        let pem = try InputFile.bytes(path, what: "public key for --auth")
        do {
            bound.verifier = try ProviderTokenVerifier(publicKeyPEM: pem)
        } catch { throw CommandFault(.invalidInput, "--auth \(path): \(error)") }
        return bound
    }

    private static func bind(_ key: inout ProviderKey, by part: String, path: String) throws {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        switch (pair.first, pair.last) {
        case ("environment", let name?) where APNsEnvironment(rawValue: name) != nil:
            key.environment = APNsEnvironment(rawValue: name)
        case ("key-id", let id?) where id.utf8.count == 10: key.keyID = id
        case ("team-id", let id?) where id.utf8.count == 10: key.teamID = id
        default:
            throw UsageError(
                "--auth \(path): '\(part)' is not known: give environment=production, "
                    + "environment=sandbox, key-id=K or team-id=T, ids of 10 characters."
            )
        }
    }
}
