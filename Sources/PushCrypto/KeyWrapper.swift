import COpenSSL
import CShims
import PushModel

/// Wraps 32-byte secrets under RSA-2048 keys (RFC 8017 sections 7.1.1 and 7.2.1).
///
/// Does the padding itself and the public operation with OpenSSL's Montgomery arithmetic, on memory
/// that is reused: `EVP_PKEY` objects take kilobytes a key, and building one for each push costs as
/// much as a fifth of the operation and 39 allocations. Owned by one thread at a time.
final class KeyWrapper {
    /// The length of what is wrapped: AES key and IV.
    static let secretCount = 32
    private static let hashCount = 32

    private let scratch: OpaquePointer
    private let montgomery: OpaquePointer
    private let modulus: OpaquePointer
    private let message: OpaquePointer
    private let lifted: OpaquePointer
    private let power: OpaquePointer
    /// The padded message, before the operation.
    private let block: UnsafeMutablePointer<UInt8>
    private var blockCount: CInt { CInt(SealedSizes.wrappedCount) }

    init() throws(CryptoError) {
        // Small ones: without memory for these, nothing of this program works any more.
        guard let scratch = BN_CTX_new(), let montgomery = BN_MONT_CTX_new(),
            let modulus = BN_new(), let message = BN_new(), let lifted = BN_new(),
            let power = BN_new()
        else { throw .openSSL(purpose: "encrypt", detail: takeOpenSSLErrors()) }
        self.scratch = scratch
        self.montgomery = montgomery
        self.modulus = modulus
        self.message = message
        self.lifted = lifted
        self.power = power
        block = .allocate(capacity: SealedSizes.wrappedCount)
    }

    deinit {
        OPENSSL_cleanse(block, SealedSizes.wrappedCount)
        block.deallocate()
        for number in [modulus, message, lifted, power] { BN_clear_free(number) }
        BN_MONT_CTX_free(montgomery)
        BN_CTX_free(scratch)
    }

    /// What OpenSSL precomputes from a modulus; the caller's to free.
    func makeContext(modulus bytes: UnsafeRawPointer) throws(CryptoError) -> OpaquePointer {
        guard let context = BN_MONT_CTX_new() else { throw Self.failure() }
        guard set(context, modulus: bytes) else {
            BN_MONT_CTX_free(context)
            throw Self.failure()
        }
        return context
    }

    /// Wraps `secret`, 32 bytes, under a key of the store into `target`, 256 bytes.
    func wrap(
        _ secret: UnsafePointer<UInt8>,
        under key: SealingKey,
        of keys: PublicKeyStore,
        random: RandomPool,
        into target: UnsafeMutablePointer<UInt8>
    ) throws(CryptoError) {
        defer { OPENSSL_cleanse(block, SealedSizes.wrappedCount) }
        switch key.padding {
        case .oaepSHA256: try padOAEP(secret, random)
        case .pkcs1: try padPKCS1(secret, random)
        }
        try encrypt(block, under: key.index, of: keys, into: target)
    }

    /// The public operation on a padded block, 256 bytes that start with a zero.
    func encrypt(
        _ block: UnsafePointer<UInt8>,
        under key: UInt32,
        of keys: PublicKeyStore,
        into target: UnsafeMutablePointer<UInt8>
    ) throws(CryptoError) {
        let context: OpaquePointer
        if let kept = keys.context(at: key) {
            context = kept
        } else {
            guard set(montgomery, modulus: keys.modulus(at: key)) else { throw Self.failure() }
            context = montgomery
        }
        let isDone = raise(block, to: keys.exponent(at: key), context, into: target)
        // What the padded block can be had back from.
        BN_clear(message)
        BN_clear(lifted)
        BN_clear(power)
        guard isDone else { throw Self.failure() }
    }

    private func set(_ context: OpaquePointer, modulus bytes: UnsafeRawPointer) -> Bool {
        let start = bytes.assumingMemoryBound(to: UInt8.self)
        return BN_bin2bn(start, blockCount, modulus) != nil
            && BN_MONT_CTX_set(context, modulus, scratch) == 1
    }

    /// The padded message to the power of an odd exponent above 1.
    ///
    /// The last multiplication takes the message as it is, not in Montgomery form: that also leads
    /// the product out of it.
    private func raise(
        _ block: UnsafePointer<UInt8>,
        to exponent: UInt64,
        _ context: OpaquePointer,
        into target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard BN_bin2bn(block, blockCount, message) != nil,
            BN_to_montgomery(lifted, message, context, scratch) == 1,
            BN_copy(power, lifted) != nil
        else { return false }
        var bit = UInt64.bitWidth - 2 - exponent.leadingZeroBitCount
        while bit >= 0 {
            guard BN_mod_mul_montgomery(power, power, power, context, scratch) == 1 else {
                return false
            }
            if exponent >> UInt64(bit) & 1 == 1 {
                let factor = bit == 0 ? message : lifted
                guard BN_mod_mul_montgomery(power, power, factor, context, scratch) == 1 else {
                    return false
                }
            }
            bit -= 1
        }
        return BN_bn2binpad(power, target, blockCount) == blockCount
    }

    // MARK: - Padding

    /// 00 ‖ masked seed ‖ masked (hash of the empty label ‖ zeros ‖ 01 ‖ secret).
    private func padOAEP(
        _ secret: UnsafePointer<UInt8>,
        _ random: RandomPool
    ) throws(CryptoError) {
        let seed = block + 1
        let data = seed + Self.hashCount
        let dataCount = SealedSizes.wrappedCount - 1 - Self.hashCount
        block[0] = 0
        try random.take(Self.hashCount, to: seed)
        data.update(repeating: 0, count: dataCount)
        for index in 0..<Self.hashCount { data[index] = Self.emptyHash[index] }
        data[dataCount - Self.secretCount - 1] = 1
        (data + dataCount - Self.secretCount).update(from: secret, count: Self.secretCount)
        cps_mgf1_sha256_xor(data, dataCount, seed, Self.hashCount)
        cps_mgf1_sha256_xor(seed, Self.hashCount, data, dataCount)
    }

    /// 00 ‖ 02 ‖ random bytes above zero ‖ 00 ‖ secret.
    private func padPKCS1(
        _ secret: UnsafePointer<UInt8>,
        _ random: RandomPool
    ) throws(CryptoError) {
        let fillCount = SealedSizes.wrappedCount - Self.secretCount - 3
        block[0] = 0
        block[1] = 2
        try random.takeNonZero(fillCount, to: block + 2)
        block[2 + fillCount] = 0
        (block + 3 + fillCount).update(from: secret, count: Self.secretCount)
    }

    /// SHA-256 of nothing.
    private static let emptyHash: InlineArray<32, UInt8> = [
        0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9,
        0x24, 0x27, 0xAE, 0x41, 0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52,
        0xB8, 0x55,
    ]

    private static func failure() -> CryptoError {
        .openSSL(purpose: "wrap a secret", detail: takeOpenSSLErrors())
    }
}
