import PushModel

/// The vendor whose payload a message follows (contract 10.2).
public enum Dialect: String, CaseIterable, Sendable {
    /// Apple's own payload (contract 6.2).
    case apns
    /// Xulo's payload (contract 6.5).
    case xulo
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
