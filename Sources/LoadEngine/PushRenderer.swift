import PushBuffers
import PushCrypto
import PushModel
import PushPayload

/// Makes the bodies of pushes, encrypted where the install has a key.
///
/// Keeps what encryption reuses from push to push: one for each render queue, and one for each loop,
/// which renders the few pushes that go out again.
final class PushRenderer: @unchecked Sendable {
    // Safe to share: touched by its queue, or its loop's thread, alone.

    private let fanOut: FanOut
    /// Nil where no body of this run is encrypted.
    private let sealer: ContentSealer?

    init(_ fanOut: FanOut) throws(LoadError) {
        self.fanOut = fanOut
        guard fanOut.payload.isSealed, fanOut.installs.installsWithKey > 0 else {
            sealer = nil
            return
        }
        do {
            sealer = try ContentSealer(keys: fanOut.keys, prepared: fanOut.prepared)
        } catch { throw .setUp(error.description) }
    }

    /// Appends the body of a push to `output`, which has room for the longest one.
    func render(
        _ record: InstallRecord,
        sequence: Int,
        into output: inout OutputRawSpan
    ) throws(CryptoError) {
        let variant = fanOut.variants[Int(record.languageIndex)]
        if let sealer, let key = record.key {
            let place = fanOut.prepared == nil ? nil : sequence
            try fanOut.payload.renderSealed(
                variant: variant,
                badge: record.badge,
                uid: record.uid,
                with: SealingRequest(key: key, preparedPlace: place),
                sealer: sealer,
                into: &output
            )
        } else {
            fanOut.payload.render(
                variant: variant,
                badge: record.badge,
                uid: record.uid,
                into: &output
            )
        }
    }
}
