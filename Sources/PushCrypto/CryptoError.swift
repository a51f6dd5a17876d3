import CShims

/// Why a key, a token or a random number could not be had.
///
/// Holds no key material.
public enum CryptoError: Error, Equatable, Sendable {
    /// The file cannot be read.
    case unreadableFile(path: String, reason: String)
    /// There is no private key in PEM form; `source` names where it was looked for.
    case noPrivateKey(source: String)
    /// There is no public key in PEM form; `source` names where it was looked for.
    case noPublicKey(source: String)
    /// The private key is encrypted with a password.
    case encryptedPrivateKey(source: String)
    /// The key is of another kind than ES256 needs; `found` says of which.
    case notP256(source: String, found: String)
    /// There is no private key in PEM form to open content with.
    case noRSAPrivateKey(source: String)
    /// A private key, the file's `number`th, cannot be read.
    case damagedPrivateKey(source: String, number: Int)
    /// The private key is not RSA-2048.
    case notRSA2048(source: String, reason: String)
    /// A key id or team id is not what Apple hands out; `name` says which of the two.
    case invalidIdentifier(name: String, value: String)
    /// OpenSSL refused; `detail` is its error stack.
    case openSSL(purpose: String, detail: String)
}

extension CryptoError: CustomStringConvertible {
    /// One sentence that names the thing and what mends it.
    public var description: String {
        switch self {
        case .unreadableFile(let path, let reason):
            "\(path) cannot be read: \(reason)."
        case .noPrivateKey(let source):
            "\(source) holds no private key in PEM form (-----BEGIN PRIVATE KEY-----); give the .p8 file as Apple hands it out."
        case .noPublicKey(let source):
            "\(source) holds no public key in PEM form (-----BEGIN PUBLIC KEY-----); make one with `openssl pkey -in KEY.p8 -pubout`."
        case .encryptedPrivateKey(let source):
            "\(source) holds a private key that is encrypted with a password; decrypt it with `openssl pkey -in KEY -out KEY.p8`."
        case .notP256(let source, let found):
            "\(source) holds a key of the kind \(found), but provider tokens are signed with ES256, which needs an EC key on P-256."
        case .noRSAPrivateKey(let source):
            "\(source) holds no private key in PEM form; give the RSA-2048 key that belongs to the install's public key."
        case .damagedPrivateKey(let source, let number):
            "\(source) is damaged at its private key number \(number); each must be a whole PEM block that is not encrypted."
        case .notRSA2048(let source, let reason):
            "\(source) holds a private key that opens no content: \(reason)."
        case .invalidIdentifier(let name, let value):
            "The \(name) \"\(value)\" is not valid: it must be 10 letters or digits, as shown in Apple's developer account."
        case .openSSL(let purpose, let detail):
            "Cannot \(purpose): \(detail)."
        }
    }
}

/// Takes the calling thread's whole OpenSSL error stack.
@inline(never)
func takeOpenSSLErrors() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
        guard let start = text.baseAddress else { return "no memory" }
        let first = cps_take_openssl_errors(start, text.count)
        return first == 0 ? "OpenSSL gives no reason" : String(cString: start)
    }
}
