import Foundation
import NetIO
import PushCrypto
import Results

/// What proves the sender: a provider token or a client certificate.
struct Credentials {
    /// The `authorization` value; nil with a certificate.
    let authorization: String?
    /// The client certificate; nil with a token.
    let identity: TLSIdentity?

    /// The kind, for the result: rates with and without a token cannot be compared.
    var kind: String { identity == nil ? "token" : "certificate" }

    private static let tokenFlags = ["auth-key", "key-id", "team-id"]
    private static let certificateFlags = ["cert", "cert-key", "cert-password-file"]

    /// Reads what the flags name; without them a token of a throw-away key, which a mock takes.
    init(_ arguments: Arguments) throws {
        let hasKey = Self.tokenFlags.contains(where: arguments.has)
        let hasCertificate = Self.certificateFlags.contains(where: arguments.has)
        if hasKey, hasCertificate {
            throw UsageError("--auth-key and --cert exclude each other: give one of them.")
        }
        if hasCertificate {
            identity = try Self.certificate(arguments)
            authorization = nil
        } else {
            let signer =
                hasKey
                ? try Self.signer(arguments)
                : try ProviderTokenSigner.generate(keyID: "PUSHBENCH0", teamID: "PUSHBENCH0")
            let token = try signer.makeToken(issuedAt: Int64(Date().timeIntervalSince1970))
            authorization = "bearer \(token)"
            identity = nil
        }
    }

    private static func signer(_ arguments: Arguments) throws -> ProviderTokenSigner {
        guard let file = arguments["auth-key"], let keyID = arguments["key-id"],
            let teamID = arguments["team-id"]
        else { throw UsageError("--auth-key, --key-id and --team-id go together: give all three.") }
        try InputFile.check(file, what: "key file")
        do {
            return try ProviderTokenSigner(p8File: file, keyID: keyID, teamID: teamID)
        } catch { throw CommandFault(.invalidInput, error.description) }
    }

    private static func certificate(_ arguments: Arguments) throws -> TLSIdentity {
        guard let file = arguments["cert"] else {
            throw UsageError("--cert-key and --cert-password-file go with --cert: give it too.")
        }
        try InputFile.check(file, what: "certificate file")
        try InputFile.check(arguments["cert-key"], what: "key file")
        do {
            if file.hasSuffix(".p12") || file.hasSuffix(".pfx") {
                let password = try arguments["cert-password-file"].map { path in
                    let bytes = try InputFile.bytes(path, what: "password file")
                    return String(decoding: bytes, as: UTF8.self)
                        .trimmingCharacters(in: .newlines)
                }
                return try TLSIdentity.load(pkcs12File: file, password: password ?? "")
            }
            return try TLSIdentity.load(
                certificateFile: file,
                keyFile: arguments["cert-key"] ?? file
            )
        } catch let error as NetIOError {
            throw CommandFault(.invalidInput, error.description)
        }
    }
}
