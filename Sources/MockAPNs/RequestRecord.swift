import Glibc
import NetIO
import Synchronization

/// A file of all requests that a mock got, one JSON object a line, with what each was answered.
///
/// The loops put lines into chunks of memory, and a thread of the record writes them: a loop waits
/// only where the file takes less than comes, and then reads no further. Where the file cannot be
/// written any more, that is reported once, later requests are counted as ``unrecorded``, and the
/// mock goes on. Whoever reads meanwhile sees whole lines.
///
/// May be used by any thread.
public final class RequestRecord: Sendable {
    /// The chunks of all loops together: 16 MiB at most.
    private static let capacity = 64
    /// How long the end waits for a file that takes nothing.
    private static let patienceNanoseconds: UInt64 = 5_000_000_000

    /// The file; nil is stdout.
    public let path: String?
    let queue: RecordQueue
    private let sink: RecordSink
    private let report: @Sendable (String) -> Void
    private let state = State()

    private final class State: Sendable {
        let connections = Atomic<UInt64>(0)
        let handedOver = Atomic<UInt64>(0)
        let recorded = Atomic<UInt64>(0)
        let unrecorded = Atomic<UInt64>(0)
        let bytes = Atomic<UInt64>(0)
        let failure = Mutex<RecordError?>(nil)
        let isStarted = Atomic<Bool>(false)
        let isFinished = Atomic<Bool>(false)
    }

    /// Opens the file, which loses what it held and is readable for its owner alone.
    ///
    /// - Parameters:
    ///   - path: The file, pipe or device; nil is stdout.
    ///   - report: Gets a sentence where the file cannot be written any more; called by a thread of
    ///     the record.
    /// - Throws: ``RecordError``.
    public convenience init(
        path: String?,
        report: @escaping @Sendable (String) -> Void
    ) throws(RecordError) {
        try self.init(path: path, capacity: Self.capacity, report: report)
    }

    /// The same with another number of chunks.
    init(
        path: String?,
        capacity: Int,
        report: @escaping @Sendable (String) -> Void
    ) throws(RecordError) {
        sink = try RecordSink(path: path)
        queue = RecordQueue(capacity: capacity)
        self.path = path
        self.report = report
    }

    /// Requests whose lines are in the file.
    public var recorded: UInt64 { state.recorded.load(ordering: .relaxed) }

    /// Requests that were answered and whose lines the file did not take.
    public var unrecorded: UInt64 { state.unrecorded.load(ordering: .relaxed) }

    /// What keeps lines from the file; nil where nothing does.
    ///
    /// A reader of stdout that went away is no failure: it has seen enough.
    public var failure: RecordError? { state.failure.withLock { $0 } }

    // MARK: - For the mock

    /// Starts the thread that writes.
    func start() throws(NetIOError) {
        guard !state.isStarted.exchange(true, ordering: .relaxed) else { return }
        _ = try LoopThread(name: "record") { self.writeAll() }
    }

    /// A number for a new connection: 1, 2 and so on, over all loops.
    func nextConnectionNumber() -> UInt64 {
        state.connections.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Gives lines to the thread that writes.
    func handOver(_ chunk: RecordChunk) {
        state.handedOver.wrappingAdd(chunk.lineCount, ordering: .relaxed)
        queue.handOver(chunk)
    }

    /// Lets no loop wait for the file any longer, so that they can end.
    func letLoopsEnd() { queue.becomeUnbounded() }

    /// Waits until all lines are written, or the file has taken nothing for some seconds; the loops
    /// have ended before.
    func finish() {
        guard state.isStarted.load(ordering: .relaxed),
            !state.isFinished.exchange(true, ordering: .relaxed)
        else { return }
        var bytesBefore = state.bytes.load(ordering: .relaxed)
        while !queue.finish(withinNanoseconds: Self.patienceNanoseconds) {
            let bytes = state.bytes.load(ordering: .relaxed)
            if bytes == bytesBefore {
                let handedOver = state.handedOver.load(ordering: .relaxed)
                state.unrecorded.store(handedOver &- recorded, ordering: .relaxed)
                return fail(RecordError(path: path, errno: 0))
            }
            bytesBefore = bytes
        }
    }

    // MARK: - The thread that writes

    private func writeAll() {
        while true {
            let batch = queue.nextBatch()
            guard !batch.isEmpty else { return queue.end() }
            for chunk in batch {
                write(chunk)
                queue.recycle(chunk)
            }
        }
    }

    private func write(_ chunk: RecordChunk) {
        // What comes after a gap would look as if there was none.
        guard unrecorded == 0 else {
            state.unrecorded.wrappingAdd(chunk.lineCount, ordering: .relaxed)
            return
        }
        let outcome = sink.write(chunk.bytes) { count in
            state.bytes.wrappingAdd(UInt64(count), ordering: .relaxed)
        }
        guard outcome.errno != 0 else {
            state.recorded.wrappingAdd(chunk.lineCount, ordering: .relaxed)
            return
        }
        let taken = UInt64(chunk.bytes[..<outcome.written].count { $0 == UInt8(ascii: "\n") })
        state.recorded.wrappingAdd(taken, ordering: .relaxed)
        state.unrecorded.wrappingAdd(chunk.lineCount - taken, ordering: .relaxed)
        fail(RecordError(path: path, errno: outcome.errno))
    }

    private func fail(_ error: RecordError) {
        guard error.path != nil || error.errno != EPIPE else { return }
        let isFirst = state.failure.withLock { failure in
            defer { failure = failure ?? error }
            return failure == nil
        }
        if isFirst { report("\(error) Later requests are answered and not recorded.") }
    }
}
