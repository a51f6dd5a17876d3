import Testing

@testable import PushCrypto

@Suite struct P256KeyTests {
    /// RFC 7515 appendix A.3: an ES256 signature made by others.
    private static let input =
        "eyJhbGciOiJFUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    @Test func acceptsTheSignatureOfTheRFC() throws {
        let key = try exampleKey()
        let signature = try #require(Base64URL.decode(Self.signature))
        #expect(key.isValid(signature: signature, of: Array(Self.input.utf8)))
    }

    @Test func refusesASignatureWithAnyByteChanged() throws {
        let key = try exampleKey()
        let signature = try #require(Base64URL.decode(Self.signature))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.isValid(signature: changed, of: Array(Self.input.utf8)))
        }
    }

    @Test func refusesASignatureOverAnotherMessage() throws {
        let key = try exampleKey()
        let signature = try #require(Base64URL.decode(Self.signature))
        #expect(!key.isValid(signature: signature, of: Array((Self.input + "x").utf8)))
    }

    @Test(arguments: [
        [], [UInt8](repeating: 0, count: 63), [UInt8](repeating: 0, count: 65),
        [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64),
    ])
    func refusesSignaturesThatAreNone(signature: [UInt8]) throws {
        let key = try exampleKey()
        #expect(!key.isValid(signature: signature, of: Array(Self.input.utf8)))
    }

    @Test func signaturesAreAlwaysSixtyFourBytesAndValid() throws {
        let key = try P256Key.generate()
        // A DER signature's length varies with leading zeros: many are needed to meet short ones.
        for round in 0..<600 {
            let message = Array("message \(round)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.isValid(signature: signature, of: message))
        }
    }

    private func exampleKey() throws -> P256Key {
        try P256Key.publicKey(pem: Array(TestKeys.jwsExamplePublic.utf8), source: "the example")
    }
}
