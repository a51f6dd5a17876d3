import COpenSSL
import CShims
import PushModel
import Testing

@testable import PushCrypto

/// OpenSSL's own functions, to compare with.
enum Foreign {
    /// Wraps bytes of any length by OpenSSL's padding, in base64.
    static func wrap(
        _ bytes: [UInt8],
        for pair: RSAKeyPair,
        padding: WrapPadding
    ) throws -> [UInt8] {
        let context = try #require(EVP_PKEY_CTX_new_from_pkey(nil, pair.key, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try #require(EVP_PKEY_encrypt_init(context) == 1)
        let number = padding == .pkcs1 ? RSA_PKCS1_PADDING : RSA_PKCS1_OAEP_PADDING
        try #require(EVP_PKEY_CTX_set_rsa_padding(context, number) == 1)
        if padding == .oaepSHA256 {
            try #require(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1)
            try #require(EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1)
        }
        var count = SealedSizes.wrappedCount
        var wrapped = [UInt8](repeating: 0, count: count)
        try #require(EVP_PKEY_encrypt(context, &wrapped, &count, bytes, bytes.count) == 1)
        var text = [UInt8](repeating: 0, count: SealedSizes.secretBase64Count)
        Base64.encode(wrapped, count: wrapped.count, to: &text)
        return text
    }

    /// The bare public operation on 256 bytes.
    static func rawEncrypt(_ block: [UInt8], publicKey text: String) throws -> [UInt8] {
        let digits = Array(text.utf8)
        var der = [UInt8](repeating: 0, count: 512)
        let count = digits.withUnsafeBytes { digits in
            der.withUnsafeMutableBytes { Base64.decodeLeniently(digits, into: $0) }
        }
        let key = try der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return try #require(d2i_PUBKEY(nil, &next, count ?? 0))
        }
        defer { EVP_PKEY_free(key) }
        let context = try #require(EVP_PKEY_CTX_new_from_pkey(nil, key, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try #require(EVP_PKEY_encrypt_init(context) == 1)
        try #require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1)
        var length = SealedSizes.wrappedCount
        var output = [UInt8](repeating: 0, count: length)
        try #require(EVP_PKEY_encrypt(context, &output, &length, block, block.count) == 1)
        return output
    }

    /// A private key in the older PEM form.
    static func pkcs1PEM(of pair: RSAKeyPair) throws -> String {
        let bio = try #require(BIO_new(BIO_s_mem()))
        defer { BIO_free(bio) }
        try #require(
            PEM_write_bio_PrivateKey_traditional(bio, pair.key, nil, nil, 0, nil, nil) == 1
        )
        var start: UnsafePointer<CChar>?
        let count = cps_bio_memory(bio, &start)
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        return String(decoding: bytes, as: UTF8.self)
    }
}
