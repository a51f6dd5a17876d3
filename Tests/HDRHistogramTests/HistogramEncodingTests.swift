import Testing

@testable import HDRHistogram

@Suite struct HistogramEncodingTests {
    private static let unitRange = Result {
        () throws(HistogramError) in
        try HistogramConfiguration(
            lowestDiscernible: 1,
            highestTrackable: 3_600_000_000,
            significantDigits: 3
        )
    }

    @Test func writesTheV2HeaderAndRunsOfZeros() throws {
        let histogram = Histogram(try Self.unitRange.get())
        histogram.record(0)
        histogram.record(2, count: 64)
        histogram.record(5)
        #expect(
            histogram.encodeV2() == [
                0x1c, 0x84, 0x93, 0x13, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 3,
                0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0xd6, 0x93, 0xa4, 0,
                0x3f, 0xf0, 0, 0, 0, 0, 0, 0,
                // 1; one empty slot; 64 in two bytes; two empty slots; 1.
                0x02, 0x00, 0x80, 0x01, 0x03, 0x02,
            ]
        )
        let compressed = try histogram.encodeV2Compressed()
        #expect(compressed.prefix(4) == [0x1c, 0x84, 0x93, 0x14])
        #expect(try Histogram.decode(compressed) == histogram)
    }

    @Test(arguments: [
        Int64(1), 63, 64, 8_191, 8_192, 1 << 34, (1 << 55) - 1, 1 << 55, 1 << 62, .max,
    ])
    func countsOfEveryLengthComeBack(count: Int64) throws {
        let histogram = Histogram(try Self.unitRange.get())
        histogram.record(3_599_999_999, count: count)
        let decoded = try Histogram.decode(histogram.encodeV2())
        #expect(decoded == histogram)
        #expect(decoded.count == count)
    }

    @Test(arguments: Distribution.allCases, [UInt64(1), 2])
    func everyHistogramComesBack(shape: Distribution, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for size in [0, 1, 100, 50_000] {
            let histogram = Histogram(.latency)
            for _ in 0..<size {
                histogram.record(shape.draw(&random))
            }
            for bytes in [histogram.encodeV2(), try histogram.encodeV2Compressed()] {
                let decoded = try Histogram.decode(bytes)
                #expect(decoded == histogram)
                #expect(decoded.count == Int64(size))
                #expect(decoded.mean == histogram.mean)
            }
        }
    }

    @Test func aDenseHistogramIsWrittenWhole() throws {
        let histogram = Histogram(.interval)
        for slot in 0..<histogram.configuration.slotCount {
            let value = histogram.configuration.lowestValue(ofSlot: slot)
            histogram.record(value, count: 1 << 50)
        }
        #expect(try Histogram.decode(histogram.encodeV2Compressed()) == histogram)
    }

    @Test func everyCutIsRefused() throws {
        let histogram = Histogram(.latency)
        for value: Int64 in [300_000, 300_000, 301_000, 2_000_000_000] {
            histogram.record(value, count: 1_000)
        }
        for whole in [histogram.encodeV2(), try histogram.encodeV2Compressed()] {
            for length in 0..<whole.count {
                #expect(throws: HistogramError.self, "the first \(length) bytes") {
                    try Histogram.decode(Array(whole.prefix(length)))
                }
            }
            #expect(throws: HistogramError.self) { try Histogram.decode(whole + [0]) }
        }
    }

    /// An uncompressed encoding of 1 to 3,600,000,000 at 3 digits around `payload`, with `byte`
    /// in place of the one at `place`.
    private static func encoding(
        _ payload: [UInt8],
        place: Int = 0,
        byte: UInt8 = 0x1c
    ) -> [UInt8] {
        var bytes: [UInt8] = [
            0x1c, 0x84, 0x93, 0x13, 0, 0, 0, UInt8(payload.count), 0, 0, 0, 0, 0, 0, 0, 3,
            0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0xd6, 0x93, 0xa4, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0,
        ]
        bytes += payload
        bytes[place] = byte
        return bytes
    }

    private static let full = [UInt8](repeating: 0xff, count: 9)

    private static let damaged: [(bytes: [UInt8], error: HistogramError)] = [
        (encoding([2], place: 3, byte: 0x08), .unknownCookie(0x1c84_9308)),
        (encoding([2], place: 7, byte: 2), .lengthMismatch(stated: 2, found: 1)),
        (encoding([2, 2], place: 7, byte: 1), .lengthMismatch(stated: 1, found: 2)),
        (encoding([2], place: 11, byte: 1), .notPlainIntegers),
        (encoding([2], place: 33, byte: 0xe0), .notPlainIntegers),
        (encoding([2], place: 15, byte: 9), .significantDigitsOutOfRange(9)),
        (encoding([2], place: 23, byte: 0), .lowestDiscernibleTooLow(0)),
        // Numbers whose flag says that more bytes follow.
        (encoding([2, 0x80]), .damagedCount),
        (encoding(Array(full.prefix(8))), .damagedCount),
        // A run of 23,553 empty slots, and one of 2^63.
        (encoding([0x81, 0xf0, 0x02]), .tooManyCounts(slots: 23_552)),
        (encoding(full), .tooManyCounts(slots: 23_552)),
        // The whole range empty, then one count more.
        (encoding([0xff, 0xef, 0x02, 0x02]), .tooManyCounts(slots: 23_552)),
        // 2^63 - 1 and 1.
        (encoding([0xfe] + full.prefix(8) + [2]), .countOverflow),
        ([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 9, 1], .lengthMismatch(stated: 9, found: 1)),
        (
            [0x1c, 0x84, 0x93, 0x14, 0xff, 0xff, 0xff, 0xff],
            .lengthMismatch(stated: 0xffff_ffff, found: 0)
        ),
        ([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 3, 0x78, 0x9c, 1], .damagedCompression),
        ([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0], .damagedCompression),
        ([0x1c, 0x84], .truncated(needed: 4, found: 2)),
        ([], .truncated(needed: 4, found: 0)),
    ]

    @Test(arguments: damaged)
    func damagedEncodingsAreRefusedWithTheirReason(bytes: [UInt8], error: HistogramError) {
        #expect(throws: error) { try Histogram.decode(bytes) }
        #expect(error.description.hasSuffix("."))
    }

    @Test func aCompressedEncodingInsideAnotherIsRefused() throws {
        let inner = try Histogram(.interval).encodeV2Compressed()
        #expect(throws: HistogramError.unknownCookie(0x1c84_9314)) {
            try Histogram.decode(Self.compressed(inner))
        }
    }

    @Test func aZipBombIsRefusedWithinBounds() throws {
        // 70 MB of zeros in 68 KB: above what any histogram takes.
        let bomb = [UInt8](repeating: 0, count: 70_000_000)
        #expect(throws: HistogramError.damagedCompression) {
            try Histogram.decode(Self.compressed(bomb))
        }
    }

    /// `inner` as the compressed part of an encoding.
    private static func compressed(_ inner: [UInt8]) throws -> [UInt8] {
        let stream = try Zlib.compress(inner)
        let length = (0..<4).reversed().map { UInt8(truncatingIfNeeded: stream.count >> (8 * $0)) }
        return [0x1c, 0x84, 0x93, 0x14] + length + stream
    }

    @Test(arguments: UInt64(1)...8)
    func mutatedEncodingsGiveAConsistentHistogramOrAnError(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let histogram = Histogram(.interval)
        for _ in 0..<2_000 {
            histogram.record(Distribution.logNormal.draw(&random))
        }
        let plain = histogram.encodeV2()
        let packed = try histogram.encodeV2Compressed()
        var accepted = 0
        for round in 0..<600 {
            var bytes = round % 3 == 0 ? packed : plain
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            // Every third keeps zlib's checksum right, so that the damage reaches the counts.
            if round % 3 == 1 {
                bytes = try Self.compressed(bytes)
            }
            guard let decoded = try? Histogram.decode(bytes) else {
                continue
            }
            accepted += 1
            var total: Int64 = 0
            decoded.forEachSlot { total += $0.count }
            #expect(total == decoded.count, "seed \(seed), round \(round)")
            #expect(decoded.value(atPercentile: 99) <= decoded.max)
            #expect(try Histogram.decode(decoded.encodeV2()) == decoded)
        }
        // Some mutations only change a count: if none got through, the fuzz would test nothing.
        #expect(accepted > 0)
        #expect(accepted < 600)
    }
}
