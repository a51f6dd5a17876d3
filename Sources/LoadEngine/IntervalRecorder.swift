import HDRHistogram

/// The current second of one loop, reset when it is over.
struct IntervalRecorder {
    /// The second since the start of the run.
    private(set) var second: UInt64 = 0
    /// The second's counts.
    var totals = SeriesCollector.Second()
    /// The service times of pushes whose response time is the same.
    private let both = Histogram(.interval)
    /// The service times of the other pushes.
    private let service = Histogram(.interval)
    /// The response times of those.
    private let response = Histogram(.interval)
    /// Whether there are such pushes in this second.
    private var hasOthers = false

    /// Notes the times of an answered push, in nanoseconds; `response` is nil where it is the same.
    ///
    /// In a closed loop nearly all are the same: they cost one histogram and not two.
    mutating func record(service: Int64, response: Int64?) {
        guard let response else {
            both.record(service)
            return
        }
        hasOthers = true
        self.service.record(service)
        self.response.record(response)
    }

    /// Adds the second's times to those of other loops.
    func add(toService allService: Histogram, response allResponse: Histogram) {
        allService.add(both)
        allResponse.add(both)
        guard hasOthers else { return }
        allService.add(service)
        allResponse.add(response)
    }

    /// Starts over with `second`.
    mutating func begin(second: UInt64) {
        self.second = second
        totals = SeriesCollector.Second()
        both.reset()
        guard hasOthers else { return }
        hasOthers = false
        service.reset()
        response.reset()
    }
}
