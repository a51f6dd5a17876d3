extension Histogram {
    /// The histogram in HdrHistogram's V2 encoding, not compressed.
    ///
    /// A header of 40 bytes, then the counts up to the last that is not 0 as ZigZag LEB128
    /// numbers, a negative one standing for that many empty slots. ``outOfRangeCount`` is not in it.
    ///
    /// - Returns: The bytes, which any HdrHistogram library reads.
    public func encodeV2() -> [UInt8] {
        let payload = encodeCounts()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(HistogramEncoding.headerLength + payload.count)
        bytes.appendBigEndian(HistogramEncoding.cookie)
        bytes.appendBigEndian(UInt32(payload.count))
        bytes.appendBigEndian(UInt32(0))  // The offset of a shifted histogram.
        bytes.appendBigEndian(UInt32(configuration.significantDigits))
        bytes.appendBigEndian(configuration.lowestDiscernible)
        bytes.appendBigEndian(configuration.highestTrackable)
        bytes.appendBigEndian(HistogramEncoding.unscaledRatio)
        bytes += payload
        return bytes
    }

    /// The histogram in HdrHistogram's V2 encoding, compressed with zlib.
    ///
    /// In base64 this is what `.hlog` files and the field `hdr` of a result hold.
    ///
    /// - Returns: The bytes, which any HdrHistogram library reads.
    /// - Throws: ``HistogramError/compressionFailed`` where zlib finds no memory.
    public func encodeV2Compressed() throws(HistogramError) -> [UInt8] {
        let compressed = try Zlib.compress(encodeV2())
        var bytes: [UInt8] = []
        bytes.reserveCapacity(HistogramEncoding.compressedHeaderLength + compressed.count)
        bytes.appendBigEndian(HistogramEncoding.compressedCookie)
        bytes.appendBigEndian(UInt32(compressed.count))
        bytes += compressed
        return bytes
    }

    private func encodeCounts() -> [UInt8] {
        var bytes: [UInt8] = []
        var empty: Int64 = 0
        for slot in 0..<configuration.slotCount {
            let count = counts[slot]
            guard count != 0 else {
                empty += 1
                continue
            }
            // One empty slot takes the same byte as 0 and as a run of one: HdrHistogram writes 0.
            if empty > 0 {
                bytes.appendZigZag(empty == 1 ? 0 : -empty)
                empty = 0
            }
            bytes.appendZigZag(count)
        }
        return bytes
    }
}

/// The constants of HdrHistogram's V2 encoding.
enum HistogramEncoding {
    /// The first four bytes of an encoding without compression.
    static let cookie: UInt32 = 0x1c84_9303 | 0x10
    /// The first four bytes of a compressed encoding.
    static let compressedCookie: UInt32 = 0x1c84_9304 | 0x10
    /// Cookie, payload length, offset, digits (4 bytes each); lowest, highest, ratio (8 each).
    static let headerLength = 40
    /// Cookie and length of the zlib stream.
    static let compressedHeaderLength = 8
    /// The ratio 1.0, as bits: values are integers as they stand.
    static let unscaledRatio = (1.0).bitPattern
}

extension [UInt8] {
    /// Appends `value`, most significant byte first.
    fileprivate mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends `value` in 1 to 9 bytes: seven bits each with a flag for more, the ninth whole.
    fileprivate mutating func appendZigZag(_ value: Int64) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        for _ in 0..<8 {
            guard rest > 0x7f else {
                append(UInt8(rest))
                return
            }
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
