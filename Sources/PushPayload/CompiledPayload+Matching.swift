import PushCrypto
import PushModel

/// Where secret and content stand in an encrypted body, as offsets of their base64 texts.
public struct SealedParts: Equatable, Sendable {
    /// The wrapped secret.
    public var secret: Range<Int>
    /// The encrypted content.
    public var content: Range<Int>
}

/// What a receiver needs that knows the message: to look whether a body is the one it should be.
extension CompiledPayload {
    /// Takes an encrypted body apart, where everything around secret and content is as
    /// ``renderSealed(variant:badge:uid:with:sealer:into:)`` writes it.
    ///
    /// Any thread; allocates nothing but a little scratch on the stack.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - variant: The index of the body that it should be.
    ///   - badge: The install's badge, if it has one.
    /// - Returns: The places of secret and content; nil where the rest is another one's.
    /// - Precondition: The message ``isSealed``.
    public func sealedParts(of body: RawSpan, variant: Int, badge: Int64?) -> SealedParts? {
        precondition(isSealed, "the dialect \(dialect.rawValue) has no encrypted bodies")
        let envelope = envelopePrograms(variant, hasInstallBadge: badge != nil)
        let headCount = headLength(envelope.head, badge: badge)
        let separator = programs.constantBytes(of: envelope.separator)
        let tail = programs.constantBytes(of: envelope.tail)
        let secretEnd = headCount + SealedSizes.secretBase64Count
        let contentStart = secretEnd + separator.count
        let contentEnd = body.byteCount - tail.count
        guard contentStart <= contentEnd else { return nil }
        let matches = body.withUnsafeBytes { bytes in
            func part(_ range: Range<Int>) -> Slice<UnsafeRawBufferPointer> { bytes[range] }
            guard part(secretEnd..<contentStart).elementsEqual(separator),
                part(contentEnd..<bytes.count).elementsEqual(tail)
            else { return false }
            return withUnsafeTemporaryAllocation(byteCount: headCount, alignment: 1) { head in
                guard let start = head.baseAddress else { return headCount == 0 }
                programs.write(envelope.head, badge: badge ?? 0, uid: RawSpan(), to: start)
                return part(0..<headCount).elementsEqual(head)
            }
        }
        guard matches else { return nil }
        return SealedParts(secret: headCount..<secretEnd, content: contentStart..<contentEnd)
    }

    /// Appends what is encrypted for one install, before it is encrypted, to `output`.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - uid: The install's user id in UTF-8.
    ///   - output: Where the content goes.
    /// - Precondition: The message ``isSealed``, and `output` has room for
    ///   ``contentSize(variant:uid:)`` bytes.
    public func renderContent(variant: Int, uid: RawSpan, into output: inout OutputRawSpan) {
        let size = contentSize(variant: variant, uid: uid)
        precondition(size <= output.freeCapacity, "no room for a content of \(size) bytes")
        output.withUnsafeMutableBytes { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            programs.write(contentProgram(variant), badge: 0, uid: uid, to: base + initialized)
            initialized += size
        }
    }
}
