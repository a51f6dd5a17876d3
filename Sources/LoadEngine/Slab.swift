import PushBuffers
import PushCrypto
import PushModel
import PushPayload
import Synchronization

/// One batch of rendered pushes in a buffer of its own: tokens and bodies, back to back.
///
/// Owned in turn by its loop and by a render queue; `state` says by whom, and its release and
/// acquire order the hand-over. Made once, used for the whole run.
final class Slab: @unchecked Sendable {
    // Safe to share: all plain properties are touched only by the side that `state` names.

    /// Where a push stands in the buffer: the token, then the body.
    struct Entry {
        var offset: UInt32
        var tokenLength: UInt16
        var bodyLength: UInt32
    }

    private enum State {
        static let withLoop: UInt8 = 0
        static let rendering: UInt8 = 1
        static let ready: UInt8 = 2
    }

    /// The pushes in the slab.
    private(set) var sequences = 0..<0
    /// The next push that the loop takes.
    var next = 0
    /// Where the rendered pushes end: before the last one only where a body could not be made.
    private var renderedEnd = 0
    private let bytes: UnsafeMutableRawBufferPointer
    private let entries: UnsafeMutablePointer<Entry>
    private let state = Atomic<UInt8>(State.withLoop)

    init(pushes: Int, bytes count: Int) {
        bytes = .allocate(byteCount: count, alignment: 64)
        entries = .allocate(capacity: pushes)
    }

    deinit {
        bytes.deallocate()
        entries.deallocate()
    }

    /// Loop: gives the slab away to be filled with `sequences`.
    func beginRendering(_ sequences: Range<Int>) {
        self.sequences = sequences
        next = sequences.lowerBound
        state.store(State.rendering, ordering: .releasing)
    }

    /// Loop: whether the pushes are there to be taken.
    ///
    /// Sequentially consistent against its own "I am about to sleep" flag: an acquiring load might be
    /// done before that is visible.
    var isReady: Bool { state.load(ordering: .sequentiallyConsistent) == State.ready }

    /// Loop: whether a ready slab has another push to take.
    var hasNext: Bool { next < renderedEnd }

    /// Loop: takes the emptied slab back.
    func finish() { state.store(State.withLoop, ordering: .relaxed) }

    /// Render queue: fills the slab with all its pushes and hands it back.
    ///
    /// Where a body cannot be made the run ends: what is left of the slab is never sent.
    func render(_ fanOut: FanOut, by renderer: PushRenderer) {
        // Pairs with the loop's release: what triggers a render need not order memory.
        guard state.load(ordering: .acquiring) == State.rendering else { return }
        var used = 0
        var position = 0
        while position < sequences.count {
            let sequence = sequences.lowerBound + position
            let record = fanOut.installs.record(at: fanOut.order.installIndex(of: sequence))
            let free = UnsafeMutableRawBufferPointer(rebasing: bytes[used...])
            var output = OutputRawSpan(buffer: free, initializedCount: 0)
            output.append(contentsOf: record.token)
            let tokenLength = output.byteCount
            do throws(CryptoError) {
                try renderer.render(record, sequence: sequence, into: &output)
            } catch {
                fanOut.fail(error.description)
                break
            }
            let written = output.finalize(for: free)
            entries[position] = Entry(
                offset: UInt32(truncatingIfNeeded: used),
                tokenLength: UInt16(truncatingIfNeeded: tokenLength),
                bodyLength: UInt32(truncatingIfNeeded: written - tokenLength)
            )
            used += written
            position += 1
        }
        renderedEnd = sequences.lowerBound + position
        // Sequentially consistent against the loop's "I am about to sleep" flag.
        state.store(State.ready, ordering: .sequentiallyConsistent)
    }

    /// Loop: the token and body of a push in a ready slab.
    func withPush<R>(_ sequence: Int, _ body: (_ token: RawSpan, _ body: RawSpan) -> R) -> R {
        let entry = entries[sequence - sequences.lowerBound]
        let tokenStart = Int(entry.offset)
        let bodyStart = tokenStart + Int(entry.tokenLength)
        let end = bodyStart + Int(entry.bodyLength)
        let token = UnsafeRawBufferPointer(rebasing: bytes[tokenStart..<bodyStart])
        let payload = UnsafeRawBufferPointer(rebasing: bytes[bodyStart..<end])
        return body(RawSpan(_unsafeBytes: token), RawSpan(_unsafeBytes: payload))
    }
}
