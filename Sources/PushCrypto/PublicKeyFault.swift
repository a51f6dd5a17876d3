/// Why text is not a public key that secrets can be wrapped under (contract 6.3,
/// `invalid_public_key`).
public enum PublicKeyFault: Error, Equatable, Sendable {
    /// The text is not base64 with the standard alphabet.
    case notBase64
    /// The bytes are not one SubjectPublicKeyInfo in DER.
    case notSubjectPublicKeyInfo
    /// The key is not an RSA key.
    case notRSA
    /// The RSA modulus has another length than 2048 bits.
    case wrongSize(bits: Int)
    /// The exponent is even, 1, or longer than 64 bits, or the modulus is even.
    case unusable
}

extension PublicKeyFault: CustomStringConvertible {
    /// One clause that says what is wrong and what would be right; holds nothing of the key.
    public var description: String {
        switch self {
        case .notBase64:
            "the public key is not base64 with the letters A-Z a-z 0-9 + /"
        case .notSubjectPublicKeyInfo:
            "the public key is not a SubjectPublicKeyInfo in DER; export it with `openssl pkey -pubout -outform DER`"
        case .notRSA:
            "the public key is not an RSA key; devices register RSA-2048 keys"
        case .wrongSize(let bits):
            "the public key is RSA-\(bits), and devices register RSA-2048 keys"
        case .unusable:
            "the public key is no usable RSA key: its modulus and exponent must be odd, the exponent from 3 to 64 bits long"
        }
    }
}
