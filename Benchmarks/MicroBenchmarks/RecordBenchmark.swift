import HDRHistogram
import PushModel

/// What recording the time of one answer costs.
enum RecordBenchmark {
    static let record = MicroBenchmark(name: "record", unit: "time", operations: 10_000_000) {
        let histogram = Histogram(.latency)
        return { operations in
            var generator = SplitMix64(seed: 1)
            for _ in 0..<operations {
                // From a quarter of a microsecond to a quarter of a second, as answers come.
                let bits = generator.next()
                histogram.record(Int64((256 + bits & 0xFF) << ((bits >> 59) % 20)))
            }
            return Int(histogram.count)
        }
    }
}
