import PushModel
import Testing

@testable import PushCrypto

/// What a device refuses, with the SDK's codes (contract 3.2).
@Suite(.timeLimit(.minutes(5))) struct ContentOpenerTests {
    private let pair: RSAKeyPair
    private let sealed: Sealed
    private let opener: ContentOpener
    private static let plaintext = Array(#"{"alertTitle":"Hej","alertBody":"Åäö 🎉"}"#.utf8)

    init() throws {
        pair = try TestPairs.pair(0)
        let keys = PublicKeyStore()
        let key = SealingKey(index: keys.add(pair.publicKey), padding: .oaepSHA256)
        sealed = try Sealed(Self.plaintext, ContentSealer(keys: keys), SealingRequest(key: key))
        opener = ContentOpener(keys: [pair])
    }

    private func refusal(
        secret: [UInt8]? = nil,
        content: [UInt8]? = nil,
        opener: ContentOpener? = nil
    ) -> OpenFailure? {
        let secret = secret ?? sealed.secret
        let content = content ?? sealed.content
        let opener = opener ?? self.opener
        do throws(OpenFailure) {
            _ = try opener.open(secret: secret.span.bytes, content: content.span.bytes)
            return nil
        } catch { return error }
    }

    /// A secret of any bytes, wrapped with the padding of a sealer.
    private func secret(_ bytes: [UInt8], _ padding: WrapPadding) throws -> [UInt8] {
        try Foreign.wrap(bytes, for: pair, padding: padding)
    }

    @Test func damagedBase64IsNamedByItsField() {
        #expect(refusal(secret: sealed.secret.dropLast() + [0x2A]) == .secretNotBase64)
        #expect(refusal(secret: Array(sealed.secret.dropLast(1))) == .secretNotBase64)
        #expect(refusal(secret: sealed.secret + [0x0A]) == .secretNotBase64)
        #expect(refusal(content: sealed.content + [0x0A]) == .contentNotBase64)
        #expect(refusal(content: Array(sealed.content.dropLast(1))) == .contentNotBase64)
        #expect(refusal(content: [0x2D, 0x5F] + sealed.content.dropFirst(2)) == .contentNotBase64)
    }

    @Test func truncatedContentDoesNotOpen() {
        #expect(refusal(content: []) == .contentNotOpened)
        // A whole group of base64 less: no whole blocks are left.
        #expect(refusal(content: Array(sealed.content.dropLast(4))) == .contentNotOpened)
    }

    @Test func secretsThatDoNotFitAreNamed() throws {
        #expect(refusal(secret: []) == .secretNotOpened)
        #expect(refusal(secret: Array("AAAA".utf8)) == .secretNotOpened)
        #expect(refusal(secret: try secret(Array(1...31), .oaepSHA256)) == .secretLength(31))
        #expect(refusal(secret: try secret(Array(1...31), .pkcs1)) == .secretLength(31))
        #expect(refusal(secret: try secret([], .oaepSHA256)) == .secretLength(0))
        #expect(refusal(secret: try secret(Array(1...33), .oaepSHA256)) == .secretLength(33))
    }

    @Test func aRightSecretForOtherContentDoesNotOpenIt() throws {
        // One in 256 keys yields padding by chance: some of several is refused.
        let failures = try (0..<8).map { number in
            refusal(secret: try secret([UInt8](repeating: number, count: 32), .oaepSHA256))
        }
        #expect(failures.contains(.contentNotOpened))
        #expect(failures.allSatisfy { $0 == .contentNotOpened || $0 == .contentNotUnicode })
    }

    @Test func anotherKeyOrNoneDoesNotOpen() throws {
        let other = ContentOpener(keys: [try TestPairs.pair(1)])
        let failure = try #require(refusal(opener: other))
        // A library with implicit rejection answers with random bytes, of some other length.
        #expect([-1009, -1011].contains(failure.code))
        #expect(refusal(opener: ContentOpener(keys: [])) == .noPrivateKey)
    }

    @Test func textThatIsNotUnicodeIsNamed() throws {
        let keys = PublicKeyStore()
        let key = SealingKey(index: keys.add(pair.publicKey), padding: .pkcs1)
        let sealed = try Sealed([0xFF, 0xFE], ContentSealer(keys: keys), SealingRequest(key: key))
        #expect(refusal(secret: sealed.secret, content: sealed.content) == .contentNotUnicode)
    }

    /// Any damage is refused or changes nothing but text; nothing crashes.
    @Test(arguments: [UInt64(7), 8])
    func damageIsNeverACrash(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<60 {
            var secret = sealed.secret
            var content = sealed.content
            if Bool.random(using: &generator) {
                secret[Int.random(in: 0..<secret.count, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                content[Int.random(in: 0..<content.count, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                content.removeLast(Int.random(in: 0...content.count, using: &generator))
            }
            let failure = refusal(secret: secret, content: content)
            if secret == sealed.secret, content == sealed.content { #expect(failure == nil) }
            if let failure { #expect((-1011 ... -1007).contains(failure.code)) }
        }
    }

    @Test func readsEveryFormOfPrivateKeyFile() throws {
        let second = try TestPairs.pair(1)
        let many = second.privateKeyPEM + Array("\ncomment\n".utf8) + pair.privateKeyPEM
        let opener = try ContentOpener(pem: many, source: "keys.pem")
        #expect(opener.keyCount == 2)
        #expect(opener.keyIndex(for: pair.publicKey) == 1)
        #expect(opener.keyIndex(for: second.publicKey) == 0)
        #expect(opener.keyIndex(for: try TestPairs.pair(2).publicKey) == nil)
        let opened = try opener.open(
            secret: sealed.secret.span.bytes,
            content: sealed.content.span.bytes
        )
        #expect(opened.plaintext == Self.plaintext)
        #expect(opened.keyIndex == 1)
        let old = try ContentOpener(pem: Array(Foreign.pkcs1PEM(of: pair).utf8), source: "old.pem")
        #expect(old.keyIndex(for: pair.publicKey) == 0)
    }

    @Test(arguments: [
        ("", CryptoError.noRSAPrivateKey(source: "keys.pem")),
        ("nothing", .noRSAPrivateKey(source: "keys.pem")),
        (TestKeys.rsaPublic, .noRSAPrivateKey(source: "keys.pem")),
        (TestKeys.encryptedPKCS8, .encryptedPrivateKey(source: "keys.pem")),
        (
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            .damagedPrivateKey(source: "keys.pem", number: 1)
        ),
        (TestKeys.p256, .notRSA2048(source: "keys.pem", reason: PublicKeyFault.notRSA.description)),
    ])
    func refusesAnUnusablePrivateKey(pem: String, expected: CryptoError) {
        #expect(throws: expected) { try ContentOpener(pem: Array(pem.utf8), source: "keys.pem") }
        #expect(expected.description.hasSuffix("."))
    }

    @Test func namesAFileThatIsNotThere() {
        #expect(throws: CryptoError.self) { try ContentOpener(file: "/nonexistent/keys.pem") }
    }
}
