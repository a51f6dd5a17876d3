import PushCrypto

/// A provider token (JSON web token) as far as its form goes (contract 1.4): not yet trusted.
struct ProviderToken {
    /// Characters of a key id and of a team id.
    static let identifierLength = 10

    /// `iss`, the team.
    let team: [UInt8]
    /// `iat`, seconds since the epoch.
    let issuedAt: Int64
    /// r and s.
    let signature: [UInt8]
    /// How many of the token's bytes the signature covers, from the first.
    let signedByteCount: Int

    /// Reads `text`; nil where it is not three parts of base64url, a header with `alg` ES256 and
    /// a `kid` of ten characters, claims with an `iss` of ten characters and an `iat` in seconds,
    /// and 64 bytes of signature.
    init?(_ text: RawSpan) {
        var dots: [Int] = []
        for offset in text.byteOffsets
        where text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == UInt8(ascii: ".") {
            dots.append(offset)
            if dots.count > 2 { return nil }
        }
        guard dots.count == 2,
            let headerText = Base64URL.decode(text.extracting(0..<dots[0])),
            let claimsText = Base64URL.decode(text.extracting(dots[0] + 1..<dots[1])),
            let signature = Base64URL.decode(text.extracting(dots[1] + 1..<text.byteCount)),
            signature.count == ES256PublicKey.signatureBytes,
            let header = FlatJSONObject(headerText),
            let claims = FlatJSONObject(claimsText),
            header["alg"] == .string(Array("ES256".utf8)),
            Self.identifier(header["kid"]) != nil,
            let team = Self.identifier(claims["iss"]),
            let issuedAt = Self.seconds(claims["iat"])
        else { return nil }
        self.team = team
        self.issuedAt = issuedAt
        self.signature = signature
        signedByteCount = dots[1]
    }

    private static func identifier(_ value: FlatJSONObject.Value?) -> [UInt8]? {
        guard case .string(let bytes) = value, bytes.count == identifierLength else { return nil }
        let isAlphanumeric = bytes.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        return isAlphanumeric ? bytes : nil
    }

    /// The whole seconds of a number without exponent; a fraction is cut off.
    private static func seconds(_ value: FlatJSONObject.Value?) -> Int64? {
        guard case .bare(let bytes) = value else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count) else { return nil }
        for part in parts {
            guard !part.isEmpty, part.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        }
        return Int64(String(decoding: parts[0], as: UTF8.self))
    }
}
