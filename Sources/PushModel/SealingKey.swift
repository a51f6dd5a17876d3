/// How the secret of a push is wrapped under an install's RSA key (contract 6.3).
public enum WrapPadding: UInt8, Sendable, CaseIterable {
    /// OAEP with SHA-256 for hash and mask and an empty label: cipherName `RSA_OAEP_SHA256`.
    case oaepSHA256 = 0
    /// PKCS#1 v1.5: an install without cipherName.
    case pkcs1 = 1

    /// Reads an install's `cipherName` (contract 6.3, contract 11 `c-sf-empty-key`); nil for a
    /// cipher that no known app registers.
    ///
    /// - Parameter cipherName: The name's bytes; empty for none.
    public init?(cipherName: UnsafeRawBufferPointer) {
        if cipherName.isEmpty {
            self = .pkcs1
        } else if cipherName.elementsEqual(Self.oaepName.utf8) {
            self = .oaepSHA256
        } else {
            return nil
        }
    }

    /// The cipherName that asks for OAEP.
    public static let oaepName = "RSA_OAEP_SHA256"
}

/// The public key of one install: its place in the audience's key store, and the padding.
public struct SealingKey: Equatable, Sendable {
    /// The key's index in the store.
    public var index: UInt32
    /// How secrets are wrapped under it.
    public var padding: WrapPadding

    /// Names a key.
    ///
    /// - Parameters:
    ///   - index: The key's index in the store.
    ///   - padding: How secrets are wrapped under it.
    public init(index: UInt32, padding: WrapPadding) {
        self.index = index
        self.padding = padding
    }
}
