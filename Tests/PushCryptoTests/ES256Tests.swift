import PushCrypto
import Testing

/// ES256 with raw signatures (RFC 7518 section 3.4).
@Suite struct ES256Tests {
    // The key, input and signature of RFC 7515 appendix A.3, the key written as PEM.
    static let rfcPublicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """
    static let rfcInput =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let rfcSignature: [UInt8] = [
        14, 209, 33, 83, 121, 99, 108, 72, 60, 47, 127, 21, 88, 7, 212, 2, 163, 178, 40, 3, 58, 249,
        124, 126, 23, 129, 154, 195, 22, 158, 166, 101, 197, 10, 7, 211, 140, 60, 112, 229, 216,
        241, 45, 175, 8, 74, 84, 128, 166, 101, 144, 197, 242, 147, 80, 154, 143, 63, 127, 138, 131,
        163, 84, 213,
    ]

    private func verifies(_ key: ES256PublicKey, _ signature: [UInt8], _ text: String) -> Bool {
        key.verifies(signature: signature.span.bytes, of: Array(text.utf8).span.bytes)
    }

    @Test func verifiesTheExampleOfRFC7515() throws {
        let key = try ES256PublicKey(pem: Self.rfcPublicKey)
        #expect(verifies(key, Self.rfcSignature, Self.rfcInput))
        #expect(!verifies(key, Self.rfcSignature, Self.rfcInput + "x"))
        for index in Self.rfcSignature.indices {
            var changed = Self.rfcSignature
            changed[index] ^= 1
            #expect(!verifies(key, changed, Self.rfcInput))
        }
    }

    @Test(arguments: [0, 1, 63, 65, 128])
    func refusesASignatureOfAnotherLength(_ count: Int) throws {
        let key = try ES256PublicKey(pem: Self.rfcPublicKey)
        #expect(!verifies(key, [UInt8](repeating: 1, count: count), Self.rfcInput))
    }

    @Test func verifiesWhatItSigned() throws {
        let key = try ES256PrivateKey()
        let reread = try ES256PublicKey(pem: key.publicKeyPEM)
        for length in [0, 1, 100, 5000] {
            let text = String(repeating: "m", count: length)
            let signature = try key.signature(of: Array(text.utf8).span.bytes)
            #expect(signature.count == ES256PublicKey.signatureBytes)
            #expect(verifies(reread, signature, text))
            #expect(verifies(key.publicKey, signature, text))
            #expect(!verifies(try ES256PrivateKey().publicKey, signature, text))
        }
    }

    @Test(arguments: [
        "", "nonsense", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    ])
    func refusesATextThatIsNoKey(_ text: String) {
        #expect(throws: ES256KeyError.notPEM) { try ES256PublicKey(pem: text) }
        #expect(throws: ES256KeyError.notPEM) { try ES256PrivateKey(pem: text) }
    }
}
