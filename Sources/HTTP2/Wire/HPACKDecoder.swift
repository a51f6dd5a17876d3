/// A decoded field; its memory is valid inside ``HPACKSink/take(_:)`` alone.
struct HPACKField {
    var nameBytes: UnsafeRawPointer
    var nameCount: Int
    var valueBytes: UnsafeRawPointer
    var valueCount: Int
    var name: HPACKFieldName
    /// Whether the value obeys RFC 9113 section 8.2.1.
    var isValueWellFormed: Bool
    /// Where the field's representation stands in the block.
    var blockStart: Int
    var blockEnd: Int

    /// What the field counts in a header list (RFC 9113 section 6.5.2).
    var listSize: Int { nameCount + valueCount + 32 }
    var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: valueBytes, count: valueCount)
    }
}

/// Takes the fields of a block in order.
protocol HPACKSink {
    mutating func take(_ field: HPACKField)
}

/// An HPACK decoder (RFC 7541): every representation, Huffman, size updates and all limits.
struct HPACKDecoder: ~Copyable {
    private(set) var table: HPACKDecoderTable
    /// The SETTINGS_HEADER_TABLE_SIZE in force: the largest size the encoder may choose.
    private var limit: Int
    /// Whether the next block has to begin with a size update (RFC 7541 section 4.2).
    private var needsSizeUpdate = false
    private var scratch: UnsafeMutableRawPointer
    private var scratchCapacity: Int
    // Kept here, since a global's address costs a check of its initialiser at each use.
    private let staticEntries = HPACKStaticTable.entries
    private let staticBytes = HPACKStaticTable.bytes
    private let windows = HPACKHuffman.windows

    /// Integers above this are refused; no field of HPACK needs more.
    private static let largestInteger = 1 << 28

    init(limit: Int = 4096) {
        self.limit = limit
        table = HPACKDecoderTable(capacity: limit)
        scratchCapacity = 1024
        scratch = .allocate(byteCount: scratchCapacity, alignment: 16)
    }

    deinit { scratch.deallocate() }

    /// Puts an acknowledged SETTINGS_HEADER_TABLE_SIZE in force.
    mutating func setLimit(_ newLimit: Int) {
        limit = newLimit
        needsSizeUpdate = table.capacity > newLimit
    }

    /// Whether a block would find the dynamic table as it was at `version`.
    @inline(__always)
    func isUnchanged(since version: UInt64) -> Bool {
        table.version == version && !needsSizeUpdate
    }

    /// Decodes a whole block.
    ///
    /// - Throws: COMPRESSION_ERROR; the table can no longer be trusted after it.
    mutating func decode<Sink: HPACKSink>(
        _ block: UnsafeRawPointer,
        count: Int,
        into sink: inout Sink
    ) throws(WireFault) {
        // Huffman makes at most 8 bytes of 5; each string may write one byte too many.
        if scratchCapacity < 2 * count + 64 { growScratch(2 * count + 64) }
        var reader = Reader(base: block, next: block, end: block + count)
        var free = scratch
        if needsSizeUpdate || count > 0 && block.load(as: UInt8.self) & 0xE0 == 0x20 {
            try takeSizeUpdates(&reader)
        }
        while reader.next < reader.end {
            let start = reader.next
            let first = reader.next.load(as: UInt8.self)
            var field: HPACKField
            if first & 0x80 != 0 {
                field = try indexed(reader.integer(prefix: 7))
            } else {
                let isAdded = first & 0x40 != 0
                guard isAdded || first & 0x20 == 0 else {
                    throw WireFault(.compressionError, "a table size update inside a header block")
                }
                let index = try reader.integer(prefix: isAdded ? 6 : 4)
                if index == 0 {
                    let name = try string(&reader, &free)
                    field = HPACKField(
                        nameBytes: name.start,
                        nameCount: name.count,
                        valueBytes: name.start,
                        valueCount: 0,
                        name: HPACKFieldName(name.start, count: name.count),
                        isValueWellFormed: true,
                        blockStart: 0,
                        blockEnd: 0
                    )
                } else {
                    field = try indexed(index)
                }
                let value = try string(&reader, &free)
                field.valueBytes = value.start
                field.valueCount = value.count
                field.isValueWellFormed = HPACKFieldName.isWellFormed(
                    value: value.start,
                    count: value.count
                )
                if isAdded {
                    // The sink first: insertion may overwrite the name's entry.
                    field.blockStart = start - block
                    field.blockEnd = reader.next - block
                    sink.take(field)
                    table.insert(
                        name: field.nameBytes,
                        nameCount: field.nameCount,
                        nameKind: field.name,
                        value: field.valueBytes,
                        valueCount: field.valueCount,
                        isValueWellFormed: field.isValueWellFormed
                    )
                    continue
                }
            }
            field.blockStart = start - block
            field.blockEnd = reader.next - block
            sink.take(field)
        }
    }

