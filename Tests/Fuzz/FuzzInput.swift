/// The fuzzer's bytes, taken from the front; zeros where there are none left.
struct FuzzInput {
    private var rest: UnsafeRawBufferPointer

    init(_ start: UnsafeRawPointer, _ count: Int) {
        rest = UnsafeRawBufferPointer(start: start, count: count)
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        return taken
    }

    mutating func all() -> [UInt8] { bytes(rest.count) }

    /// A text with pieces of it replaced by the rest of the bytes, so that a text that is nearly right
    /// is reached without finding all of it.
    mutating func changes(to text: [UInt8]) -> [UInt8] {
        var text = text
        while !isEmpty {
            let start = min((Int(byte()) << 8 | Int(byte())) % max(1, text.count), text.count)
            let end = min(start + Int(byte() & 0x1F), text.count)
            text.replaceSubrange(start..<end, with: bytes(Int(byte() & 0x1F)))
        }
        return text
    }

    /// Bytes of the peer: either raw, or a frame with a header that fits.
    mutating func peerBytes() -> [UInt8] {
        let choice = byte()
        let count = Int(byte())
        guard choice & 1 == 1 else { return bytes(count) }
        let kind = choice >> 1 & 0xF
        let flags = byte()
        let streamID = byte()
        let payload = bytes(count)
        return [0, 0, UInt8(payload.count), kind, flags, 0, 0, 0, streamID] + payload
    }
}

extension Array where Element == UInt8 {
    /// Calls `body` with the array's bytes.
    func withSpan<R>(_ body: (RawSpan) -> R) -> R {
        withUnsafeBytes { body(RawSpan(_unsafeBytes: $0)) }
    }
}

/// Where output is drained to; a fuzz target runs on one thread.
nonisolated(unsafe) let fuzzOutput = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 1 << 16,
    alignment: 16
)
