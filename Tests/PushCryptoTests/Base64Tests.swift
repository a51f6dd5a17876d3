import COpenSSL
import PushModel
import Testing

@testable import PushCrypto

@Suite struct Base64Tests {
    @Test func encodesEveryLengthAsOpenSSLDoes() {
        var generator = SplitMix64(seed: 9)
        for count in 0...300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let length = SealedSizes.base64Count(count)
            var expected = [UInt8](repeating: 0, count: length + 1)
            EVP_EncodeBlock(&expected, bytes, CInt(count))
            // A byte more than there is room for would change the last one.
            var text = [UInt8](repeating: 0, count: length + 1)
            Base64.encode(bytes, count: count, to: &text)
            #expect(text == expected)
            text.removeLast()
            let decoded = Base64.decodeStrictly(text.span.bytes)
            #expect(decoded == bytes)
        }
    }

    @Test func encodesEveryGroupOfBits() {
        // Each of the 64 digits in each of the four places.
        let bytes = (0..<64).flatMap { value in
            (0..<4).flatMap { place in
                let group = value << (18 - 6 * place)
                return [UInt8(group >> 16), UInt8(group >> 8 & 255), UInt8(group & 255)]
            }
        }
        var text = [UInt8](repeating: 0, count: bytes.count / 3 * 4)
        Base64.encode(bytes, count: bytes.count, to: &text)
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        )
        for value in 0..<64 {
            for place in 0..<4 { #expect(text[(value * 4 + place) * 4 + place] == alphabet[value]) }
        }
    }
}
