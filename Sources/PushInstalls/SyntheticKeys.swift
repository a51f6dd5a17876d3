/// The public keys that a synthetic population's installs share.
public struct SyntheticKeys: Sendable, Equatable {
    /// The keys as devices register them, base64 of at most 400 characters each.
    public let publicKeys: [String]
    /// How many of a hundred installs have no cipher name: PKCS#1 v1.5, an old SDK.
    public let pkcs1Share: Int

    /// Names the keys.
    ///
    /// - Parameters:
    ///   - publicKeys: At least one key; install number i has the key i modulo their number.
    ///   - pkcs1Share: How many of a hundred installs have no cipher name.
    public init(publicKeys: [String], pkcs1Share: Int) {
        self.publicKeys = publicKeys
        self.pkcs1Share = pkcs1Share
    }
}
