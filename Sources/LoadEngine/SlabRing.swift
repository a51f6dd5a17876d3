import Dispatch

/// A loop's slabs, in the order in which they are sent out and come back.
///
/// Touched by its loop alone. The oldest slab is the one whose pushes go out; all others are being
/// rendered or wait, so the number of slabs bounds what is rendered ahead.
final class SlabRing {
    private let slabs: [Slab]
    private let jobs: [any DispatchSourceUserDataAdd]
    private let fanOut: FanOut
    private var head = 0
    private var used = 0
    private var isExhausted = false

    static let slabCount = 4

    init(fanOut: FanOut, stage: RenderStage, doorbell: Doorbell) {
        self.fanOut = fanOut
        slabs = (0..<Self.slabCount).map { _ in
            Slab(
                pushes: fanOut.batchSize,
                bytes: max(64, fanOut.batchSize * fanOut.bytesPerPush)
            )
        }
        jobs = slabs.enumerated().map { number, slab in
            stage.makeJob(for: slab, slabNumber: number, fanOut: fanOut, doorbell: doorbell)
        }
    }

    deinit {
        for job in jobs { job.cancel() }
    }

    /// Sends every free slab out for the next batches.
    func refill() {
        // A batch without one push of this environment.
        while used > 0, slabs[head].isReady, slabs[head].isUsedUp { retireHead() }
        while used < slabs.count, !isExhausted {
            guard let batch = fanOut.takeBatch() else {
                isExhausted = true
                return
            }
            let number = (head + used) % slabs.count
            slabs[number].beginRendering(batch)
            jobs[number].add(data: 1)
            used += 1
        }
    }

    /// The slab whose pushes are next, if it is rendered.
    var ready: Slab? {
        guard used > 0, slabs[head].isReady, slabs[head].hasNext else { return nil }
        return slabs[head]
    }

    /// Takes the emptied head slab back.
    func retireHead() {
        slabs[head].finish()
        head = (head + 1) % slabs.count
        used -= 1
    }

    /// Whether no push is left here and none will come.
    var isDrained: Bool { used == 0 && isExhausted }

    /// Pushes that were taken from the fan-out and not sent.
    var unsentPushes: Int {
        (0..<used).reduce(0) { sum, index in
            let slab = slabs[(head + index) % slabs.count]
            return sum + fanOut.pushes(in: slab.sequences) - slab.taken
        }
    }
}
