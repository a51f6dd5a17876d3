import PushModel
import Testing

@testable import PushCrypto

/// Sealing and opening are each other's inverse.
@Suite(.timeLimit(.minutes(1))) struct ContentSealerTests {
    @Test(arguments: WrapPadding.allCases, [false, true])
    func whatIsSealedOpens(padding: WrapPadding, isPrecomputed: Bool) throws {
        let pair = try TestPairs.pair(0)
        let keys = PublicKeyStore()
        let key = SealingKey(index: keys.add(pair.publicKey), padding: padding)
        if isPrecomputed { try keys.keepPrecomputed() }
        let sealer = try ContentSealer(keys: keys)
        let opener = ContentOpener(keys: [pair])
        var fingerprints: Set<UInt64> = []
        for count in [0, 1, 15, 16, 17, 209, 2687, 9000] {
            let plaintext = (0..<count).map { UInt8(0x20 + $0 % 90) }
            let sealed = try Sealed(plaintext, sealer, SealingRequest(key: key))
            let opened = try opener.open(
                secret: sealed.secret.span.bytes,
                content: sealed.content.span.bytes
            )
            #expect(opened.plaintext == plaintext)
            #expect(opened.padding == padding)
            fingerprints.insert(opened.secretFingerprint)
        }
        #expect(fingerprints.count == 8)
        #expect(sealer.madeInPassing == 8)
    }
}

/// A secret and content cut out of a sealer's output.
struct Sealed {
    var secret: [UInt8]
    var content: [UInt8]

    init(_ plaintext: [UInt8], _ sealer: ContentSealer, _ request: SealingRequest) throws {
        let separator = Array(#"","content":""#.utf8)
        let size =
            SealedSizes.secretBase64Count + separator.count
            + SealedSizes.contentBase64Count(plaintext: plaintext.count)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { bytes.deallocate() }
        var output = OutputRawSpan(buffer: bytes, initializedCount: 0)
        try sealer.seal(
            plaintext.span.bytes,
            with: request,
            separator: separator.span.bytes,
            into: &output
        )
        #expect(output.finalize(for: bytes) == size)
        secret = Array(bytes[..<SealedSizes.secretBase64Count])
        content = Array(bytes[(SealedSizes.secretBase64Count + separator.count)...])
        #expect(
            Array(bytes[SealedSizes.secretBase64Count...].prefix(separator.count)) == separator
        )
    }
}

/// RSA key pairs that the tests share: making one takes a tenth of a second.
enum TestPairs {
    private static let pairs = Result { try (0..<3).map { _ in try RSAKeyPair.generate() } }

    static func pair(_ index: Int) throws -> RSAKeyPair { try pairs.get()[index] }
}
