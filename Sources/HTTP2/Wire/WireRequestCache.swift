#if canImport(Glibc)
import Glibc
#endif

/// The last request's header block without its path, and what it decoded to.
///
/// Pushes of one connection differ in the path alone. A block with the same bytes before and behind
/// the path, over the same dynamic table, has the same other fields: nothing is decoded but the
/// path. Only blocks that leave the table as it is are kept.
struct WireRequestCache: ~Copyable {
    /// Names the contents; 0 where there are none.
    private(set) var version: UInt64 = 0
    private var tableVersion: UInt64 = 0
    /// The block's bytes up to the path's value, then those behind it.
    private var block = WireHeldBytes()
    private var prefixCount = 0
    private var suffixCount = 0
    /// The values of all fields but the path.
    private var values = WireHeldBytes()
    private let ranges: UnsafeMutablePointer<RequestView.FieldRange>
    private(set) var expected = -1
    private(set) var isHead = false
    private(set) var duplicatedField: RequestField?
    private var listSize = 0

    init() {
        ranges = .allocate(capacity: HPACKFieldName.requestFieldCount)
        ranges.initialize(
            repeating: RequestView.FieldRange(),
            count: HPACKFieldName.requestFieldCount
        )
    }

    deinit {
        ranges.deallocate()
        var block = block
        var values = values
        block.deallocate()
        values.deallocate()
    }

    /// Keeps a request whose block left the table at `tableVersion`, where that is of use.
    mutating func keep(
        _ head: WireRequestHead,
        block source: UnsafeRawPointer,
        count: Int,
        tableVersion: UInt64
    ) {
        guard head.pathEnd > head.pathStart else { return }
        // A literal without indexing, or never indexed, under a static name.
        let first = source.load(fromByteOffset: head.pathStart, as: UInt8.self)
        guard first & 0xE0 == 0, first & 0x0F == 4 || first & 0x0F == 5 else { return }
        version += 1
        self.tableVersion = tableVersion
        prefixCount = head.pathStart + 1
        suffixCount = count - head.pathEnd
        block.clear()
        block.append(source, count: prefixCount)
        block.append(source + head.pathEnd, count: suffixCount)
        values.clear()
        for index in 0..<HPACKFieldName.requestFieldCount {
            let range = head.ranges[index]
            ranges[index] = range
            guard range.offset != RequestView.FieldRange.absent,
                index != Int(RequestField.path.rawValue)
            else { continue }
            ranges[index].offset = UInt32(truncatingIfNeeded: values.count)
            values.append(head.bytes + Int(range.offset), count: Int(range.count))
        }
        expected = head.expected
        isHead = head.isHead
        duplicatedField = head.duplicatedField
        listSize = head.listSize - Int(head.ranges[Int(RequestField.path.rawValue)].count)
    }

    /// The path of a block that differs from the kept one in the path alone; nil for any other.
    @inline(__always)
    func path(
        in source: UnsafeRawPointer,
        count: Int,
        limit: Int,
        decoder: inout HPACKDecoder
    ) -> UnsafeRawBufferPointer? {
        guard version != 0, decoder.isUnchanged(since: tableVersion),
            count > prefixCount + suffixCount, let known = block.bytes.baseAddress,
            memcmp(source, known, prefixCount) == 0,
            memcmp(source + (count - suffixCount), known + prefixCount, suffixCount) == 0
        else { return nil }
        let start = source + prefixCount
        let room = count - prefixCount - suffixCount
        let first = start.load(as: UInt8.self)
        let bytes: UnsafeRawPointer
        let byteCount: Int
        if first < 0x7F, Int(first) + 1 == room {
            bytes = start + 1
            byteCount = Int(first)
        } else {
            guard
                let found = decoder.string(at: start, end: start + room),
                found.next == start + room
            else { return nil }
            bytes = found.bytes
            byteCount = found.count
        }
        guard byteCount > 0, listSize + byteCount <= limit,
            HPACKFieldName.isWellFormed(value: bytes, count: byteCount)
        else { return nil }
        return UnsafeRawBufferPointer(start: bytes, count: byteCount)
    }

    /// Puts the kept fields and `path` into a stream's memory.
    @inline(__always)
    func fill(
        _ stream: inout WireServerStreamBytes,
        ranges target: UnsafeMutablePointer<RequestView.FieldRange>,
        path: UnsafeRawBufferPointer
    ) {
        let room = stream.fieldRoom(values.count + path.count)
        if stream.cacheVersion != version {
            stream.cacheVersion = version
            if let source = values.bytes.baseAddress {
                room.copyMemory(from: source, byteCount: values.count)
            }
            target.update(from: ranges, count: HPACKFieldName.requestFieldCount)
        }
        if let source = path.baseAddress {
            (room + values.count).copyMemory(from: source, byteCount: path.count)
        }
        target[Int(RequestField.path.rawValue)] = RequestView.FieldRange(
            offset: UInt32(truncatingIfNeeded: values.count),
            count: UInt32(truncatingIfNeeded: path.count)
        )
    }
}
