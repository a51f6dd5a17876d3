/// A request's fields while its block is decoded: checked against RFC 9113 section 8 and put in
/// their places.
struct WireRequestHead: HPACKSink {
    /// Memory for `limit` bytes of values.
    let bytes: UnsafeMutableRawPointer
    /// A range for each ``RequestField``.
    let ranges: UnsafeMutablePointer<RequestView.FieldRange>
    /// The largest header list that is taken.
    let limit: Int
    private(set) var used = 0
    private(set) var listSize = 0
    private(set) var duplicatedField: RequestField?
    private(set) var expected = -1
    private(set) var isMalformed = false
    private var hasRegular = false
    private(set) var hasPseudo = false
    /// Where the path's representation stands in the block.
    private(set) var pathStart = 0
    private(set) var pathEnd = 0
    /// Where the `content-length` stands in the block; 0 where there is none.
    private(set) var lengthStart = 0
    private(set) var lengthEnd = 0

    init(
        bytes: UnsafeMutableRawPointer,
        ranges: UnsafeMutablePointer<RequestView.FieldRange>,
        limit: Int
    ) {
        self.bytes = bytes
        self.ranges = ranges
        self.limit = limit
        ranges.update(
            repeating: RequestView.FieldRange(),
            count: HPACKFieldName.requestFieldCount
        )
    }

    var isOverLimit: Bool { listSize > limit }

    mutating func take(_ field: HPACKField) {
        listSize += field.listSize
        if !field.isValueWellFormed { isMalformed = true }
        let name = field.name
        if name.isPseudo {
            if hasRegular { isMalformed = true }
            hasPseudo = true
        } else {
            hasRegular = true
        }
        switch name {
        case .status, .unknownPseudo, .malformed, .connectionSpecific:
            isMalformed = true
        case .te:
            let isTrailers =
                field.valueCount == 8
                && field.value.elementsEqual("trailers".utf8)
            if !isTrailers { isMalformed = true }
        case .other, .retryAfter:
            break
        default:
            place(field)
        }
    }

    private mutating func place(_ field: HPACKField) {
        let index = Int(field.name.rawValue)
        if field.name == .contentLength {
            guard let length = WireResponseHead.number(field.value, limit: 1 << 60),
                expected == -1 || expected == length
            else {
                isMalformed = true
                return
            }
            expected = length
        }
        guard ranges[index].offset == RequestView.FieldRange.absent else {
            if field.name.isPseudo { isMalformed = true }
            if duplicatedField == nil { duplicatedField = RequestField(rawValue: UInt8(index)) }
            return
        }
        if field.name == .path {
            pathStart = field.blockStart
            pathEnd = field.blockEnd
        } else if field.name == .contentLength {
            lengthStart = field.blockStart
            lengthEnd = field.blockEnd
        }
        // Over the limit nothing is kept: the request will not be seen.
        guard !isOverLimit else { return }
        ranges[index] = RequestView.FieldRange(
            offset: UInt32(truncatingIfNeeded: used),
            count: UInt32(truncatingIfNeeded: field.valueCount)
        )
        (bytes + used).copyMemory(from: field.valueBytes, byteCount: field.valueCount)
        used += field.valueCount
    }

    func has(_ field: RequestField) -> Bool {
        ranges[Int(field.rawValue)].offset != RequestView.FieldRange.absent
    }

    private func value(_ field: RequestField) -> UnsafeRawBufferPointer {
        let range = ranges[Int(field.rawValue)]
        return UnsafeRawBufferPointer(start: bytes + Int(range.offset), count: Int(range.count))
    }

    private func isValue(_ field: RequestField, _ text: StaticString) -> Bool {
        has(field) && text.withUTF8Buffer { value(field).elementsEqual($0) }
    }

    var isHead: Bool { isValue(.method, "HEAD") }

    /// Whether the fields make a request (RFC 9113 sections 8.3.1 and 8.5).
    var isRequest: Bool {
        guard !isMalformed, has(.method) else { return false }
        if isValue(.method, "CONNECT") {
            return has(.authority) && !has(.scheme) && !has(.path)
        }
        return has(.scheme) && has(.path) && !value(.path).isEmpty
    }

    /// Whether the fields can stand behind a body (RFC 9113 section 8.1).
    var isTrailer: Bool { !isMalformed && !hasPseudo }
}
