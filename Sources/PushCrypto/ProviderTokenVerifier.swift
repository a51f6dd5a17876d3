import FlatJSON

/// What a ``ProviderTokenVerifier`` finds.
public enum ProviderTokenVerdict: Equatable, Sendable {
    /// Well-formed and, where a key is known, rightly signed. Whether `issuedAt`, in seconds since
    /// 1970, is recent enough is the caller's to judge.
    case valid(keyID: String, teamID: String, issuedAt: Int64)
    /// Not an ES256 token as APNs takes it.
    case malformed
    /// Well-formed, but signed by another key.
    case badSignature
}

/// Checks APNs provider tokens (contract 1.4).
///
/// May be used by several threads at once.
public struct ProviderTokenVerifier: Sendable {
    private let key: P256Key?

    /// Makes a verifier that takes tokens of any key: their signature must only have the right
    /// length.
    public init() { key = nil }

    /// Makes a verifier that takes tokens of one key.
    ///
    /// - Parameter publicKeyPEM: The bytes of the public key in PEM.
    /// - Throws: ``CryptoError``.
    public init(publicKeyPEM: [UInt8]) throws(CryptoError) {
        key = try P256Key.publicKey(pem: publicKeyPEM, source: "the key")
    }

    /// Checks a token.
    ///
    /// - Parameter token: What stands after `bearer `.
    /// - Returns: The verdict.
    public func verify(_ token: String) -> ProviderTokenVerdict {
        verify(Array(token.utf8).span.bytes)
    }

    /// Checks a token.
    ///
    /// - Parameter token: The bytes that stand after `bearer `.
    /// - Returns: The verdict.
    public func verify(_ token: RawSpan) -> ProviderTokenVerdict {
        // No token of APNs comes near this; it bounds what a peer can make us do.
        guard token.byteCount <= 4096, let dots = Self.dots(in: token) else { return .malformed }
        let (first, second) = dots
        guard let header = Base64URL.decode(token.extracting(0..<first)),
            let claims = Base64URL.decode(token.extracting(first + 1..<second)),
            let signature = Base64URL.decode(token.extracting(second + 1..<token.byteCount)),
            signature.count == P256Key.signatureCount,
            let fields = FlatJSON.members(of: header.span.bytes, named: ["alg", "kid"]),
            let statements = FlatJSON.members(of: claims.span.bytes, named: ["iss", "iat"]),
            fields[0] == .string("ES256"),
            case .string(let keyID) = fields[1], isAppleIdentifier(keyID.utf8),
            case .string(let teamID) = statements[0], isAppleIdentifier(teamID.utf8),
            let issuedAt = Self.seconds(statements[1])
        else { return .malformed }
        if let key {
            let message = token.extracting(0..<second).withUnsafeBytes { Array($0) }
            guard key.isValid(signature: signature, of: message) else { return .badSignature }
        }
        return .valid(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
    }

    /// A JSON number as whole seconds: JWT libraries write fractions too (RFC 7519 section 2).
    private static func seconds(_ claim: FlatJSON.Member) -> Int64? {
        switch claim {
        case .integer(let seconds) where seconds.magnitude < 1 << 53: seconds
        case .double(let seconds) where seconds.magnitude < 0x1p53: Int64(seconds)
        default: nil
        }
    }

    /// Where the two dots stand; nil where there are fewer or more.
    private static func dots(in token: RawSpan) -> (Int, Int)? {
        var first: Int?
        var second: Int?
        for index in 0..<token.byteCount
        where token.unsafeLoad(fromByteOffset: index, as: UInt8.self) == UInt8(ascii: ".") {
            guard second == nil else { return nil }
            if first == nil { first = index } else { second = index }
        }
        guard let first, let second else { return nil }
        return (first, second)
    }
}
