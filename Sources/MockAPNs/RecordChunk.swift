import PushBuffers

/// Memory for whole lines of a record; belongs to one thread at a time.
///
/// Unchecked: the queue hands it from thread to thread, and its giver keeps no reference.
final class RecordChunk: @unchecked Sendable {
    /// Some three hundred common lines.
    static let standardBytes = 1 << 18

    private let storage: UnsafeMutableRawBufferPointer
    private(set) var byteCount = 0
    /// How many lines it holds.
    private(set) var lineCount: UInt64 = 0

    init(byteCount: Int = RecordChunk.standardBytes) {
        storage = .allocate(byteCount: byteCount, alignment: 64)
    }

    deinit { storage.deallocate() }

    /// Whether it is one that can be used again for any line.
    var isStandard: Bool { storage.count == Self.standardBytes }

    /// How many bytes still fit.
    var freeBytes: Int { storage.count - byteCount }

    /// The lines.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<byteCount]) }

    /// Lets `fill` append one line, which has to fit.
    func appendLine(_ fill: (inout OutputRawSpan) -> Void) {
        let free = UnsafeMutableRawBufferPointer(rebasing: storage[byteCount...])
        var output = OutputRawSpan(buffer: free, initializedCount: 0)
        fill(&output)
        byteCount += output.finalize(for: free)
        lineCount += 1
    }

    /// Makes it empty again.
    func clear() {
        byteCount = 0
        lineCount = 0
    }
}
