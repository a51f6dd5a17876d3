import COpenSSL
import PushModel
import Testing

@testable import PushCrypto

/// The known answers of contract 3.4 and 3.5.
@Suite struct SealingVectorTests {
    private static let secret: [UInt8] =
        Array(0x00...0x0F as ClosedRange<UInt8>) + Array(0x10...0x1F as ClosedRange<UInt8>)

    @Test(arguments: [
        (
            #"{"alertTitle":"T","alertBody":"B"}"#,
            "hOEex5yEbA43qO1P784lxkaJX+UomK8ufCBvfmAEZjwJsppjkw3mK8ct82dpqG31"
        ),
        (
            #"{"oid":"00DAA0000000001AAA","uid":"005AA0000000001AAA","nid":"00112233445566778899aabbccddeeff","type":-1,"sid":"003AA0000000001AAA","cid":"all","notifType":"0MLAA000000001","alertTitle":"Hej","alertBody":"Åäö 🎉"}"#,
            "VfIRiMUhBMv/YAZDxmYaoXgye1qxBYak4huCSnXeLFZv07aaqbbflavGGLurbrDqigWm1PyIj1T10YjzsWgCOnF1yPAu0TmTTdHEFI2/WsE9EglpOwUSLv6WYo3E8cMuDUVVup+Zl/oa1DMSh7ekEQF7oUt1hPsjdxlxnnV++VNVa6yv0vl+V7/AIGXYNLrIDCVGXsOsDLJUIGtay7aw6u2s93vaDjAgwXCg+JA/atQgwOlQcoXYKzM+Ywb85kFB9P+sxoJgKZ8o74RT84SLTid69+xozNRcdEERc8CHZ/E="
        ),
    ])
    func contentUnderTheGivenKeyIsTheKnownAnswer(plaintext: String, expected: String) throws {
        let count = SealedSizes.cipherByteCount(plaintext: plaintext.utf8.count)
        var bytes = Array(plaintext.utf8)
        let padding = count - bytes.count
        bytes += [UInt8](repeating: UInt8(padding), count: padding)
        try ContentCipher().encrypt(&bytes, count: count, secret: Self.secret)
        var text = [UInt8](repeating: 0, count: SealedSizes.base64Count(count))
        Base64.encode(bytes, count: count, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == expected)
        #expect(
            SealedSizes.contentBase64Count(plaintext: plaintext.utf8.count) == expected.utf8.count
        )
    }

    @Test func theLargestPlaintextThatFitsIsTheContracts() {
        #expect(492 + SealedSizes.contentBase64Count(plaintext: 2687) == 4076)
        #expect(492 + SealedSizes.contentBase64Count(plaintext: 2688) == 4100)
        #expect(SealedSizes.base64Count(SealedSizes.wrappedCount) == 344)
    }
}
