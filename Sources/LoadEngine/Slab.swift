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
        /// Its place in the batch, which other environments' pushes are left out of.
        var place: UInt16
        var bodyLength: UInt32
    }

    private enum State {
        static let withLoop: UInt8 = 0
        static let rendering: UInt8 = 1
        static let ready: UInt8 = 2
    }

    /// The batch that the slab's pushes are of.
    private(set) var sequences = 0..<0
    /// How many of its pushes the loop has taken.
    private(set) var taken = 0
    /// The pushes that were rendered.
    private var rendered = 0
    /// Whether a body could not be made, so that some are missing.
    private var isBroken = false
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
        taken = 0
        state.store(State.rendering, ordering: .releasing)
    }

    /// Loop: whether the pushes are there to be taken.
    ///
    /// Sequentially consistent against its own "I am about to sleep" flag: an acquiring load might be
    /// done before that is visible.
    var isReady: Bool { state.load(ordering: .sequentiallyConsistent) == State.ready }

    /// Loop: whether a ready slab has another push to take.
    var hasNext: Bool { taken < rendered }

    /// Loop: whether nothing is left to take from a ready slab, and nothing is missing.
    var isUsedUp: Bool { taken == rendered && !isBroken }

    /// Loop: the sequence number of the next push in a ready slab.
    var next: Int { sequences.lowerBound + Int(entries[taken].place) }

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
        var count = 0
        isBroken = false
        while position < sequences.count {
            let sequence = sequences.lowerBound + position
            let record = fanOut.installs.record(at: fanOut.order.installIndex(of: sequence))
            if let environment = fanOut.environment, record.environment != environment {
                position += 1
                continue
            }
            let free = UnsafeMutableRawBufferPointer(rebasing: bytes[used...])
            var output = OutputRawSpan(buffer: free, initializedCount: 0)
            output.append(contentsOf: record.token)
            let tokenLength = output.byteCount
            do throws(CryptoError) {
                try renderer.render(record, sequence: sequence, into: &output)
            } catch {
                fanOut.fail(error.description)
                isBroken = true
                break
            }
            let written = output.finalize(for: free)
            entries[count] = Entry(
                offset: UInt32(truncatingIfNeeded: used),
                tokenLength: UInt16(truncatingIfNeeded: tokenLength),
                place: UInt16(truncatingIfNeeded: position),
                bodyLength: UInt32(truncatingIfNeeded: written - tokenLength)
            )
            used += written
            count += 1
            position += 1
        }
        rendered = count
        // Sequentially consistent against the loop's "I am about to sleep" flag.
        state.store(State.ready, ordering: .sequentiallyConsistent)
    }

    /// Loop: takes the next push out of a ready slab.
    func take() { taken += 1 }

    /// Loop: the token and body of the next push in a ready slab.
    func withNext<R>(_ body: (_ token: RawSpan, _ body: RawSpan) -> R) -> R {
        let entry = entries[taken]
        let tokenStart = Int(entry.offset)
        let bodyStart = tokenStart + Int(entry.tokenLength)
        let end = bodyStart + Int(entry.bodyLength)
        let token = UnsafeRawBufferPointer(rebasing: bytes[tokenStart..<bodyStart])
        let payload = UnsafeRawBufferPointer(rebasing: bytes[bodyStart..<end])
        return body(RawSpan(_unsafeBytes: token), RawSpan(_unsafeBytes: payload))
    }
}
