import COpenSSL
import PushModel
import TestSupport
import Testing

@testable import PushCrypto

@Suite struct PublicKeyTests {
    private static func parse(_ text: String) throws(PublicKeyFault) -> PublicKey {
        try PublicKey(base64: Array(text.utf8).span.bytes)
    }

    private static func wrapped(_ text: String, at width: Int, by separator: String) -> String {
        var lines: [Substring] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            lines.append(rest.prefix(width))
            rest = rest.dropFirst(width)
        }
        return lines.joined(separator: separator) + separator
    }

    @Test(arguments: [
        PublicKeyTexts.exponent3,
        wrapped(PublicKeyTexts.exponent3, at: 64, by: "\n"),
        wrapped(PublicKeyTexts.exponent3, at: 64, by: "\r\n"),
        wrapped(PublicKeyTexts.exponent3, at: 1, by: " \t"),
        String(PublicKeyTexts.exponent3.dropLast(2)),
        String(PublicKeyTexts.exponent3.dropLast(1)),
        PublicKeyTexts.exponent3 + "===",
        "\n " + PublicKeyTexts.exponent3 + " \n",
    ])
    func everyWayToWriteAKeyIsTheSameKey(text: String) throws {
        let key = try Self.parse(text)
        let plain = try Self.parse(PublicKeyTexts.exponent3)
        #expect(key.exponent == 3)
        #expect(key.fingerprint == plain.fingerprint)
        #expect(Self.reference(Self.der(text)) == Reference(key))
    }

    private static let withPaddingInside: String =
        PublicKeyTexts.rsa2048.prefix(40) + "=" + PublicKeyTexts.rsa2048.dropFirst(40)

    private static let unusable: [(String, PublicKeyFault)] = [
        ("", PublicKeyFault.notSubjectPublicKeyInfo),
        ("MIIB", .notSubjectPublicKeyInfo),
        ("A", .notBase64),
        ("not a key!", .notBase64),
        (PublicKeyTexts.rsa2048.replacing("/", with: "_"), .notBase64),
        (PublicKeyTexts.rsa2048.replacing("+", with: "-"), .notBase64),
        (
            withPaddingInside,
            .notBase64
        ),
        (PublicKeyTexts.rsa2048 + PublicKeyTexts.rsa2048, .notSubjectPublicKeyInfo),
        (String(PublicKeyTexts.rsa2048.dropLast(4)), .notSubjectPublicKeyInfo),
        (PublicKeyTexts.rsa2048 + "AAAA", .notSubjectPublicKeyInfo),
        ("\u{A0}" + PublicKeyTexts.rsa2048, .notBase64),
        (PublicKeyTexts.rsa1024, .wrongSize(bits: 1024)),
        (PublicKeyTexts.rsa4096, .wrongSize(bits: 4096)),
        (PublicKeyTexts.p256, .notRSA),
        (String(repeating: "A", count: 100_000), .notBase64),
    ]

    @Test(arguments: unusable)
    func refusesWhatIsNoUsableKey(text: String, fault: PublicKeyFault) {
        #expect(throws: fault) { try Self.parse(text) }
        #expect(!fault.description.contains("\n"))
    }

    /// Whatever is accepted, OpenSSL's decoder accepts too, and it is the same key.
    @Test(arguments: [UInt64(1), 2, 3])
    func acceptsNoMoreThanOpenSSL(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let original = Self.der(PublicKeyTexts.rsa2048)
        var accepted = 0
        for _ in 0..<4_000 {
            var der = original
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                // Where the structure is, more often than in the modulus.
                let place = Int.random(in: 0..<60, using: &generator)
                let index = place < 40 ? place : der.count - 1 - (place - 40)
                der[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                der.removeLast(Int.random(in: 0...1, using: &generator))
            }
            let key = try? der.span.bytes.withUnsafeBytes { (bytes) throws(PublicKeyFault) in
                try PublicKey(der: bytes)
            }
            guard let key else { continue }
            accepted += 1
            #expect(Self.reference(der) == Reference(key))
        }
        #expect(accepted > 0)
    }

    @Test func theStoreKeepsEachKeyOnce() throws {
        let store = PublicKeyStore()
        var generator = SplitMix64(seed: 5)
        let base = try Self.parse(PublicKeyTexts.rsa2048)
        var keys: [PublicKey] = []
        for number in 0..<10_000 {
            var key = base
            for byte in 0..<8 {
                key.modulus[byte + 1] = UInt8.random(in: 0...255, using: &generator)
            }
            keys.append(key)
            #expect(store.add(key) == UInt32(number))
        }
        for (number, key) in keys.enumerated() { #expect(store.add(key) == UInt32(number)) }
        for (number, key) in keys.enumerated() { #expect(store.index(of: key) == UInt32(number)) }
        #expect(store.count == 10_000)
        #expect(store.index(of: base) == nil)
        #expect(store.byteCount < 10_000 * 400)
    }

    // MARK: - OpenSSL's own reading

    private struct Reference: Equatable {
        var modulus: [UInt8]
        var exponent: UInt64

        init(_ key: PublicKey) {
            modulus = (0..<256).map { key.modulus[$0] }
            exponent = key.exponent
        }

        init(modulus: [UInt8], exponent: UInt64) {
            self.modulus = modulus
            self.exponent = exponent
        }
    }

    private static func der(_ text: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let source = Array(text.utf8)
        let count = source.withUnsafeBytes { text in
            bytes.withUnsafeMutableBytes { Base64.decodeLeniently(text, into: $0) }
        }
        return Array(bytes.prefix(count ?? 0))
    }

    private static func reference(_ der: [UInt8]) -> Reference? {
        let key = der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return d2i_PUBKEY(nil, &next, bytes.count)
        }
        guard let key else {
            ERR_clear_error()
            return nil
        }
        defer { EVP_PKEY_free(key) }
        var modulus: OpaquePointer?
        var exponent: OpaquePointer?
        defer {
            BN_free(modulus)
            BN_free(exponent)
        }
        guard EVP_PKEY_get_bn_param(key, "n", &modulus) == 1,
            EVP_PKEY_get_bn_param(key, "e", &exponent) == 1
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        var tail = [UInt8](repeating: 0, count: 8)
        guard BN_bn2binpad(modulus, &bytes, 256) == 256, BN_bn2binpad(exponent, &tail, 8) == 8
        else { return nil }
        return Reference(modulus: bytes, exponent: tail.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
