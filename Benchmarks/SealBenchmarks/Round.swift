import Glibc

/// How fast one round was.
struct Round: CustomStringConvertible {
    /// Pushes per second of wall time.
    var rate: Double
    /// CPU time of a push over all threads, in microseconds.
    var cpu: Double

    static func measure(_ pushes: Int, _ work: (Int) -> Void) -> Round {
        let cpuStart = time(CLOCK_PROCESS_CPUTIME_ID)
        let start = time(CLOCK_MONOTONIC)
        work(pushes)
        let wall = time(CLOCK_MONOTONIC) - start
        let cpu = time(CLOCK_PROCESS_CPUTIME_ID) - cpuStart
        return Round(rate: Double(pushes) / wall, cpu: cpu * 1e6 / Double(pushes))
    }

    /// The median of each number for itself.
    static func median(_ rounds: [Round]) -> Round {
        let middle = rounds.count / 2
        return Round(
            rate: rounds.map(\.rate).sorted()[middle],
            cpu: rounds.map(\.cpu).sorted()[middle]
        )
    }

    var description: String {
        "\(Self.text(rate / 1000, 1)) k pushes/s, \(Self.text(cpu, 2)) µs CPU a push"
    }

    static func text(_ value: Double, _ digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(scaled / scale).\(zeros)\(fraction)"
    }

    private static func time(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
