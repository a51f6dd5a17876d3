/// Why a device could not read encrypted content, by the SDK's codes (contract 3.2, contract 11
/// `c-sf-decode`).
///
/// Holds nothing of the secret or the content.
public enum OpenFailure: Error, Equatable, Sendable {
    /// `secret` is not strict base64.
    case secretNotBase64
    /// There is no private key.
    case noPrivateKey
    /// No private key opens `secret` with either padding.
    case secretNotOpened
    /// What `secret` holds has another length than 32 bytes.
    case secretLength(Int)
    /// `content` is not strict base64.
    case contentNotBase64
    /// `content` is not whole blocks of AES-128-CBC with PKCS#7 padding under the secret's key.
    case contentNotOpened
    /// The decrypted content is not UTF-8.
    case contentNotUnicode
    /// The decrypted content is not a JSON object; found by the caller, who parses it.
    case contentNotObject

    /// The SDK's error code.
    public var code: Int {
        switch self {
        case .secretNotBase64: -1007
        case .noPrivateKey: -1008
        case .secretNotOpened, .secretLength: -1009
        case .contentNotBase64: -1010
        case .contentNotOpened, .contentNotUnicode: -1011
        case .contentNotObject: -1012
        }
    }

    /// The payload's field that the failure is about.
    public var path: String {
        switch self {
        case .secretNotBase64, .noPrivateKey, .secretNotOpened, .secretLength: "secret"
        case .contentNotBase64, .contentNotOpened, .contentNotUnicode, .contentNotObject: "content"
        }
    }
}

extension OpenFailure: CustomStringConvertible {
    /// One clause that says what is wrong.
    public var description: String {
        switch self {
        case .secretNotBase64:
            "secret is not base64 as a device takes it: no line breaks, padded with ="
        case .noPrivateKey:
            "there is no private key to open secret with; give the file with --private-key"
        case .secretNotOpened:
            "no private key opens secret, neither with OAEP-SHA256 nor with PKCS#1 v1.5; it was wrapped for another key or damaged"
        case .secretLength(let count):
            "secret holds \(count) bytes, and a device takes exactly 32: key and IV"
        case .contentNotBase64:
            "content is not base64 as a device takes it: no line breaks, padded with ="
        case .contentNotOpened:
            "content does not open with AES-128-CBC under the key in secret; it was cut, damaged, or encrypted under another key"
        case .contentNotUnicode:
            "the decrypted content is not UTF-8"
        case .contentNotObject:
            "the decrypted content is not a JSON object"
        }
    }
}
