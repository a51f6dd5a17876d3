import Dispatch
import NetIO
import Synchronization

/// The Dispatch queues on which slabs are filled, with the CPU time that they took.
///
/// Serial queues on the shared pool: a queue's work is never on two threads at once, and the pool
/// keeps to the number of processors.
final class RenderStage: Sendable {
    private let queues: [DispatchQueue]
    private let renderers: [PushRenderer]
    private let cpu = Atomic<UInt64>(0)

    init(queues count: Int, fanOut: FanOut) throws(LoadError) {
        var renderers: [PushRenderer] = []
        for _ in 0..<count { renderers.append(try PushRenderer(fanOut)) }
        self.renderers = renderers
        queues = (0..<count).map { index in
            DispatchQueue(
                label: "pushbench.render.\(index)",
                target: .global(qos: .userInitiated)
            )
        }
    }

    /// The CPU time of all rendering so far, in nanoseconds.
    var cpuNanoseconds: UInt64 { cpu.load(ordering: .relaxed) }

    /// Makes the job that fills slab number `slabNumber` of a loop each time it is triggered.
    ///
    /// A source rather than a work item: triggering it enqueues the source itself, where each
    /// submitted item would allocate.
    func makeJob(
        for slab: Slab,
        slabNumber: Int,
        fanOut: FanOut,
        doorbell: Doorbell
    ) -> any DispatchSourceUserDataAdd {
        let renderer = renderers[slabNumber % queues.count]
        let job = DispatchSource.makeUserDataAddSource(queue: queues[slabNumber % queues.count])
        job.setEventHandler { [self] in
            let start = LoopThread.threadCPUTimeNanoseconds()
            slab.render(fanOut, by: renderer)
            doorbell.ringIfAwaited()
            cpu.add(LoopThread.threadCPUTimeNanoseconds() &- start, ordering: .relaxed)
        }
        job.activate()
        return job
    }
}

/// Wakes a loop that sleeps, and costs nothing while it does not.
final class Doorbell: Sendable {
    let wakeUp: WakeUp
    private let isAwaited = Atomic<Bool>(false)

    init() throws(NetIOError) { wakeUp = try WakeUp() }

    /// Loop: says that it is about to sleep; look once more for work after this call.
    func await() { isAwaited.store(true, ordering: .sequentiallyConsistent) }

    /// Loop: awake again.
    func disarm() { isAwaited.store(false, ordering: .relaxed) }

    /// Any thread: wakes the loop if it sleeps or is about to.
    func ringIfAwaited() {
        if isAwaited.exchange(false, ordering: .sequentiallyConsistent) { wakeUp.wake() }
    }
}
