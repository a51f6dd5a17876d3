// Whatever the split, the same frames come out.

@testable import HTTP2

struct FuzzFrame: Equatable {
    var kind: UInt8
    var flags: UInt8
    var streamID: UInt32
    var payload: [UInt8]
}

func split(_ bytes: [UInt8], sizes: [Int]) -> (frames: [FuzzFrame], isRefused: Bool) {
    var splitter = WireFrameSplitter()
    var found: [FuzzFrame] = []
    var start = 0
    var turn = 0
    while start < bytes.count {
        let count = min(max(1, sizes[turn % sizes.count]), bytes.count - start)
        let piece = Array(bytes[start..<(start + count)])
        start += count
        turn += 1
        let isRefused = piece.withUnsafeBytes { raw in
            guard var input = WireInput(raw) else { return false }
            do throws(WireFault) {
                while let frame = try splitter.next(&input, limit: 300) {
                    let payload = UnsafeRawBufferPointer(
                        start: frame.payload,
                        count: frame.count
                    )
                    found.append(
                        FuzzFrame(
                            kind: frame.kind,
                            flags: frame.flags,
                            streamID: frame.streamID,
                            payload: Array(payload)
                        )
                    )
                    var copy = frame
                    try copy.removePadding()
                    _ = try copy.removePriority()
                    precondition(copy.count >= 0, "a negative payload")
                }
            } catch {
                return true
            }
            return false
        }
        if isRefused { return (found, true) }
    }
    return (found, false)
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let sizes = input.bytes(4).map { Int($0 % 40) } + [1]
    let bytes = input.all()
    let whole = split(bytes, sizes: [max(1, bytes.count)])
    let parts = split(bytes, sizes: sizes)
    precondition(whole.isRefused == parts.isRefused, "a split decides")
    precondition(whole.frames == parts.frames, "a split changes frames")
    return 0
}
