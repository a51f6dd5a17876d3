import PushModel

/// The vendor whose payload a message follows (contract 10.2).
public enum Dialect: String, CaseIterable, Sendable {
    /// Apple's own payload (contract 6.2).
    case apns
    /// Mapp Engage's payload (contract 6.4).
    case mapp
    /// Salesforce's payload, encrypted for installs with a key (contract 6.3).
    case salesforce
    /// Xulo's payload (contract 6.5).
    case xulo

    /// Whether a body holds the install's uid, so that every install must have one.
    public var needsInstallUID: Bool { self == .salesforce }

    /// Whether bodies are encrypted for installs with a public key.
    public var encrypts: Bool { self == .salesforce }
}

/// A checked message of some dialect, ready to be written in each of its languages.
///
/// A dialect is one conforming type; only compiling a message goes through the protocol.
protocol DialectMessage: Sendable {
    /// The push type; nil where the message's own was refused.
    var pushType: PushType? { get }
    /// The header fields that the message names.
    var delivery: DeliveryFields { get }
    /// The app's bundle id, where the message itself names it.
    var bundleID: String? { get }
    /// The languages, one body each.
    var languages: LanguageVariants { get }
    /// Whether an install's badge has a place in the body (contract 11 `c-badge-install`).
    var takesInstallBadge: Bool { get }
    /// Whether the message shows nothing to an install that brings no badge.
    var needsInstallBadge: Bool { get }

    /// Writes the body of one language, with a slot for the install's badge or without.
    func write(variant: Int, hasInstallBadge: Bool, to writer: inout PayloadWriter)
}

/// A message that is encrypted for installs with a public key; ``write`` writes it for the others.
protocol SealableMessage: DialectMessage {
    /// Writes what is encrypted, with a slot for the install's uid.
    func writeContent(variant: Int, to writer: inout PayloadWriter)

    /// Writes the body around it, with secret and content empty.
    ///
    /// - Returns: Where their texts go, as numbers of constant bytes; the secret's comes first.
    func writeEnvelope(
        variant: Int,
        hasInstallBadge: Bool,
        to writer: inout PayloadWriter
    ) -> (secret: Int, content: Int)
}
