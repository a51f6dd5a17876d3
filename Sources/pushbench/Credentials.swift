import Foundation
import NetIO
import PushCrypto
import Results

/// What proves the sender: a provider token or a client certificate.
struct Credentials {
    /// What signs provider tokens; nil with a certificate.
    let signer: ProviderTokenSigner?
    /// The `authorization` value; nil with a certificate.
    let authorization: String?
    /// The client certificate; nil with a token.
    let identity: TLSIdentity?
    /// Whether the token is signed by a key that was made for this run: a mock takes it.
    let isThrowAway: Bool

    /// The kind, for the result: rates with and without a token cannot be compared.
    var kind: String { identity == nil ? "token" : "certificate" }

    private static let tokenFlags = ["auth-key", "key-id", "team-id"]
    private static let certificateFlags = ["cert", "cert-key", "cert-password-file"]

    /// Whether the flags name a key or a certificate.
    static func areGiven(_ arguments: Arguments) -> Bool {
        (tokenFlags + certificateFlags).contains(where: arguments.has)
    }

    /// Whether the flags name a client certificate.
    static func haveCertificate(_ arguments: Arguments) -> Bool {
        certificateFlags.contains(where: arguments.has)
    }

    /// Reads what the flags name; without them a token of a throw-away key, which a mock takes.
    init(_ arguments: Arguments) throws {
        let hasKey = Self.tokenFlags.contains(where: arguments.has)
        let hasCertificate = Self.haveCertificate(arguments)
        if hasKey, hasCertificate {
            throw UsageError("--auth-key and --cert exclude each other: give one of them.")
        }
        isThrowAway = !hasKey && !hasCertificate
        if hasCertificate {
            identity = try Self.certificate(arguments)
            signer = nil
            authorization = nil
        } else {
            let signer =
                hasKey
                ? try Self.signer(arguments)
                : try ProviderTokenSigner.generate(keyID: "PUSHBENCH0", teamID: "PUSHBENCH0")
            let token = try signer.makeToken(issuedAt: Int64(Date().timeIntervalSince1970))
            self.signer = signer
            authorization = "bearer \(token)"
            identity = nil
        }
    }

    // MARK: - Keys of provider tokens

    private static func signer(_ arguments: Arguments) throws -> ProviderTokenSigner {
        guard let file = arguments["auth-key"], let teamID = arguments["team-id"] else {
            throw UsageError(
                "--auth-key and --team-id go together: give both, and --key-id unless the file is "
                    + "called AuthKey_KEYID.p8."
            )
        }
        guard let keyID = arguments["key-id"] ?? keyID(inNameOf: file) else {
            throw UsageError(
                "--key-id is missing, and the file \(file) is not called AuthKey_KEYID.p8: give the "
                    + "key's 10 characters."
            )
        }
        try InputFile.check(file, what: "key file")
        do {
            return try ProviderTokenSigner(p8File: file, keyID: keyID, teamID: teamID)
        } catch { throw CommandFault(.invalidInput, error.description) }
    }

    /// The key id in the name that Apple gives a key's file: AuthKey_ABCDE12345.p8.
    private static func keyID(inNameOf path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let id = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
        let isID =
            id.utf8.count == 10 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isID ? String(id) : nil
    }

    // MARK: - Certificates

    private static func certificate(_ arguments: Arguments) throws -> TLSIdentity {
        guard let file = arguments["cert"] else {
            throw UsageError("--cert-key and --cert-password-file go with --cert: give it too.")
        }
        try InputFile.check(file, what: "certificate file")
        try InputFile.check(arguments["cert-key"], what: "key file")
        let isContainer = file.hasSuffix(".p12") || file.hasSuffix(".pfx")
        if isContainer, arguments.has("cert-key") {
            throw UsageError("--cert-key is for certificates in PEM: \(file) holds its own key.")
        }
        if !isContainer, arguments.has("cert-password-file") {
            throw UsageError(
                "--cert-password-file is for .p12 files: decrypt a PEM key with "
                    + "`openssl pkey -in KEY -out NEW`."
            )
        }
        do {
            let identity =
                isContainer
                ? try TLSIdentity.load(pkcs12File: file, password: password(arguments))
                : try TLSIdentity.load(
                    certificateFile: file,
                    keyFile: arguments["cert-key"] ?? file
                )
            try identity.checkValidity(path: file)
            return identity
        } catch let error as NetIOError {
            throw CommandFault(.invalidInput, error.description)
        }
    }

    /// The first line of the password file.
    private static func password(_ arguments: Arguments) throws -> String {
        guard let path = arguments["cert-password-file"] else { return "" }
        let bytes = try InputFile.bytes(path, what: "password file")
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
    }
}
