/// Bytes in order: written at the end, taken from the start, in one piece of memory that grows.
///
/// Offsets count from the first byte ever written, so that a place in the flow keeps its name.
struct WireBuffer: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private let firstCapacity: Int
    private var start = 0
    private var end = 0
    /// Bytes ever taken.
    private(set) var taken = 0

    init(capacity: Int) {
        firstCapacity = max(capacity, 64)
        self.capacity = firstCapacity
        base = .allocate(byteCount: self.capacity, alignment: 64)
    }

    deinit { base.deallocate() }

    /// Bytes that wait.
    var count: Int { end - start }
    var isEmpty: Bool { end == start }
    /// The first byte that waits; valid until the next change.
    var first: UnsafeRawPointer { UnsafeRawPointer(base + start) }
    /// Bytes ever written.
    var written: Int { taken + count }

    /// Room for `byteCount` bytes behind the last; use `commit(_:)` for those that were written.
    @inline(__always)
    mutating func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if capacity - end < byteCount { makeRoom(byteCount) }
        return base + end
    }

    @inline(__always)
    mutating func commit(_ byteCount: Int) { end += byteCount }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    mutating func append(_ source: UnsafeRawPointer, count: Int) {
        append(UnsafeRawBufferPointer(start: source, count: count))
    }

    mutating func append(_ byte: UInt8) {
        reserve(1).storeBytes(of: byte, as: UInt8.self)
        end += 1
    }

    /// Takes `byteCount` bytes from the start.
    mutating func drop(_ byteCount: Int) {
        start += byteCount
        taken += byteCount
        if start == end {
            start = 0
            end = 0
        }
    }

    mutating func removeAll() { drop(count) }

    /// Lets go of memory that grew, where nothing waits.
    mutating func trim() {
        guard isEmpty, capacity > firstCapacity else { return }
        base.deallocate()
        capacity = firstCapacity
        base = .allocate(byteCount: capacity, alignment: 64)
    }

    /// Takes bytes out from between others.
    ///
    /// - Parameter ranges: Places of bytes that wait, counted from the first ever written, in order.
    mutating func remove(_ ranges: [Range<Int>]) {
        guard let first = ranges.first else { return }
        var target = first.lowerBound
        for (index, range) in ranges.enumerated() {
            let next = index + 1 < ranges.count ? ranges[index + 1].lowerBound : written
            let kept = next - range.upperBound
            let origin = base + start - taken
            (origin + target).copyMemory(from: origin + range.upperBound, byteCount: kept)
            target += kept
        }
        end -= written - target
    }

    /// Moves as many bytes as fit into `output`.
    mutating func drain(into output: inout OutputRawSpan) {
        let free = output.freeCapacity
        let moved = min(count, free)
        guard moved > 0 else { return }
        let source = first
        output.withUnsafeMutableBytes { bytes, initialized in
            guard let target = bytes.baseAddress else { return }
            (target + initialized).copyMemory(from: source, byteCount: moved)
            initialized += moved
        }
        drop(moved)
    }

    @inline(never)
    private mutating func makeRoom(_ byteCount: Int) {
        let waiting = count
        // Moving pays only when it frees at least as much as it moves.
        if start >= waiting, capacity - waiting >= byteCount {
            base.copyMemory(from: base + start, byteCount: waiting)
        } else {
            var larger = capacity * 2
            while larger - waiting < byteCount { larger *= 2 }
            let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 64)
            memory.copyMemory(from: base + start, byteCount: waiting)
            base.deallocate()
            base = memory
            capacity = larger
        }
        start = 0
        end = waiting
    }
}