    private mutating func takeSizeUpdates(_ reader: inout Reader) throws(WireFault) {
        while reader.next < reader.end, reader.next.load(as: UInt8.self) & 0xE0 == 0x20 {
            let size = try reader.integer(prefix: 5)
            guard size <= limit else {
                throw WireFault(.compressionError, "a table size update above the limit")
            }
            table.resize(to: size)
            needsSizeUpdate = false
        }
        if needsSizeUpdate {
            throw WireFault(.compressionError, "no table size update after the limit was lowered")
        }
    }

    @inline(__always)
    private func indexed(_ index: Int) throws(WireFault) -> HPACKField {
        let entry: HPACKEntry
        let bytes: UnsafeRawPointer
        if index <= HPACKStaticTable.count {
            guard index > 0 else {
                throw WireFault(.compressionError, "an indexed field with index 0")
            }
            entry = staticEntries[index - 1]
            bytes = staticBytes + Int(entry.offset)
        } else {
            guard let found = table.entry(index - HPACKStaticTable.count - 1) else {
                throw WireFault(.compressionError, "an index past the header table")
            }
            entry = found
            bytes = UnsafeRawPointer(table.bytes) + Int(entry.offset)
        }
        return HPACKField(
            nameBytes: bytes,
            nameCount: Int(entry.nameCount),
            valueBytes: bytes + Int(entry.nameCount),
            valueCount: Int(entry.valueCount),
            name: entry.name,
            isValueWellFormed: entry.isValueWellFormed,
            blockStart: 0,
            blockEnd: 0
        )
    }

    private func string(
        _ reader: inout Reader,
        _ free: inout UnsafeMutableRawPointer
    ) throws(WireFault) -> (start: UnsafeRawPointer, count: Int) {
        guard reader.next < reader.end else {
            throw WireFault(.compressionError, "a header block that ends inside a field")
        }
        let isHuffman = reader.next.load(as: UInt8.self) & 0x80 != 0
        let count = try reader.integer(prefix: 7)
        guard count <= reader.end - reader.next else {
            throw WireFault(.compressionError, "a string longer than its header block")
        }
        let start = reader.next
        reader.next += count
        guard isHuffman else { return (start, count) }
        guard
            let decoded = HPACKHuffman.decode(start, count: count, into: free, windows: windows)
        else {
            throw WireFault(.compressionError, "a broken Huffman code")
        }
        defer { free += decoded }
        return (UnsafeRawPointer(free), decoded)
    }

    /// Decodes one string literal on its own, for a block whose other fields are known.
    ///
    /// - Returns: The string, and where the block goes on; nil where it is broken or not whole.
    mutating func string(
        at start: UnsafeRawPointer,
        end: UnsafeRawPointer
    ) -> (bytes: UnsafeRawPointer, count: Int, next: UnsafeRawPointer)? {
        guard end - start > 0 else { return nil }
        if scratchCapacity < 2 * (end - start) + 64 { growScratch(2 * (end - start) + 64) }
        var reader = Reader(base: start, next: start, end: end)
        var free = scratch
        guard let found = try? string(&reader, &free) else { return nil }
        return (found.start, found.count, reader.next)
    }

    @inline(never)
    private mutating func growScratch(_ byteCount: Int) {
        scratch.deallocate()
        scratchCapacity = byteCount * 2
        scratch = .allocate(byteCount: scratchCapacity, alignment: 16)
    }

    /// A place in a block.
    private struct Reader {
        let base: UnsafeRawPointer
        var next: UnsafeRawPointer
        let end: UnsafeRawPointer

        /// Reads an integer (RFC 7541 section 5.1); `next` is before `end`.
        @inline(__always)
        mutating func integer(prefix: Int) throws(WireFault) -> Int {
            let mask = (1 << prefix) - 1
            let value = Int(next.load(as: UInt8.self)) & mask
            next += 1
            return value < mask ? value : try longInteger(from: value)
        }

        @inline(never)
        private mutating func longInteger(from start: Int) throws(WireFault) -> Int {
            var value = start
            var shift = 0
            while true {
                guard next < end else {
                    throw WireFault(.compressionError, "a header block that ends inside an integer")
                }
                let byte = Int(next.load(as: UInt8.self))
                next += 1
                // Five octets carry 35 bits; more are refused, be they zeros.
                guard shift <= 28 else {
                    throw WireFault(.compressionError, "an integer of too many octets")
                }
                value += (byte & 0x7F) << shift
                guard value <= HPACKDecoder.largestInteger else {
                    throw WireFault(.compressionError, "an integer out of range")
                }
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
        }
    }
}
