import COpenSSL
import CShims
import Glibc

/// Makes APNs provider tokens: ES256 JSON Web Tokens of one key and team (contract 1.4).
///
/// May be used by several threads at once.
public final class ProviderTokenSigner: Sendable {
    /// The key's id, 10 characters.
    public let keyID: String
    /// The team's id, 10 characters.
    public let teamID: String
    private let key: P256Key

    private init(key: P256Key, keyID: String, teamID: String) throws(CryptoError) {
        guard isAppleIdentifier(keyID.utf8) else {
            throw .invalidIdentifier(name: "key id", value: keyID)
        }
        guard isAppleIdentifier(teamID.utf8) else {
            throw .invalidIdentifier(name: "team id", value: teamID)
        }
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Makes a signer from a key in PEM.
    ///
    /// - Parameters:
    ///   - pem: The bytes of a .p8 file.
    ///   - keyID: The key's id.
    ///   - teamID: The team's id.
    /// - Throws: ``CryptoError``.
    public convenience init(pem: [UInt8], keyID: String, teamID: String) throws(CryptoError) {
        let key = try P256Key.privateKey(pem: pem, source: "the authentication key")
        try self.init(key: key, keyID: keyID, teamID: teamID)
    }

    /// Makes a signer from a key file.
    ///
    /// - Parameters:
    ///   - p8File: The path of a .p8 file.
    ///   - keyID: The key's id.
    ///   - teamID: The team's id.
    /// - Throws: ``CryptoError``.
    public convenience init(p8File: String, keyID: String, teamID: String) throws(CryptoError) {
        let key = try P256Key.privateKey(pem: readFile(p8File), source: p8File)
        try self.init(key: key, keyID: keyID, teamID: teamID)
    }

    /// Makes a signer with a new key.
    ///
    /// - Parameters:
    ///   - keyID: The id that the tokens name.
    ///   - teamID: The team that the tokens name.
    /// - Returns: The signer.
    /// - Throws: ``CryptoError``.
    public static func generate(
        keyID: String,
        teamID: String
    ) throws(CryptoError) -> ProviderTokenSigner {
        try ProviderTokenSigner(key: .generate(), keyID: keyID, teamID: teamID)
    }

    /// The public key in PEM, for a ``ProviderTokenVerifier``.
    public var publicKeyPEM: String { key.publicKeyPEM }

    /// The private key in PEM, for a .p8 file: a secret.
    public var privateKeyPEM: String { key.privateKeyPEM }

    /// Makes a token.
    ///
    /// - Parameter unixSeconds: When it was issued, in seconds since 1970.
    /// - Returns: The compact form, which stands after `bearer ` in `authorization`.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)``.
    public func makeToken(issuedAt unixSeconds: Int64) throws(CryptoError) -> String {
        // The ids are letters and digits: nothing in here needs escaping.
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(unixSeconds)}"#
        let input =
            Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let signature = try key.sign(Array(input.utf8))
        return input + "." + Base64URL.encode(signature)
    }
}

/// Whether `text` is 10 ASCII letters or digits, as Apple's key and team ids are.
func isAppleIdentifier(_ text: some Collection<UInt8>) -> Bool {
    guard text.count == 10 else { return false }
    return text.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// The system's text for an errno value.
func systemErrorText(_ error: CInt) -> String {
    strerror(error).map { String(cString: $0) } ?? "error \(error)"
}

/// No key file is as long; it ends a device without an end.
private let longestKeyFile = 65_536

/// Reads a small file whole.
private func readFile(_ path: String) throws(CryptoError) -> [UInt8] {
    var error: CInt = 0
    guard let bio = cps_bio_open_file(path, longestKeyFile, &error) else {
        throw .unreadableFile(path: path, reason: systemErrorText(error))
    }
    defer { BIO_free(bio) }
    var bytes = [UInt8](repeating: 0, count: longestKeyFile)
    let count = BIO_read(bio, &bytes, CInt(bytes.count))
    return Array(bytes.prefix(max(0, Int(count))))
}
