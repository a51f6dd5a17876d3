/// The lengths of encrypted content: they depend on the plaintext's length alone (contract 3.4).
public enum SealedSizes {
    /// The length of a wrapped secret in base64: 256 bytes of RSA-2048.
    public static let secretBase64Count = 344
    /// The length of a wrapped secret in bytes.
    public static let wrappedCount = 256

    /// The length of AES-CBC's output with PKCS#7 padding.
    ///
    /// - Parameter count: The plaintext's length in bytes.
    /// - Returns: The next multiple of 16 above it.
    public static func cipherByteCount(plaintext count: Int) -> Int { 16 * (count / 16 + 1) }

    /// The length of padded base64.
    ///
    /// - Parameter count: The length of what is encoded, in bytes.
    /// - Returns: The number of characters.
    public static func base64Count(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// The length of sealed content as it stands in the body.
    ///
    /// - Parameter count: The plaintext's length in bytes.
    /// - Returns: The number of base64 characters.
    public static func contentBase64Count(plaintext count: Int) -> Int {
        base64Count(cipherByteCount(plaintext: count))
    }
}
