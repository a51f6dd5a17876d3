/// Bytes at a stable address that are filled again and again.
struct GrowingBytes: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private(set) var count = 0

    deinit { start?.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { count = 0 }

    /// Makes room for `total` bytes; moves the bytes where it has to grow.
    mutating func reserve(_ total: Int) {
        if total <= capacity { return }
        var larger = max(capacity * 2, 128)
        while larger < total { larger *= 2 }
        let block = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        if let start {
            block.copyMemory(from: start, byteCount: count)
            start.deallocate()
        }
        start = block
        capacity = larger
    }

    mutating func append(_ source: UnsafeRawBufferPointer) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        reserve(count + source.count)
        start?.advanced(by: count).copyMemory(from: from, byteCount: source.count)
        count += source.count
    }

    /// Gives memory back that is larger than `size`.
    mutating func shrink(above size: Int) {
        if capacity <= size { return }
        start?.deallocate()
        start = nil
        capacity = 0
        count = 0
    }
}
