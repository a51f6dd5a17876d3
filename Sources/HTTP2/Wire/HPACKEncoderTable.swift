/// What the peer's decoder holds in its dynamic table, by sizes alone: whoever encodes keeps the
/// number that ``insert(size:)`` gave and asks ``index(of:)`` whether the entry still stands.
struct HPACKEncoderTable {
    /// This side's own limit: what pushes need fits well, and the peer's memory is spared.
    static let ownLimit = 4096

    private var sizes = [Int](repeating: 0, count: ownLimit / 32)
    private var inserted = 0
    private var count = 0
    private var size = 0
    /// The size that the peer's decoder keeps once it has read all that was written.
    private(set) var capacity = ownLimit
    /// The smallest and the last size to be announced at the start of the next block.
    private var pending: (smallest: Int, last: Int)?

    /// Whether the next block has to begin with ``writeSizeUpdates(to:)``.
    var needsSizeUpdate: Bool { pending != nil }

    /// Obeys a SETTINGS_HEADER_TABLE_SIZE of the peer.
    mutating func obey(limit: UInt32) {
        let wanted = min(Int(limit), Self.ownLimit)
        guard wanted != capacity || pending != nil else { return }
        pending = (min(pending?.smallest ?? wanted, wanted), wanted)
        // The size that will hold when the next block is encoded; what is over it is gone by then.
        capacity = wanted
        evict(toLeave: pending?.smallest ?? wanted)
    }

    /// Writes the size updates that are due, and forgets them.
    mutating func writeSizeUpdates(to block: inout WireBuffer) {
        guard let due = pending else { return }
        pending = nil
        if due.smallest < due.last { block.appendInteger(due.smallest, prefix: 5, first: 0x20) }
        block.appendInteger(due.last, prefix: 5, first: 0x20)
    }

    /// Notes that a field of `size` (name, value and 32) was written with incremental indexing.
    ///
    /// - Returns: The entry's number for ``index(of:)``; 0 where it is larger than the table.
    mutating func insert(size added: Int) -> Int {
        evict(toLeave: max(0, capacity - added))
        guard added <= capacity else { return 0 }
        inserted += 1
        sizes[inserted % sizes.count] = added
        count += 1
        size += added
        return inserted
    }

    /// The wire index of entry `number`; nil where it was evicted or never stood.
    @inline(__always)
    func index(of number: Int) -> Int? {
        let distance = inserted - number
        guard number > 0, distance < count else { return nil }
        return 62 + distance
    }

    private mutating func evict(toLeave limit: Int) {
        while size > limit {
            size -= sizes[(inserted - count + 1) % sizes.count]
            count -= 1
        }
    }
}

extension WireBuffer {
    /// Appends an HPACK integer (RFC 7541 section 5.1) whose first byte has `first` above the prefix.
    mutating func appendInteger(_ value: Int, prefix: Int, first: UInt8) {
        let mask = (1 << prefix) - 1
        guard value >= mask else {
            append(first | UInt8(truncatingIfNeeded: value))
            return
        }
        append(first | UInt8(truncatingIfNeeded: mask))
        var rest = value - mask
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest & 0x7F | 0x80))
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a string literal without Huffman coding: it would save bytes but cost more time than
    /// they do.
    mutating func appendString(_ bytes: UnsafeRawBufferPointer) {
        appendInteger(bytes.count, prefix: 7, first: 0)
        append(bytes)
    }

    /// Appends a string literal without Huffman coding.
    mutating func appendString(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { appendString($0) }
    }
}
