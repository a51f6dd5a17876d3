extension Histogram {
    /// Reads a histogram from HdrHistogram's V2 encoding, compressed or not.
    ///
    /// Made for bytes that cannot be trusted: whatever they are, the answer is a histogram that is
    /// consistent in itself or an error. Memory stays below what the stated range needs at most
    /// (49 MB for the widest that exists) and below 1,040 times the bytes given.
    ///
    /// - Parameter bytes: The whole encoding and nothing after it.
    /// - Returns: The histogram; its ``outOfRangeCount`` is 0.
    /// - Throws: ``HistogramError`` that says what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8]) throws(HistogramError) -> Histogram {
        var reader = EncodingReader(bytes[...])
        let cookie = try reader.bigEndian(UInt32.self)
        guard cookie == HistogramEncoding.compressedCookie else {
            return try decodeV2(bytes[...])
        }
        let length = Int(try reader.bigEndian(UInt32.self))
        guard length == reader.rest.count else {
            throw .lengthMismatch(stated: length, found: reader.rest.count)
        }
        return try decodeV2(Zlib.decompress(reader.rest)[...])
    }

    private static func decodeV2(_ bytes: ArraySlice<UInt8>) throws(HistogramError) -> Histogram {
        var reader = EncodingReader(bytes)
        let cookie = try reader.bigEndian(UInt32.self)
        guard cookie == HistogramEncoding.cookie else {
            throw .unknownCookie(cookie)
        }
        let payloadLength = Int(try reader.bigEndian(UInt32.self))
        let offset = try reader.bigEndian(UInt32.self)
        let digits = try reader.bigEndian(UInt32.self)
        let lowest = try reader.bigEndian(Int64.self)
        let highest = try reader.bigEndian(Int64.self)
        let ratio = try reader.bigEndian(UInt64.self)
        guard offset == 0, ratio == HistogramEncoding.unscaledRatio else {
            throw .notPlainIntegers
        }
        guard payloadLength == reader.rest.count else {
            throw .lengthMismatch(stated: payloadLength, found: reader.rest.count)
        }
        let histogram = Histogram(
            try HistogramConfiguration(
                lowestDiscernible: lowest,
                highestTrackable: highest,
                significantDigits: Int(digits)
            )
        )
        try histogram.readCounts(from: &reader)
        return histogram
    }

    private func readCounts(from reader: inout EncodingReader) throws(HistogramError) {
        let slots = configuration.slotCount
        var slot = 0
        var total: Int64 = 0
        while !reader.rest.isEmpty {
            let number = try reader.zigZag()
            let step = number < 0 ? number.magnitude : 1
            guard step <= UInt64(slots - slot) else {
                throw .tooManyCounts(slots: slots)
            }
            if number > 0 {
                let (sum, overflow) = total.addingReportingOverflow(number)
                guard !overflow else {
                    throw .countOverflow
                }
                total = sum
                counts[slot] = number
            }
            slot += Int(step)
        }
        tallies[0] = total
    }
}

/// Takes numbers from the front of an encoding and never reads past its end.
private struct EncodingReader {
    /// What has not been read.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Takes an integer, most significant byte first.
    mutating func bigEndian<T: FixedWidthInteger>(_: T.Type) throws(HistogramError) -> T {
        let length = T.bitWidth / 8
        guard rest.count >= length else {
            throw .truncated(needed: length, found: rest.count)
        }
        var value: T = 0
        for byte in rest.prefix(length) {
            value = value << 8 | T(truncatingIfNeeded: byte)
        }
        rest.removeFirst(length)
        return value
    }

    /// Takes a number of 1 to 9 bytes: seven bits each with a flag for more, the ninth whole.
    mutating func zigZag() throws(HistogramError) -> Int64 {
        var bits: UInt64 = 0
        for position in 0..<9 {
            guard let byte = rest.popFirst() else {
                throw .damagedCount
            }
            let isLast = position == 8
            bits |= UInt64(isLast ? byte : byte & 0x7f) << UInt64(7 * position)
            if isLast || byte < 0x80 {
                break
            }
        }
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }
}
