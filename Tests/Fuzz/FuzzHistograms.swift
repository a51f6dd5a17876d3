// A histogram out of a stored result, compressed or not: what is read is written back the same.

import HDRHistogram

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHistograms(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    var bytes = input.all()
    if let first = bytes.first, first & 0x80 == 0, bytes.count >= 4 {
        // A head of a small histogram, so that the counts behind it are reached.
        let counts = bytes.dropFirst(4)
        bytes = [0x1C, 0x84, 0x93, 0x13, 0, 0, UInt8(counts.count >> 8), UInt8(counts.count & 255)]
        bytes += [0, 0, 0, 0, 0, 0, 0, 1 + first % 3]
        bytes += [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x10, 0]
        bytes += [0x3F, 0xF0, 0, 0, 0, 0, 0, 0] + counts
    }
    guard let histogram = try? Histogram.decode(bytes) else { return 0 }
    let again = try? Histogram.decode(histogram.encodeV2())
    precondition(again == histogram, "not read back")
    _ = (histogram.count, histogram.mean)
    return 0
}
