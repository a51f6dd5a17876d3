import PushBuffers
public import PushCrypto
import PushModel

extension CompiledPayload {
    /// Appends the body of one install with a key to `output`.
    ///
    /// Allocates nothing itself, and changes nothing but `output` and `sealer`.
    ///
    /// - Parameters:
    ///   - variant: The index of the body, as ``variant(forDeviceLanguage:)`` gave it.
    ///   - badge: The install's badge, if it has one: it wins over the message's.
    ///   - uid: The install's user id in UTF-8.
    ///   - request: The install's key, and the push's prepared secret if there is one.
    ///   - sealer: What encrypts; the calling thread's own.
    ///   - output: Where the body goes.
    /// - Precondition: `output` has room for ``sealedBodySize(variant:badge:uid:)`` bytes.
    /// - Throws: What ``sealer`` throws; `output` is then as it was.
    public func renderSealed(
        variant: Int,
        badge: Int64?,
        uid: RawSpan,
        with request: SealingRequest,
        sealer: ContentSealer,
        into output: inout OutputRawSpan
    ) throws(CryptoError) {
        let contentSize = contentSize(variant: variant, uid: uid)
        let size = sealedBodySize(variant: variant, badge: badge, contentSize: contentSize)
        precondition(size <= output.freeCapacity, "no room for a body of \(size) bytes")
        let envelope = envelopePrograms(variant, hasInstallBadge: badge != nil)
        let headLength = headLength(envelope.head, badge: badge)
        output.withUnsafeMutableBytes { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            programs.write(envelope.head, badge: badge ?? 0, uid: uid, to: base + initialized)
            initialized += headLength
        }
        do throws(CryptoError) {
            try sealer.seal(
                contentByteCount: contentSize,
                with: request,
                separator: RawSpan(_unsafeBytes: programs.constantBytes(of: envelope.separator)),
                into: &output
            ) { target in
                programs.write(contentProgram(variant), badge: 0, uid: uid, to: target)
            }
        } catch {
            output.removeLast(headLength)
            throw error
        }
        output.append(contentsOf: RawSpan(_unsafeBytes: programs.constantBytes(of: envelope.tail)))
    }
}
