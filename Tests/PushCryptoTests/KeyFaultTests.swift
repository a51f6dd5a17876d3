import PushCrypto
import Testing

@Suite struct KeyFaultTests {
    private static let source = "the authentication key"

    @Test(arguments: [
        (TestKeys.p384, CryptoError.notP256(source: source, found: "EC on secp384r1")),
        (TestKeys.ed25519, .notP256(source: source, found: "ED25519")),
        (TestKeys.encryptedPKCS8, .encryptedPrivateKey(source: source)),
        (TestKeys.encryptedSEC1, .encryptedPrivateKey(source: source)),
        (TestKeys.rsaPublic, .noPrivateKey(source: source)),
        ("", .noPrivateKey(source: source)),
        ("not a key", .noPrivateKey(source: source)),
        (
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            .noPrivateKey(source: source)
        ),
    ])
    func refusesAnUnusablePrivateKey(pem: String, expected: CryptoError) {
        #expect(throws: expected) {
            try ProviderTokenSigner(
                pem: Array(pem.utf8),
                keyID: "KEY1234567",
                teamID: "TEAM123456"
            )
        }
    }

    @Test(arguments: [
        (TestKeys.rsaPublic, CryptoError.notP256(source: "the key", found: "RSA")),
        (TestKeys.p256, .noPublicKey(source: "the key")),
        ("", .noPublicKey(source: "the key")),
    ])
    func refusesAnUnusablePublicKey(pem: String, expected: CryptoError) {
        #expect(throws: expected) {
            try ProviderTokenVerifier(publicKeyPEM: Array(pem.utf8))
        }
    }

    @Test(arguments: ["", "SHORT", "ELEVENCHARS", "KEY 123456", "KEY\"123456", "KEYÄ12345"])
    func refusesAKeyIDThatIsNone(keyID: String) {
        #expect(throws: CryptoError.invalidIdentifier(name: "key id", value: keyID)) {
            try ProviderTokenSigner.generate(keyID: keyID, teamID: "TEAM123456")
        }
        #expect(throws: CryptoError.invalidIdentifier(name: "team id", value: keyID)) {
            try ProviderTokenSigner.generate(keyID: "KEY1234567", teamID: keyID)
        }
    }

    @Test func namesAFileThatIsNotThere() {
        let path = "/nonexistent/AuthKey.p8"
        let error = #expect(throws: CryptoError.self) {
            try ProviderTokenSigner(p8File: path, keyID: "KEY1234567", teamID: "TEAM123456")
        }
        guard case .unreadableFile(path, let reason) = error else {
            Issue.record("unexpected error: \(String(describing: error))")
            return
        }
        #expect(reason.contains("No such file or directory"))
    }

    @Test(arguments: [
        CryptoError.unreadableFile(path: "a.p8", reason: "b"), .noPrivateKey(source: "a.p8"),
        .noPublicKey(source: "a.pem"), .encryptedPrivateKey(source: "a.p8"),
        .notP256(source: "a.p8", found: "RSA"), .invalidIdentifier(name: "key id", value: "x"),
        .openSSL(purpose: "sign", detail: "no"),
    ])
    func describesEachErrorInOneSentence(error: CryptoError) {
        let text = error.description
        #expect(text.hasSuffix("."))
        #expect(!text.contains("\n"))
        #expect(text.first?.isUppercase == true || text.hasPrefix("a."))
    }
}
