import HDRHistogram

/// The current second of one loop, reset when it is over.
struct IntervalRecorder {
    /// The second since the start of the run.
    private(set) var second: UInt64 = 0
    /// The second's counts.
    var totals = SeriesCollector.Second()
    /// The second's service times.
    let service = Histogram(.interval)

    /// Starts over with `second`.
    mutating func begin(second: UInt64) {
        self.second = second
        totals = SeriesCollector.Second()
        service.reset()
    }
}
