import PushCrypto
import Testing

@Suite struct Base64URLTests {
    /// RFC 4648 section 10, without padding, and the two characters that differ from base64.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
        ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
    func encodesAndDecodesTheVectorsOfTheRFC(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(decode(text) == Array(plain.utf8))
    }

    @Test func usesTheURLSafeCharacters() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
        #expect(decode("-_-_") == [0xFB, 0xFF, 0xBF])
    }

    /// RFC 7515 appendix C.
    @Test func encodesTheExampleOfJWS() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    }

    @Test(arguments: ["A", "Zg==", "Zm 9v", "Zm9+", "Zm9/", "Zh", "Zm9", "Zm9vY\u{e9}"])
    func refusesWhatIsNotCanonical(text: String) {
        #expect(decode(text) == nil)
    }

    @Test func decodesWhatItEncodes() {
        for count in 0..<100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            #expect(decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    private func decode(_ text: String) -> [UInt8]? {
        Base64URL.decode(text)
    }
}
