import Results

/// The seconds of a run, put together to as many as a page can show.
struct SeriesReduction {
    /// The most points; a day has 86,400 seconds.
    static let mostPoints = 300

    /// The begin and end in nanoseconds since the run began.
    private(set) var begin: Double
    private(set) var end: Double
    private(set) var sent = 0
    private(set) var accepted = 0
    private(set) var rejected = 0
    private(set) var inFlight = 0
    /// The service and response times, of several seconds the worst: the worst moment must not
    /// vanish in a long run.
    private(set) var serviceP50: Double?
    private(set) var serviceP99: Double?
    private(set) var responseP50: Double?
    private(set) var responseP99: Double?

    var answeredPerSecond: Double { (Double(accepted) + Double(rejected)) / seconds }
    var rejectedPerSecond: Double { Double(rejected) / seconds }
    private var seconds: Double { max(end - begin, 1) / 1e9 }

    private init(begin: Double) {
        self.begin = begin
        end = begin
    }

    /// The points of a series, in their order.
    static func points(_ series: [SeriesPoint]) -> [SeriesReduction] {
        let width = (series.count + mostPoints - 1) / mostPoints
        guard width > 0 else { return [] }
        var points: [SeriesReduction] = []
        // A second begins where the one before ended, or where none is missing a second earlier.
        var last: Double?
        for start in stride(from: 0, to: series.count, by: width) {
            let group = series[start..<min(start + width, series.count)]
            guard let first = group.first else { continue }
            let second = Double(first.t) - 1e9
            var point = SeriesReduction(begin: max(last ?? second, second))
            for second in group { point.add(second) }
            last = point.end
            points.append(point)
        }
        return points
    }

    private mutating func add(_ point: SeriesPoint) {
        end = max(end, Double(point.t))
        // The sums wrap rather than trap: a damaged file may hold any number.
        sent &+= point.sent
        accepted &+= point.accepted
        rejected &+= point.rejected
        inFlight = point.inFlight
        serviceP50 = Self.larger(serviceP50, point.p50)
        serviceP99 = Self.larger(serviceP99, point.p99)
        responseP50 = Self.larger(responseP50, point.responseP50)
        responseP99 = Self.larger(responseP99, point.responseP99)
    }

    private static func larger(_ old: Double?, _ new: Int64?) -> Double? {
        guard let new else { return old }
        return max(old ?? 0, Double(new))
    }
}
