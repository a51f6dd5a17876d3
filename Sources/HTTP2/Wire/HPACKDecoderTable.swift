/// The dynamic table of an HPACK decoder (RFC 7541 section 2.3.2): a ring of entries over one piece
/// of memory for their bytes.
///
/// The memory is twice the table's largest size. An entry's bytes stand in one piece: where the end
/// leaves no room, they go to the start. That never meets a live entry, since the live ones are
/// less than half of the memory.
struct HPACKDecoderTable: ~Copyable {
    private var entries: UnsafeMutablePointer<HPACKEntry>
    /// A power of two.
    private var entryCapacity: Int
    private(set) var bytes: UnsafeMutableRawPointer
    private var byteCapacity: Int
    private var nextByte = 0
    /// Entries ever inserted; the newest stands at this number less one.
    private var inserted = 0
    private(set) var count = 0
    private(set) var size = 0
    /// The size the encoder chose.
    private(set) var capacity: Int
    /// Grows with every change: equal versions mean equal contents.
    private(set) var version: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
        entryCapacity = Self.entryCapacity(for: capacity)
        byteCapacity = max(2 * capacity, 64)
        entries = .allocate(capacity: entryCapacity)
        bytes = .allocate(byteCount: byteCapacity, alignment: 64)
    }

    deinit {
        entries.deallocate()
        bytes.deallocate()
    }

    private static func entryCapacity(for size: Int) -> Int {
        var capacity = 2
        while capacity < size / 32 + 1 { capacity *= 2 }
        return capacity
    }

    /// The entry `distance` behind the newest.
    @inline(__always)
    func entry(_ distance: Int) -> HPACKEntry? {
        guard distance < count else { return nil }
        return entries[(inserted &- 1 &- distance) & (entryCapacity &- 1)]
    }

    /// Sets the size to `capacity` and evicts what is over it.
    mutating func resize(to capacity: Int) {
        version &+= 1
        self.capacity = capacity
        evict(toLeave: capacity)
        if 2 * capacity > byteCapacity || Self.entryCapacity(for: capacity) > entryCapacity {
            grow()
        }
    }

    /// Inserts a field (RFC 7541 section 4.4); one larger than the table empties it.
    ///
    /// `name` may stand in the table's own memory, `value` may not.
    mutating func insert(
        name: UnsafeRawPointer,
        nameCount: Int,
        nameKind: HPACKFieldName,
        value: UnsafeRawPointer,
        valueCount: Int,
        isValueWellFormed: Bool
    ) {
        version &+= 1
        let added = nameCount + valueCount + 32
        guard added <= capacity else {
            evict(toLeave: 0)
            return
        }
        evict(toLeave: capacity - added)
        let byteCount = nameCount + valueCount
        if nextByte + byteCount > byteCapacity { nextByte = 0 }
        let target = bytes + nextByte
        // The name first: its source may be an entry that was just evicted, and what is written
        // here may lie over it.
        target.copyMemory(from: name, byteCount: nameCount)
        (target + nameCount).copyMemory(from: value, byteCount: valueCount)
        (entries + (inserted & (entryCapacity - 1))).initialize(
            to: HPACKEntry(
                offset: UInt32(truncatingIfNeeded: nextByte),
                nameCount: UInt32(truncatingIfNeeded: nameCount),
                valueCount: UInt32(truncatingIfNeeded: valueCount),
                name: nameKind,
                isValueWellFormed: isValueWellFormed
            )
        )
        nextByte += byteCount
        inserted &+= 1
        count += 1
        size += added
    }

    private mutating func evict(toLeave limit: Int) {
        while size > limit {
            count -= 1
            size -= entries[(inserted &- 1 &- count) & (entryCapacity - 1)].size
        }
    }

    private mutating func grow() {
        let newByteCapacity = max(2 * capacity, byteCapacity)
        let newEntryCapacity = max(Self.entryCapacity(for: capacity), entryCapacity)
        let newBytes = UnsafeMutableRawPointer.allocate(
            byteCount: newByteCapacity,
            alignment: 64
        )
        let newEntries = UnsafeMutablePointer<HPACKEntry>.allocate(capacity: newEntryCapacity)
        nextByte = 0
        for position in (inserted - count)..<inserted {
            var entry = entries[position & (entryCapacity - 1)]
            let byteCount = Int(entry.nameCount + entry.valueCount)
            (newBytes + nextByte).copyMemory(
                from: bytes + Int(entry.offset),
                byteCount: byteCount
            )
            entry.offset = UInt32(nextByte)
            nextByte += byteCount
            (newEntries + (position & (newEntryCapacity - 1))).initialize(to: entry)
        }
        entries.deallocate()
        bytes.deallocate()
        entries = newEntries
        bytes = newBytes
        entryCapacity = newEntryCapacity
        byteCapacity = newByteCapacity
    }
}
