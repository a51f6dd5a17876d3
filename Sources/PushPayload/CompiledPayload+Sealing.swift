import PushCrypto
import PushModel

/// Bodies for installs with a public key: an envelope around the encrypted content (contract 6.3).
///
/// - Precondition: Everything here is for a message that ``CompiledPayload/isSealed``.
extension CompiledPayload {
    /// The exact length of what is encrypted for one install, before it is encrypted.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - uid: The install's user id in UTF-8.
    /// - Returns: The length in bytes.
    public func contentSize(variant: Int, uid: RawSpan) -> Int {
        contentSize(variant: variant, uidLength: JSONEscapes.byteCount(of: uid))
    }

    /// The exact length of the body of one install with a key.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - badge: The install's badge, if it has one.
    ///   - uid: The install's user id in UTF-8.
    /// - Returns: The length in bytes.
    public func sealedBodySize(variant: Int, badge: Int64?, uid: RawSpan) -> Int {
        sealedBodySize(
            variant: variant,
            badge: badge,
            contentSize: contentSize(variant: variant, uid: uid)
        )
    }

    func contentSize(variant: Int, uidLength: Int) -> Int {
        precondition(isSealed, "the dialect \(dialect.rawValue) has no encrypted bodies")
        return programs.length(of: contentProgram(variant), uidLength: uidLength)
    }

    func sealedBodySize(variant: Int, badge: Int64?, contentSize: Int) -> Int {
        let envelope = envelopePrograms(variant, hasInstallBadge: badge != nil)
        return headLength(envelope.head, badge: badge) + SealedSizes.secretBase64Count
            + programs.length(of: envelope.separator)
            + SealedSizes.contentBase64Count(plaintext: contentSize)
            + programs.length(of: envelope.tail)
    }

    func headLength(_ head: Int, badge: Int64?) -> Int {
        programs.length(of: head, badgeLength: badge.map { DecimalText.length(of: $0) } ?? 0)
    }
}
