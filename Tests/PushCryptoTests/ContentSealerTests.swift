import CAllocCounter
import PushModel
import TestSupport
import Testing

@testable import PushCrypto

/// Sealing and opening are each other's inverse.
@Suite(.timeLimit(.minutes(5))) struct ContentSealerTests {
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

    @Test(arguments: [PublicKeyTexts.rsa2048, PublicKeyTexts.exponent3])
    func anyExponentIsRaisedTo(text: String) throws {
        // Without the private key: the public operation is compared with OpenSSL's.
        let keys = PublicKeyStore()
        let index = keys.add(try PublicKey(base64: Array(text.utf8).span.bytes))
        let wrapper = try KeyWrapper()
        let block = [UInt8](repeating: 0, count: 1) + (1...255).map { UInt8($0) }
        var ours = [UInt8](repeating: 0, count: 256)
        try wrapper.encrypt(block, under: index, of: keys, into: &ours)
        #expect(ours == (try Foreign.rawEncrypt(block, publicKey: text)))
    }

    @Test func sealingAllocatesNothing() throws {
        let keys = PublicKeyStore()
        let index = keys.add(try TestPairs.pair(0).publicKey)
        let prepared = PreparedSecrets(count: 500)
        let sealer = try ContentSealer(keys: keys, prepared: prepared)
        let content = [UInt8](repeating: 0x41, count: 300)
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 8)
        defer { target.deallocate() }
        func seal(_ request: SealingRequest) throws {
            var output = OutputRawSpan(buffer: target, initializedCount: 0)
            try sealer.seal(
                content.span.bytes,
                with: request,
                separator: RawSpan(),
                into: &output
            )
            _ = output.finalize(for: target)
        }
        for padding in WrapPadding.allCases {
            let key = SealingKey(index: index, padding: padding)
            for _ in 0..<20 { try seal(SealingRequest(key: key)) }
            let before = pb_thread_allocations()
            for _ in 0..<500 { try seal(SealingRequest(key: key)) }
            #expect(pb_thread_allocations() - before == 0)
        }
        let key = SealingKey(index: index, padding: .oaepSHA256)
        let before = pb_thread_allocations()
        for place in 0..<500 { try sealer.prepare(place, of: prepared, for: key) }
        for place in 0..<500 { try seal(SealingRequest(key: key, preparedPlace: place)) }
        #expect(pb_thread_allocations() - before == 0)
    }

    @Test func aPreparedSecretIsUsedOnce() throws {
        let pair = try TestPairs.pair(0)
        let keys = PublicKeyStore()
        let key = SealingKey(index: keys.add(pair.publicKey), padding: .oaepSHA256)
        let prepared = PreparedSecrets(count: 2)
        let sealer = try ContentSealer(keys: keys, prepared: prepared)
        try sealer.prepare(0, of: prepared, for: key)
        let opener = ContentOpener(keys: [pair])
        var fingerprints: Set<UInt64> = []
        // Place 0 once, then a place that is used up, one that is empty, and ones that do not exist.
        for (number, place) in [0, 0, 1, 2, -1].enumerated() {
            let request = SealingRequest(key: key, preparedPlace: place)
            let sealed = try Sealed(Array("text".utf8), sealer, request)
            let opened = try opener.open(
                secret: sealed.secret.span.bytes,
                content: sealed.content.span.bytes
            )
            #expect(opened.plaintext == Array("text".utf8))
            fingerprints.insert(opened.secretFingerprint)
            #expect(sealer.madeInPassing == number)
        }
        #expect(fingerprints.count == 5)
    }

    @Test func aPreparedSecretIsWipedAsItIsUsed() throws {
        let keys = PublicKeyStore()
        let key = SealingKey(
            index: keys.add(try TestPairs.pair(0).publicKey),
            padding: .oaepSHA256
        )
        let prepared = PreparedSecrets(count: 1)
        let sealer = try ContentSealer(keys: keys, prepared: prepared)
        try sealer.prepare(0, of: prepared, for: key)
        var address: UnsafePointer<UInt8>?
        let isUsed = try prepared.use(0) { (secret, _) throws(CryptoError) in
            address = secret
            #expect((0..<32).contains { secret[$0] != 0 })
        }
        #expect(isUsed)
        let secret = try #require(address)
        #expect((0..<32).allSatisfy { secret[$0] == 0 })
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
