/// What all CPUs did since the machine started, in clock ticks.
public struct ProcessorTimes: Equatable, Sendable {
    /// All ticks, idle ones included.
    public var total: UInt64
    /// Ticks in which the hypervisor ran something else while this machine had work.
    public var stolen: UInt64

    /// Makes a reading.
    ///
    /// - Parameters:
    ///   - total: All ticks.
    ///   - stolen: Ticks that the hypervisor took.
    public init(total: UInt64, stolen: UInt64) {
        self.total = total
        self.stolen = stolen
    }

    /// The times now.
    ///
    /// - Returns: The reading; nil where /proc/stat cannot be read.
    public static func current() -> ProcessorTimes? {
        read(SystemFiles(root: ""))
    }

    static func read(_ files: SystemFiles) -> ProcessorTimes? {
        // cpu user nice system idle iowait irq softirq steal guest guest_nice; guest time is in
        // user time already.
        let words = files.line("/proc/stat")?.split(separator: " ") ?? []
        let ticks = words.dropFirst().prefix(8).compactMap { UInt64($0) }
        guard words.first == "cpu", ticks.count == 8 else {
            return nil
        }
        return ProcessorTimes(total: ticks.reduce(0, &+), stolen: ticks[7])
    }

    /// The share of the time between two readings that the hypervisor took.
    ///
    /// - Parameter earlier: The first reading.
    /// - Returns: 0 to 1; 0 where no time went by.
    public func stealShare(since earlier: ProcessorTimes) -> Double {
        guard total > earlier.total, stolen > earlier.stolen else {
            return 0
        }
        return min(Double(stolen - earlier.stolen) / Double(total - earlier.total), 1)
    }
}
