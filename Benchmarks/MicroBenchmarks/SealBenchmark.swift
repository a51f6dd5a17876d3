import PushCrypto
import PushModel
import PushPayload

/// What one encrypted body costs, RSA included.
enum SealBenchmark {
    static let all = [
        benchmark("seal oaep", padding: .oaepSHA256), benchmark("seal pkcs1", padding: .pkcs1),
    ]

    private static func benchmark(
        _ name: String,
        padding: WrapPadding
    ) -> MicroBenchmark {
        MicroBenchmark(name: name, unit: "sealed body", operations: 20_000) {
            let compilation = MessageSource(bytes: Dialect.salesforce.sampleMessage).compile()
            guard let payload = compilation.payload else {
                throw RenderBenchmarkError.refused(compilation.faults)
            }
            let store = PublicKeyStore()
            let der = publicKey()
            let key = try der.span.bytes.withUnsafeBytes { (bytes) throws(PublicKeyFault) in
                try PublicKey(der: bytes)
            }
            let sealingKey = SealingKey(index: store.add(key), padding: padding)
            try store.keepPrecomputed()
            let sealer = try ContentSealer(keys: store)
            return { operations in seal(payload, sealingKey, sealer, operations) }
        }
    }

    private static func seal(
        _ payload: CompiledPayload,
        _ key: SealingKey,
        _ sealer: ContentSealer,
        _ operations: Int
    ) -> Int {
        let slab = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { slab.deallocate() }
        let uid = Array("0055g00000AbCdEAAV".utf8)
        var total = 0
        var done = 0
        var failure: CryptoError?
        while done < operations {
            var output = OutputRawSpan(buffer: slab, initializedCount: 0)
            while done < operations, output.freeCapacity >= 8192, failure == nil {
                do throws(CryptoError) {
                    try payload.renderSealed(
                        variant: 0,
                        badge: nil,
                        uid: uid.span.bytes,
                        with: SealingRequest(key: key),
                        sealer: sealer,
                        into: &output
                    )
                } catch { failure = error }
                done += 1
            }
            total &+= output.finalize(for: slab)
            if let failure { fail("\(failure)") }
        }
        return total
    }

    /// A SubjectPublicKeyInfo with an odd modulus of 2048 bits; nothing is decrypted here.
    private static func publicKey() -> [UInt8] {
        let head: [UInt8] = [
            0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D,
            0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A,
            0x02, 0x82, 0x01, 0x01, 0x00,
        ]
        var generator = SplitMix64(seed: 1)
        var modulus = (0..<256).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        modulus[0] |= 0x80
        modulus[255] |= 1
        return head + modulus + [0x02, 0x03, 0x01, 0x00, 0x01]
    }
}
