import CJSON
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
    /// a `kid` of ten letters or digits, claims with such an `iss` and an integer `iat`, and 64
    /// bytes of signature. Members that come twice count as missing.
    init?(_ text: RawSpan) {
        var dots: [Int] = []
        for offset in text.byteOffsets
        where text.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == UInt8(ascii: ".") {
            dots.append(offset)
            if dots.count > 2 { return nil }
        }
        guard dots.count == 2,
            let header = Base64URL.decode(text.extracting(0..<dots[0])),
            let claims = Base64URL.decode(text.extracting(dots[0] + 1..<dots[1])),
            let signature = Base64URL.decode(text.extracting(dots[1] + 1..<text.byteCount)),
            signature.count == ES256PublicKey.signatureBytes,
            Self.string(named: "alg", in: header) == Array("ES256".utf8),
            Self.identifier(named: "kid", in: header) != nil,
            let team = Self.identifier(named: "iss", in: claims),
            let issuedAt = Self.integer(named: "iat", in: claims)
        else { return nil }
        self.team = team
        self.issuedAt = issuedAt
        self.signature = signature
        signedByteCount = dots[1]
    }

    private static func identifier(named name: StaticString, in object: [UInt8]) -> [UInt8]? {
        guard let text = string(named: name, in: object), text.count == identifierLength else {
            return nil
        }
        let isAlphanumeric = text.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        return isAlphanumeric ? text : nil
    }

    private static func string(named name: StaticString, in object: [UInt8]) -> [UInt8]? {
        withMember(named: name, in: object) { member in
            guard member.kind == CPS_JSON_MEMBER_STRING else { return nil }
            return Array(UnsafeRawBufferPointer(start: member.text, count: member.length))
        }
    }

    private static func integer(named name: StaticString, in object: [UInt8]) -> Int64? {
        withMember(named: name, in: object) { member in
            member.kind == CPS_JSON_MEMBER_INTEGER ? member.integer : nil
        }
    }

    private static func withMember<R>(
        named name: StaticString,
        in object: [UInt8],
        _ use: (cps_json_member) -> R?
    ) -> R? {
        var member = cps_json_member()
        let status = name.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var wanted = cps_json_name(text: text.baseAddress, length: text.count)
                return cps_json_object_read(object, object.count, &wanted, 1, &member)
            }
        }
        guard status == CPS_JSON_OBJECT_OK, !member.is_repeated else { return nil }
        return use(member)
    }
}
