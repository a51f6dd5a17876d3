/// What can be wrong with the content of a push that the rules accepted.
public enum ContentFault: UInt8, CaseIterable, Sendable {
    /// The token is not one of the expected audience.
    case unknownInstall
    /// The install got a push before, and one was expected.
    case duplicateInstall
    /// The text is the message's, in another language than the install should get.
    case wrongLanguage
    /// The body, or what was encrypted in it, is not the one that the install should get.
    case wrongText
    /// The install has a public key, and its body is in the clear.
    case notEncrypted
    /// The secret is wrapped under another key than the install's.
    case wrongKey
    /// The secret is wrapped with another padding than the install asks for.
    case wrongPadding
    /// No private key opens the secret, or the content does not open with it.
    case notDecryptable
    /// The content is encrypted, and there is no private key at all.
    case noPrivateKey
    /// The pair of key and IV came before.
    case reusedSecret
    /// The app's SDK cannot read the body.
    case unreadable

    /// The name in the statistics.
    public var name: String {
        switch self {
        case .unknownInstall: "unknown_install"
        case .duplicateInstall: "duplicate_install"
        case .wrongLanguage: "wrong_language"
        case .wrongText: "wrong_text"
        case .notEncrypted: "not_encrypted"
        case .wrongKey: "wrong_key"
        case .wrongPadding: "wrong_padding"
        case .notDecryptable: "not_decryptable"
        case .noPrivateKey: "no_private_key"
        case .reusedSecret: "reused_secret"
        case .unreadable: "unreadable"
        }
    }
}

/// The faults of one push: it may have several.
struct ContentFaultSet: OptionSet {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ fault: ContentFault) { rawValue = 1 << UInt16(fault.rawValue) }

    /// The faults in the order of their declaration.
    var faults: [ContentFault] { ContentFault.allCases.filter { contains(Self($0)) } }

    mutating func insert(_ fault: ContentFault) { insert(Self(fault)) }
}

/// One push with a fault, for a look at the first few; nothing of its text or its secret.
public struct ContentFaultExample: Equatable, Sendable {
    /// What is wrong.
    public var fault: ContentFault
    /// The first digits of the token.
    public var tokenStart: String
}
