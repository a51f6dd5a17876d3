import Foundation
import Testing

@testable import HDRHistogram

/// Python's `hdrhistogram` as the independent reader and writer of the encoding.
@Suite struct PythonReaderTests {
    private static let reader = """
        import json, sys
        from hdrh.histogram import HdrHistogram
        percentiles = [50, 75, 90, 99, 99.9, 99.99, 99.999, 100]
        for line in sys.stdin:
            h = HdrHistogram.decode(line.strip())
            print(json.dumps({
                "count": h.get_total_count(), "min": h.get_min_value(), "max": h.get_max_value(),
                "mean": h.get_mean_value(), "slots": h.counts_len,
                "percentiles": [h.get_value_at_percentile(p) for p in percentiles]}))
        """
    private static let writer = """
        import json
        from hdrh.histogram import HdrHistogram
        for lowest, highest, digits in [(1, 3600000000, 3), (1000, 60000000000, 2), (256, 1000000, 1)]:
            h = HdrHistogram(lowest, highest, digits)
            for i in range(1, 2000):
                h.record_value(min(i * i * 17, highest), i)
            print(json.dumps({
                "count": h.get_total_count(), "min": h.get_min_value(), "max": h.get_max_value(),
                "mean": h.get_mean_value(), "slots": h.counts_len,
                "percentiles": [h.get_value_at_percentile(p) for p in [50, 75, 90, 100]],
                "encoded": h.encode().decode()}))
        """

    private struct Reading: Decodable {
        var count: Int64
        var min: Int64
        var max: Int64
        var mean: Double
        var slots: Int
        var percentiles: [Int64]
        var encoded: String?
    }

    @Test(.timeLimit(.minutes(5)))
    func pythonReadsWhatWeWrite() throws {
        let configurations = [
            HistogramConfiguration.latency, .interval,
            try HistogramConfiguration(
                lowestDiscernible: 1,
                highestTrackable: 3_600_000_000,
                significantDigits: 3
            ),
        ]
        var histograms: [Histogram] = []
        for (index, configuration) in configurations.enumerated() {
            for shape in Distribution.allCases {
                var random = SplitMix64(seed: UInt64(index))
                let histogram = Histogram(configuration)
                // 100,000 values make every percentile asked for a whole rank, on which
                // Python's rounding and the nearest rank agree.
                for _ in 0..<100_000 {
                    histogram.record(shape.draw(&random))
                }
                histograms.append(histogram)
            }
        }
        let lines = try histograms.map {
            Data(try $0.encodeV2Compressed()).base64EncodedString() + "\n"
        }
        let readings = try Self.run(Self.reader, input: lines.joined())
        try #require(readings.count == histograms.count)
        for (histogram, reading) in zip(histograms, readings) {
            Self.compare(
                histogram,
                reading,
                percentiles: [50, 75, 90, 99, 99.9, 99.99, 99.999, 100]
            )
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func weReadWhatPythonWrites() throws {
        for reading in try Self.run(Self.writer, input: "") {
            let bytes = try #require(Data(base64Encoded: reading.encoded ?? ""))
            let histogram = try Histogram.decode(Array(bytes))
            Self.compare(histogram, reading, percentiles: [50, 75, 90, 100])
        }
    }

    private static func compare(_ histogram: Histogram, _ reading: Reading, percentiles: [Double]) {
        #expect(reading.count == histogram.count)
        #expect(reading.slots == histogram.configuration.slotCount)
        #expect(reading.min == histogram.min)
        #expect(reading.max == histogram.max)
        #expect(abs(reading.mean - histogram.mean) <= histogram.mean * 1e-9)
        #expect(reading.percentiles == percentiles.map { histogram.value(atPercentile: $0) })
    }

    /// Runs `script` in the tests' Python and reads a JSON object per line of its output.
    private static func run(_ script: String, input: String) throws -> [Reading] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("pushbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files rather than pipes: no side can block on the other.
        let inputFile = folder.appendingPathComponent("input")
        let outputFile = folder.appendingPathComponent("output")
        try Data(input.utf8).write(to: inputFile)
        try Data().write(to: outputFile)
        let process = Process()
        process.executableURL = try python()
        process.arguments = ["-c", script]
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        try process.run()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0,
            "Python failed: install Tests/requirements.txt into its environment"
        )
        let lines = try String(contentsOf: outputFile, encoding: .utf8).split(separator: "\n")
        try #require(!lines.isEmpty)
        return try lines.map { try JSONDecoder().decode(Reading.self, from: Data($0.utf8)) }
    }

    /// The interpreter that has the tests' requirements.
    private static func python() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["PUSHBENCH_PYTHON"] {
            return URL(fileURLWithPath: path)
        }
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent(".venv/bin/python3").path
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            """
            There is no \(path): run scripts/test, which makes it, or set PUSHBENCH_PYTHON to a \
            Python that has Tests/requirements.txt.
            """
        )
        return URL(fileURLWithPath: path)
    }
}
