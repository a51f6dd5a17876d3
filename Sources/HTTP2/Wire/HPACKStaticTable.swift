/// A field of an HPACK table: where its bytes stand and what is known of them.
struct HPACKEntry {
    /// The name's place in the table's bytes; the value follows.
    var offset: UInt32
    var nameCount: UInt32
    var valueCount: UInt32
    var name: HPACKFieldName
    /// Whether the value obeys RFC 9113 section 8.2.1.
    var isValueWellFormed: Bool

    /// What the entry counts against the table's size (RFC 7541 section 4.1).
    var size: Int { Int(nameCount) + Int(valueCount) + 32 }
}

/// The static table (RFC 7541 appendix A) in the decoder's form.
enum HPACKStaticTable {
    static let count = 61

    /// Entry `index - 1` is the one of `index`.
    ///
    /// Written once before the first use and never again, so any thread may read it.
    nonisolated(unsafe) static let entries: UnsafePointer<HPACKEntry> = tables.entries
    /// The bytes the entries' offsets count from; immutable like ``entries``.
    nonisolated(unsafe) static let bytes: UnsafeRawPointer = tables.bytes

    // Built by the one initialiser of a global and only read after it.
    nonisolated(unsafe) private static let tables = makeTables()

    private static func makeTables() -> (
        entries: UnsafePointer<HPACKEntry>, bytes: UnsafeRawPointer
    ) {
        let entries = UnsafeMutablePointer<HPACKEntry>.allocate(capacity: count)
        var total = 0
        for row in rows { total += row.0.utf8CodeUnitCount + row.1.utf8CodeUnitCount }
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: total, alignment: 16)
        var offset = 0
        for (index, row) in rows.enumerated() {
            let start = offset
            for part in [row.0, row.1] {
                (bytes + offset).copyMemory(
                    from: part.utf8Start,
                    byteCount: part.utf8CodeUnitCount
                )
                offset += part.utf8CodeUnitCount
            }
            (entries + index).initialize(
                to: HPACKEntry(
                    offset: UInt32(start),
                    nameCount: UInt32(row.0.utf8CodeUnitCount),
                    valueCount: UInt32(row.1.utf8CodeUnitCount),
                    name: HPACKFieldName(bytes + start, count: row.0.utf8CodeUnitCount),
                    isValueWellFormed: true
                )
            )
        }
        return (UnsafePointer(entries), UnsafeRawPointer(bytes))
    }

    /// The index of a field; `whole` where the value too is the table's.
    static func find(name: [UInt8], value: [UInt8]) -> (index: Int, isWhole: Bool)? {
        var byName: Int?
        for (index, row) in rows.enumerated() where isEqual(row.0, name) {
            if row.1.utf8CodeUnitCount > 0, isEqual(row.1, value) { return (index + 1, true) }
            if byName == nil { byName = index + 1 }
        }
        return byName.map { ($0, false) }
    }

    private static func isEqual(_ text: StaticString, _ bytes: [UInt8]) -> Bool {
        text.withUTF8Buffer { $0.elementsEqual(bytes) }
    }

    private static let rows: [(StaticString, StaticString)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
        (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
        (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
        ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
        ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
        ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
        ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
        ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
        ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""),
        ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""),
        ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}
