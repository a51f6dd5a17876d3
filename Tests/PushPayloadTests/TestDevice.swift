import COpenSSL
import PushPayload
import Testing

@testable import PushCrypto

/// A device with a key pair of its own, and OpenSSL's own hand to make bodies for it that no
/// sender would.
struct TestDevice {
    let pair: RSAKeyPair
    let opener: ContentOpener

    /// A device that all tests share: its key takes a while to make.
    static let shared = Result { try TestDevice() }

    init() throws {
        pair = try RSAKeyPair.generate()
        opener = ContentOpener(keys: [pair])
    }

    static let oaep = "RSA_OAEP_SHA256"

    /// The device as an install.
    func install(uid: String = "U", cipherName: String? = oaep, _ fields: String = "") -> String {
        let cipher = cipherName.map { #","cipherName":"\#($0)""# } ?? ""
        return #"{"token":"ab","uid":"\#(uid)","publicKey":"\#(pair.publicKeyBase64)"\#(cipher)"#
            + fields + "}"
    }

    /// What the device reads.
    func read(_ body: String) throws(PayloadRefusal) -> PayloadReading {
        try PayloadReader(dialect: .salesforce, opener: opener).read(Array(body.utf8))
    }

    /// Bytes wrapped under the device's key, in base64.
    func wrap(_ bytes: [UInt8], isOAEP: Bool = true) throws -> String {
        let context = try #require(EVP_PKEY_CTX_new_from_pkey(nil, pair.key, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try #require(EVP_PKEY_encrypt_init(context) == 1)
        if isOAEP {
            try #require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1)
            try #require(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1)
            try #require(EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1)
        } else {
            try #require(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1)
        }
        var count = 256
        var wrapped = [UInt8](repeating: 0, count: count)
        try #require(EVP_PKEY_encrypt(context, &wrapped, &count, bytes, bytes.count) == 1)
        return Self.base64(Array(wrapped[..<count]))
    }

    /// Bytes under AES-128-CBC, in base64.
    static func encrypt(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) throws -> String {
        let context = try #require(EVP_CIPHER_CTX_new())
        defer { EVP_CIPHER_CTX_free(context) }
        var bytes = [UInt8](repeating: 0, count: plaintext.count + 16)
        var count: CInt = 0
        var tail: CInt = 0
        try #require(EVP_EncryptInit_ex2(context, EVP_aes_128_cbc(), key, iv, nil) == 1)
        try #require(
            EVP_EncryptUpdate(context, &bytes, &count, plaintext, CInt(plaintext.count)) == 1
        )
        try #require(
            bytes.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { EVP_EncryptFinal_ex(context, $0 + Int(count), &tail) } == 1
            }
        )
        return base64(Array(bytes[..<Int(count + tail)]))
    }

    static func base64(_ bytes: [UInt8]) -> String {
        // OpenSSL puts a zero behind the text.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }

    static let key = [UInt8](0x00...0x0F)
    static let iv = [UInt8](0x10...0x1F)

    /// An encrypted body whose parts are given or whole.
    func body(
        encrypted: String = "true",
        secret: String? = nil,
        content: String? = nil,
        plaintext: [UInt8] = Array(#"{"alertTitle":"T","alertBody":"B"}"#.utf8),
        alert: String = #"{"title":"","body":"x"}"#,
        rest: String = ""
    ) throws -> String {
        let secret = try secret ?? wrap(Self.key + Self.iv)
        let content = try content ?? Self.encrypt(plaintext, key: Self.key, iv: Self.iv)
        return #"{"aps":{"alert":\#(alert)},"encrypted":\#(encrypted),"secret":"\#(secret)","#
            + #""content":"\#(content)"\#(rest)}"#
    }
}
