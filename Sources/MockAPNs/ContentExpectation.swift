public import PushCrypto
public import PushModel
public import PushPayload

/// What each install of an audience should get: the sender's message, compiled once more.
///
/// Immutable: shared by all loops.
public final class ContentExpectation: Sendable {
    /// The message.
    let payload: CompiledPayload
    /// The audience.
    let installs: InstallTable
    /// Whether each install gets one push at most.
    let arrivesOnce: Bool

    private let index: TokenIndex
    /// The body of each language of the table.
    private let variants: [Int]
    /// The private key of each public key of the audience; nothing for a message in the clear.
    private let privateKeys: [Int32]

    /// Prepares to check an audience; takes 5 to 11 bytes an install.
    ///
    /// - Parameters:
    ///   - payload: The message.
    ///   - installs: The audience, complete.
    ///   - keys: The public keys that its installs name.
    ///   - opener: The private keys; nil where there are none.
    ///   - arrivesOnce: Whether each install gets one push at most.
    /// - Throws: ``ContentExpectationError``.
    public init(
        payload: CompiledPayload,
        installs: InstallTable,
        keys: PublicKeyStore,
        opener: ContentOpener?,
        arrivesOnce: Bool
    ) throws(ContentExpectationError) {
        self.payload = payload
        self.installs = installs
        self.arrivesOnce = arrivesOnce
        variants = installs.languages.map { payload.variant(forDeviceLanguage: $0) }
        var privateKeys: [Int32] = []
        if payload.isSealed, installs.installsWithKey > 0 {
            guard let opener else {
                throw .noPrivateKeys(installs: installs.installsWithKey)
            }
            for key in 0..<keys.count {
                let found = opener.keyIndex(for: keys.key(at: UInt32(key)))
                guard let found else { continue }
                privateKeys.append(Int32(truncatingIfNeeded: found))
            }
            let missing = keys.count - privateKeys.count
            guard missing == 0 else { throw .missingPrivateKeys(missing, of: keys.count) }
        }
        self.privateKeys = privateKeys
        index = TokenIndex(installs)
        guard index.repeatedTokens == 0 else { throw .repeatedTokens(index.repeatedTokens) }
    }

    /// The install with a token; nil where there is none.
    func install(withToken token: RawSpan) -> Int? { index.install(withToken: token) }

    /// The body that an install should get.
    func variant(of record: InstallRecord) -> Int { variants[Int(record.languageIndex)] }

    /// Which private key opens what is for a public key.
    func privateKey(of key: SealingKey) -> Int { Int(privateKeys[Int(key.index)]) }
}

/// Why contents cannot be checked against an expectation.
public enum ContentExpectationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There are installs with a public key, and no private keys.
    case noPrivateKeys(installs: Int)
    /// So many public keys have no private key.
    case missingPrivateKeys(Int, of: Int)
    /// So many installs have the token of another one.
    case repeatedTokens(Int)

    /// One sentence that says what is missing.
    public var description: String {
        switch self {
        case .noPrivateKeys(let installs):
            "\(installs) of the expected installs have a public key: give the file of their private keys with --private-keys, in a run with --mock-option private-keys=FILE."
        case .missingPrivateKeys(let missing, let all):
            "The private keys lack \(missing) of the expected installs' \(all) keys: give the file that was written with the installs."
        case .repeatedTokens(let count):
            "\(count) of the expected installs have the token of another one, and contents are checked by token: see pushbench installs check."
        }
    }
}
