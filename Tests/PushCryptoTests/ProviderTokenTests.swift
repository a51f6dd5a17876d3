import Testing

@testable import PushCrypto

@Suite struct ProviderTokenTests {
    private static let now: Int64 = 1_700_000_000

    @Test func tokenHasTheCompactFormOfTheContract() throws {
        let signer = try makeSigner()
        let token = try signer.makeToken(issuedAt: Self.now)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(decoded(parts[0]) == #"{"alg":"ES256","kid":"KEY1234567"}"#)
        #expect(decoded(parts[1]) == #"{"iss":"TEAM123456","iat":1700000000}"#)
        #expect(parts[2].utf8.count == 86)
    }

    @Test func ownTokenIsValidUnderItsPublicKey() throws {
        let signer = try ProviderTokenSigner.generate(keyID: "KEY1234567", teamID: "TEAM123456")
        let verifier = try ProviderTokenVerifier(publicKeyPEM: Array(signer.publicKeyPEM.utf8))
        let token = try signer.makeToken(issuedAt: Self.now)
        let expected = ProviderTokenVerdict.valid(
            keyID: "KEY1234567",
            teamID: "TEAM123456",
            issuedAt: Self.now
        )
        #expect(verifier.verify(token) == expected)
        #expect(ProviderTokenVerifier().verify(token) == expected)
    }

    @Test func aWrittenKeySignsForTheSamePublicKey() throws {
        let first = try ProviderTokenSigner.generate(keyID: "KEY1234567", teamID: "TEAM123456")
        let second = try ProviderTokenSigner(
            pem: Array(first.privateKeyPEM.utf8),
            keyID: "KEY1234567",
            teamID: "TEAM123456"
        )
        #expect(first.publicKeyPEM == second.publicKeyPEM)
    }

    @Test func bothPEMFormsOfAKeyAreTheSameKey() throws {
        let pkcs8 = try makeSigner(TestKeys.p256)
        let sec1 = try makeSigner(TestKeys.p256SEC1)
        let windows = try makeSigner(
            TestKeys.p256.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
        )
        #expect(pkcs8.publicKeyPEM == sec1.publicKeyPEM)
        #expect(pkcs8.publicKeyPEM == windows.publicKeyPEM)
    }

    @Test func tokenOfAnotherKeyHasABadSignature() throws {
        let other = try ProviderTokenSigner.generate(keyID: "KEY1234567", teamID: "TEAM123456")
        let token = try makeSigner().makeToken(issuedAt: Self.now)
        let verifier = try ProviderTokenVerifier(publicKeyPEM: Array(other.publicKeyPEM.utf8))
        #expect(verifier.verify(token) == .badSignature)
        guard case .valid = ProviderTokenVerifier().verify(token) else {
            Issue.record("a verifier of any key looks at the structure alone")
            return
        }
    }

    @Test func changedClaimsHaveABadSignature() throws {
        let signer = try makeSigner()
        let verifier = try ProviderTokenVerifier(publicKeyPEM: Array(signer.publicKeyPEM.utf8))
        let parts = try signer.makeToken(issuedAt: Self.now).split(separator: ".")
        let later = encoded(#"{"iss":"TEAM123456","iat":1700009999}"#)
        #expect(verifier.verify("\(parts[0]).\(later).\(parts[2])") == .badSignature)
    }

    /// Apple's printed sample has three faults at once (contract 1.4); each alone must be refused.
    @Test(arguments: [
        // No alg.
        (#"{"kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        // iat as a string, in milliseconds or not.
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":"1700000000650"}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":"1700000000"}"#),
        // Other algorithms.
        (#"{"alg":"none","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"HS256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"es256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":256,"kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        // Ids that are missing or not ids.
        (#"{"alg":"ES256"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY123456"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"ES256","kid":1234567890}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM 12345","iat":1700000000}"#),
        // iat missing, null, true, out of range.
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456"}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":null}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":true}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1e400}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":9e18}"#),
        // Not one JSON object.
        (#"{"alg":"ES256","kid":"KEY1234567"} "#, #"{"iss":"TEAM123456","iat":1700000000}x"#),
        (#"{"alg":"ES256","alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1}"#),
        (#"{"alg":"ES256","kid":"KEY1234567",}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        ("", ""),
        ("[]", "[]"),
    ])
    func refusesAsMalformed(header: String, claims: String) throws {
        let token = try signed(header: header, claims: claims)
        #expect(ProviderTokenVerifier().verify(token) == .malformed)
        #expect(try ownVerifier().verify(token) == .malformed)
    }

    /// Other libraries' order, spaces, further fields and fractions of a second are fine.
    @Test(arguments: [
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (
            #"{ "kid" : "KEY1234567" , "alg" : "ES256" }"#,
            "{\n\"iat\":1700000000,\n\"iss\":\"TEAM123456\"}"
        ),
        (
            #"{"typ":"JWT","alg":"ES256","kid":"KEY1234567"}"#,
            #"{"iat":1700000000.75,"iss":"TEAM123456"}"#
        ),
        (#"{"alg":"\u0045S256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1.7e9}"#),
        (
            #"{"alg":"ES256","kid":"KEY1234567","x":[{"y":[null,true,-0.5e+3]}]}"#,
            #"{"iss":"TEAM123456","iat":1700000000,"note":"\ud83c\udf89 \"\\\/\b\f\n\r\t"}"#
        ),
    ])
    func acceptsOtherSpellings(header: String, claims: String) throws {
        let token = try signed(header: header, claims: claims)
        let expected = ProviderTokenVerdict.valid(
            keyID: "KEY1234567",
            teamID: "TEAM123456",
            issuedAt: Self.now
        )
        #expect(try ownVerifier().verify(token) == expected)
    }

    @Test func refusesADERSignatureAsMalformed() throws {
        let parts = try makeSigner().makeToken(issuedAt: Self.now).split(separator: ".")
        let raw = try #require(Base64URL.decode(String(parts[2])))
        // Both halves behind a zero byte: DER as OpenSSL and Apple's sample have it.
        let der = [0x30, 70, 0x02, 33, 0] + raw[..<32] + [0x02, 33, 0] + raw[32...]
        let token = "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))"
        #expect(ProviderTokenVerifier().verify(token) == .malformed)
    }

    @Test(arguments: ["", ".", "..", "...", "a.b.c", "bearer x.y.z", "🎉.🎉.🎉"])
    func refusesTextThatIsNoToken(text: String) {
        #expect(ProviderTokenVerifier().verify(text) == .malformed)
    }

    @Test func refusesATokenWithAFourthPartOrPadding() throws {
        let token = try makeSigner().makeToken(issuedAt: Self.now)
        #expect(ProviderTokenVerifier().verify(token + ".x") == .malformed)
        #expect(ProviderTokenVerifier().verify(token + "==") == .malformed)
        #expect(ProviderTokenVerifier().verify(" " + token) == .malformed)
    }

    @Test func refusesEveryTruncationOfAToken() throws {
        let token = try makeSigner().makeToken(issuedAt: Self.now)
        for count in 0..<token.utf8.count {
            #expect(ProviderTokenVerifier().verify(String(token.prefix(count))) == .malformed)
        }
    }

    @Test func refusesDeepNestingWithoutRunningOutOfStack() throws {
        let deep = String(repeating: "[", count: 1000)
        let token = try signed(
            header: #"{"alg":"ES256","kid":"KEY1234567","x":\#(deep)"#,
            claims: "{}"
        )
        #expect(ProviderTokenVerifier().verify(token) == .malformed)
    }

    private func makeSigner(_ pem: String = TestKeys.p256) throws -> ProviderTokenSigner {
        try ProviderTokenSigner(pem: Array(pem.utf8), keyID: "KEY1234567", teamID: "TEAM123456")
    }

    private func ownVerifier() throws -> ProviderTokenVerifier {
        try ProviderTokenVerifier(publicKeyPEM: Array(makeSigner().publicKeyPEM.utf8))
    }

    /// A rightly signed token of any header and claims.
    private func signed(header: String, claims: String) throws -> String {
        let key = try P256Key.privateKey(pem: Array(TestKeys.p256.utf8), source: "the test key")
        let input = encoded(header) + "." + encoded(claims)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }

    private func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    private func decoded(_ part: Substring) -> String? {
        Base64URL.decode(String(part)).map { String(decoding: $0, as: UTF8.self) }
    }
}
