/// Memory of one stream for bytes that have to wait; kept from stream to stream.
struct WireHeldBytes {
    /// What is kept of the memory when a stream is over.
    private static let keptCapacity = 8192

    private(set) var start: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private(set) var count = 0
    /// Bytes at the front that are done with.
    private(set) var done = 0

    var remaining: Int { count - done }
    var next: UnsafeRawPointer? { start.map { UnsafeRawPointer($0 + done) } }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func append(_ source: UnsafeRawPointer, count added: Int) {
        guard added > 0 else { return }
        if count + added > capacity { grow(count + added) }
        guard let start else { return }
        (start + count).copyMemory(from: source, byteCount: added)
        count += added
    }

    mutating func advance(_ byteCount: Int) { done += byteCount }

    /// Forgets the bytes; lets go of the memory where it was unusually large.
    @inline(__always)
    mutating func clear() {
        count = 0
        done = 0
        if capacity > Self.keptCapacity { deallocate() }
    }

    mutating func deallocate() {
        start?.deallocate()
        start = nil
        capacity = 0
        count = 0
        done = 0
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        var larger = max(512, capacity * 2)
        while larger < needed { larger *= 2 }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let start {
            memory.copyMemory(from: start, byteCount: count)
            start.deallocate()
        }
        start = memory
        capacity = larger
    }
}
