/// The shapes in which an audience gets a message (contract 6.3).
public struct BodyShapes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// As it is: for installs without a public key, and in every dialect but salesforce.
    public static let plain = BodyShapes(rawValue: 1)
    /// Encrypted, for installs with a public key.
    public static let sealed = BodyShapes(rawValue: 2)
    /// Both: some installs have a key, or it is not known.
    public static let all: BodyShapes = [.plain, .sealed]
}
