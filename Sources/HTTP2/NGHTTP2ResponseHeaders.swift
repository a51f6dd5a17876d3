import CNghttp2

/// Builds the header fields of answers in memory that is used again for each.
///
/// Names are never copied by nghttp2; values are, so that this memory is free again as soon as
/// an answer is submitted.
struct NGHTTP2ResponseHeaders: ~Copyable {
    /// `:status`, `apns-id`, `apns-unique-id` and `content-type`.
    private static let knownFields = 4
    private static let uuidCount = 36

    private(set) var fields: UnsafeMutablePointer<nghttp2_nv>
    private(set) var count = 0
    private var capacity = NGHTTP2ResponseHeaders.knownFields
    /// The status, two UUIDs, then the further fields.
    private var text = GrowingBytes()

    init() {
        fields = .allocate(capacity: capacity)
    }

    deinit { fields.deallocate() }

    /// Writes the fields of `response`.
    mutating func fill(from response: borrowing ServerResponse) {
        let further = response.fields.count
        if Self.knownFields + further > capacity {
            fields.deallocate()
            capacity = Self.knownFields + further
            fields = .allocate(capacity: capacity)
        }
        var size = 3 + 2 * Self.uuidCount
        for index in 0..<further {
            let field = response.fields[index]
            size += field.name.utf8.count + field.value.utf8.count
        }
        text.removeAll()
        // All text is in place before the first pointer into it is taken.
        text.reserve(size)
        count = 0

        append(":status", value: write(status: response.status))
        if let apnsID = response.apnsID {
            append("apns-id", value: write(apnsID), flags: NGHTTP2_NV_FLAG_NO_INDEX)
        }
        if let uniqueID = response.apnsUniqueID {
            append("apns-unique-id", value: write(uniqueID), flags: NGHTTP2_NV_FLAG_NO_INDEX)
        }
        if !response.body.isEmpty {
            let json: StaticString = "application/json"
            append(
                "content-type",
                value: UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount)
            )
        }
        for index in 0..<further {
            let field = response.fields[index]
            append(write(field.name), value: write(field.value), flags: NGHTTP2_NV_FLAG_NONE)
        }
    }

    private mutating func append(
        _ name: StaticString,
        value: UnsafeRawBufferPointer,
        flags: nghttp2_nv_flag = NGHTTP2_NV_FLAG_NONE
    ) {
        append(
            UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
            value: value,
            flags: nghttp2_nv_flag(
                rawValue: flags.rawValue | NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
            )
        )
    }

    private mutating func append(
        _ name: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer,
        flags: nghttp2_nv_flag
    ) {
        fields.advanced(by: count).initialize(
            to: nghttp2_nv(
                name: mutable(name),
                value: mutable(value),
                namelen: name.count,
                valuelen: value.count,
                flags: UInt8(truncatingIfNeeded: flags.rawValue)
            )
        )
        count += 1
    }

    private func mutable(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
        UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }

    private mutating func write(status: UInt16) -> UnsafeRawBufferPointer {
        let status = min(status, 999)
        var digits = InlineArray<3, UInt8>(repeating: UInt8(ascii: "0"))
        digits[0] += UInt8(status / 100)
        digits[1] += UInt8(status / 10 % 10)
        digits[2] += UInt8(status % 10)
        return unsafe(digits)
    }

    private mutating func write(_ uuid: ServerResponse.UUIDText) -> UnsafeRawBufferPointer {
        unsafe(uuid)
    }

    private mutating func unsafe<let size: Int>(
        _ bytes: InlineArray<size, UInt8>
    ) -> UnsafeRawBufferPointer {
        let start = text.count
        bytes.span.withUnsafeBytes { text.append($0) }
        return UnsafeRawBufferPointer(rebasing: text.bytes[start...])
    }

    private mutating func write(_ string: String) -> UnsafeRawBufferPointer {
        let start = text.count
        var string = string
        string.withUTF8 { text.append(UnsafeRawBufferPointer($0)) }
        return UnsafeRawBufferPointer(rebasing: text.bytes[start...])
    }
}
