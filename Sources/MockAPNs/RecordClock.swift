import Glibc
import PushBuffers

/// The time of day for a record (RFC 3339, UTC, microseconds): the calendar is asked once a second.
struct RecordClock {
    private var second: time_t = -1
    /// The text of that second, as `2026-03-01T09:00:00` and a point.
    private var text = InlineArray<20, UInt8>(repeating: 0)

    /// Appends the time, 27 bytes.
    mutating func append(to output: inout OutputRawSpan) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            writeSecond()
        }
        output.append(contentsOf: text.span.bytes)
        output.append(decimal: UInt64(now.tv_nsec / 1000), minimumDigits: 6)
        output.append("Z")
    }

    private mutating func writeSecond() {
        var parts = tm()
        gmtime_r(&second, &parts)
        withUnsafeMutableBytes(of: &text) { memory in
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            Self.append(parts, to: &output)
            _ = output.finalize(for: memory)
        }
    }

    private static func append(_ parts: tm, to output: inout OutputRawSpan) {
        output.append(decimal: UInt64(parts.tm_year + 1900), minimumDigits: 4)
        output.append("-")
        output.append(decimal: UInt64(parts.tm_mon + 1), minimumDigits: 2)
        output.append("-")
        output.append(decimal: UInt64(parts.tm_mday), minimumDigits: 2)
        output.append("T")
        output.append(decimal: UInt64(parts.tm_hour), minimumDigits: 2)
        output.append(":")
        output.append(decimal: UInt64(parts.tm_min), minimumDigits: 2)
        output.append(":")
        output.append(decimal: UInt64(parts.tm_sec), minimumDigits: 2)
        output.append(".")
    }
}
