import Glibc

/// This process's memory, as the kernel tells it.
enum ProcessMemory {
    /// The largest resident memory so far, in bytes; 0 where the kernel does not tell.
    ///
    /// Read from `/proc/self/status` rather than `getrusage`, whose figure a child inherits from the
    /// process that started it.
    static func peakResidentBytes() -> UInt64 {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return 0 }
            let text = String(decoding: buffer.prefix(count), as: UTF8.self)
            for line in text.split(separator: "\n") where line.hasPrefix("VmHWM:") {
                return (UInt64(line.filter(\.isNumber)) ?? 0) * 1024
            }
            return 0
        }
    }
}
