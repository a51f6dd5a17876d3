import CAllocCounter
import Glibc

/// A small piece of work that is timed on its own.
struct MicroBenchmark: Sendable {
    /// The name on the command line and in the output.
    var name: String
    /// What one operation is, for the output.
    var unit: String
    /// The operations of one round.
    var operations: Int
    /// Prepares the work and returns it; the work does `operations` operations each time.
    ///
    /// Its result depends on every operation, so that none can be left out.
    var prepare: @Sendable () throws -> (Int) -> Int

    /// The rounds whose median is printed.
    private static let rounds = 9

    /// Runs one round to warm up and then several, and prints the CPU time of an operation.
    func run() throws {
        let work = try prepare()
        var checksum = work(operations)
        var nanoseconds: [Double] = []
        for _ in 0..<Self.rounds {
            let start = Self.threadTime()
            checksum &+= work(operations)
            nanoseconds.append(Double(Self.threadTime() - start) / Double(operations))
        }
        nanoseconds.sort()
        let median = Self.text(nanoseconds[Self.rounds / 2])
        let least = Self.text(nanoseconds[0])
        let most = Self.text(nanoseconds[Self.rounds - 1])
        print(
            "\(name): \(median) ns CPU per \(unit) (\(least) to \(most) in \(Self.rounds) rounds)"
        )
        // A reader of the checksum keeps the compiler from dropping the work.
        if checksum == .min { print(checksum) }
    }

    /// Does so many operations once and prints how often memory was allocated in them.
    ///
    /// For tools that count: two numbers of operations and the difference of what was counted give
    /// the exact cost of one, with all that is done once left out.
    func count(_ operations: Int) throws {
        let work = try prepare()
        let before = pb_thread_allocations()
        let checksum = work(operations)
        let allocations = pb_thread_allocations() - before
        print("\(name): \(operations) operations, \(allocations) allocations")
        if checksum == .min { print(checksum) }
    }

    /// CPU time of this thread in nanoseconds.
    private static func threadTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
