#if canImport(Glibc)
import Glibc
#endif

/// The last request's header block without its path, and what it decoded to.
///
/// Pushes of one connection differ in the path, and in a `content-length` at the end of the block. A
/// block with the same bytes else, over the same dynamic table, has the same other fields: nothing is
/// decoded but these two. Only blocks that leave the table as it is are kept.
struct WireRequestCache: ~Copyable {
    /// Names the contents; 0 where there are none.
    private(set) var version: UInt64 = 0
    private var tableVersion: UInt64 = 0
    /// The block's bytes up to the path's value, then those behind it, the `content-length`'s value
    /// left out where that comes last.
    private var block = WireHeldBytes()
    private var prefixCount = 0
    private var suffixCount = 0
    /// Whether a `content-length` that may differ ends the block.
    private var hasLength = false
    /// The digits of the last one, in the block where they are not coded, else in `decoded`: valid as
    /// long as the path that was given.
    private var digits: UnsafeRawPointer
    private var digitCount = 0
    private let decoded: UnsafeMutableRawPointer
    /// The values of all fields but the path and the length that may differ.
    private var values = WireHeldBytes()
    private let ranges: UnsafeMutablePointer<RequestView.FieldRange>
    private(set) var expected = -1
    private(set) var isHead = false
    private(set) var duplicatedField: RequestField?
    private var listSize = 0

    init() {
        decoded = .allocate(byteCount: Self.mostDigits, alignment: 1)
        digits = UnsafeRawPointer(decoded)
        ranges = .allocate(capacity: HPACKFieldName.requestFieldCount)
        ranges.initialize(
            repeating: RequestView.FieldRange(),
            count: HPACKFieldName.requestFieldCount
        )
    }

    /// Numbers of so many digits cannot overflow, and none is over what a body may have.
    private static let mostDigits = 18

    deinit {
        decoded.deallocate()
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
        hasLength =
            head.lengthEnd == count && head.lengthStart >= head.pathEnd
            && WireContentLength.isName(source + head.lengthStart)
        // The name's two bytes are as constant as what is before them.
        suffixCount = (hasLength ? head.lengthStart + 2 : count) - head.pathEnd
        digitCount = 0
        block.clear()
        block.append(source, count: prefixCount)
        block.append(source + head.pathEnd, count: suffixCount)
        values.clear()
        for index in 0..<HPACKFieldName.requestFieldCount {
            let range = head.ranges[index]
            ranges[index] = range
            guard range.offset != RequestView.FieldRange.absent,
                index != Int(RequestField.path.rawValue),
                !hasLength || index != Int(RequestField.contentLength.rawValue)
            else { continue }
            ranges[index].offset = UInt32(truncatingIfNeeded: values.count)
            values.append(head.bytes + Int(range.offset), count: Int(range.count))
        }
        expected = head.expected
        isHead = head.isHead
        duplicatedField = head.duplicatedField
        listSize = head.listSize - Int(head.ranges[Int(RequestField.path.rawValue)].count)
        if hasLength {
            listSize -= Int(head.ranges[Int(RequestField.contentLength.rawValue)].count)
        }
    }

    /// The path of a block that differs from the kept one in the path, and in its length where that
    /// may differ, alone; nil for any other.
    ///
    /// The length is ``expected`` then.
    @inline(__always)
    mutating func path(
        in source: UnsafeRawPointer,
        count: Int,
        limit: Int,
        decoder: inout HPACKDecoder
    ) -> UnsafeRawBufferPointer? {
        guard version != 0, decoder.isUnchanged(since: tableVersion),
            count > prefixCount + suffixCount, let known = block.bytes.baseAddress,
            memcmp(source, known, prefixCount) == 0
        else { return nil }
        let start = source + prefixCount
        let first = start.load(as: UInt8.self)
        var room = count - prefixCount - suffixCount
        if hasLength {
            // Paths whose length takes more than a byte are decoded the long way.
            let pathRoom = 1 + Int(first & 0x7F)
            guard first & 0x7F < 0x7F, pathRoom < room else { return nil }
            room = pathRoom
        }
        guard memcmp(start + room, known + prefixCount, suffixCount) == 0 else { return nil }
        if hasLength {
            let place = start + room + suffixCount
            guard takeLength(at: place, end: source + count, decoder: &decoder) else { return nil }
        }
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
        guard byteCount > 0, listSize + byteCount + digitCount <= limit,
            HPACKFieldName.isWellFormed(value: bytes, count: byteCount)
        else { return nil }
        return UnsafeRawBufferPointer(start: bytes, count: byteCount)
    }

    /// Takes the length that ends a block; false where it has to be looked at the long way.
    @inline(__always)
    private mutating func takeLength(
        at start: UnsafeRawPointer,
        end: UnsafeRawPointer,
        decoder: inout HPACKDecoder
    ) -> Bool {
        let first = start.load(as: UInt8.self)
        if first < 0x7F, start + 1 + Int(first) == end {
            digits = start + 1
            digitCount = Int(first)
        } else {
            guard let found = decoder.string(at: start, end: end), found.next == end,
                found.count <= Self.mostDigits
            else { return false }
            // The decoder's memory is used again for the path.
            decoded.copyMemory(from: found.bytes, byteCount: found.count)
            digits = UnsafeRawPointer(decoded)
            digitCount = found.count
        }
        guard digitCount > 0, digitCount <= Self.mostDigits else { return false }
        var number = 0
        var position = 0
        while position < digitCount {
            let digit = digits.load(fromByteOffset: position, as: UInt8.self) &- 0x30
            guard digit <= 9 else { return false }
            number = number &* 10 &+ Int(digit)
            position += 1
        }
        expected = number
        return true
    }

    /// Puts the kept fields, `path` and the last length into a stream's memory.
    @inline(__always)
    func fill(
        _ stream: inout WireServerStreamBytes,
        ranges target: UnsafeMutablePointer<RequestView.FieldRange>,
        path: UnsafeRawBufferPointer
    ) {
        let room = stream.fieldRoom(values.count + path.count + digitCount)
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
        guard hasLength else { return }
        let place = values.count + path.count
        (room + place).copyMemory(from: digits, byteCount: digitCount)
        target[Int(RequestField.contentLength.rawValue)] = RequestView.FieldRange(
            offset: UInt32(truncatingIfNeeded: place),
            count: UInt32(truncatingIfNeeded: digitCount)
        )
    }
}
