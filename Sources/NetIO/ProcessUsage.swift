import CShims
import Glibc

/// What processes have used of the machine.
public enum ProcessUsage {
    /// What this process has used so far, all threads together.
    ///
    /// - Returns: User and system CPU time in nanoseconds, and the largest resident set in bytes.
    public static func current() -> (cpuNanoseconds: UInt64, peakRSSBytes: UInt64) {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let cpu = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID) ?? NetIO.cpuNanoseconds(of: usage)
        return (cpu, peakResidentBytes() ?? UInt64(usage.ru_maxrss) * 1024)
    }

    /// The peak from `/proc/self/status`: the one of `getrusage` begins with what the process had
    /// that started this one.
    private static func peakResidentBytes() -> UInt64? {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            let text = String(decoding: buffer.prefix(count), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line.flatMap { UInt64($0.filter(\.isNumber)) }.map { $0 * 1024 }
        }
    }

    /// The CPU time that a running process has used so far, in nanoseconds.
    ///
    /// - Parameter pid: The process, a child for instance.
    /// - Returns: User and system time of all its threads; nil where there is no such process.
    public static func cpuNanoseconds(ofProcess pid: Int32) -> UInt64? {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else { return nil }
        return clockNanoseconds(clock)
    }
}

/// User and system time together, in nanoseconds.
func cpuNanoseconds(of usage: rusage) -> UInt64 {
    let seconds = UInt64(usage.ru_utime.tv_sec) + UInt64(usage.ru_stime.tv_sec)
    let microseconds = UInt64(usage.ru_utime.tv_usec) + UInt64(usage.ru_stime.tv_usec)
    return seconds * 1_000_000_000 + microseconds * 1000
}
