import CZlib

/// One-shot compression of whole buffers in zlib's format (RFC 1950).
enum Zlib {
    /// Deflate makes at most about 1,032 bytes of one: what claims more is no zlib stream.
    private static let highestRatio = 1_040
    /// Above the encoding of the largest histogram: 6.3 million slots of 9 bytes.
    private static let highestLength = 64 << 20

    /// Compresses `bytes`.
    static func compress(_ bytes: [UInt8]) throws(HistogramError) -> [UInt8] {
        var status = Z_OK
        let compressed = [UInt8](
            unsafeUninitializedCapacity: Int(compressBound(uLong(bytes.count)))
        ) { buffer, count in
            var length = uLong(buffer.count)
            status = compress2(
                buffer.baseAddress,
                &length,
                bytes,
                uLong(bytes.count),
                Z_DEFAULT_COMPRESSION
            )
            count = status == Z_OK ? Int(length) : 0
        }
        guard status == Z_OK else {
            throw .compressionFailed
        }
        return compressed
    }

    /// Decompresses exactly `bytes`, into memory that is bounded by their number.
    static func decompress(_ bytes: ArraySlice<UInt8>) throws(HistogramError) -> [UInt8] {
        let limit = min(bytes.count * highestRatio + 64, highestLength)
        var isWhole = false
        let decompressed = bytes.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                var length = uLong(buffer.count)
                var consumed = uLong(source.count)
                let status = uncompress2(buffer.baseAddress, &length, source.baseAddress, &consumed)
                isWhole = status == Z_OK && Int(consumed) == source.count
                count = isWhole ? Int(length) : 0
            }
        }
        guard isWhole else {
            throw .damagedCompression
        }
        return decompressed
    }
}
