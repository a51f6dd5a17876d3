/// Bytes that were read and not looked at.
struct WireInput {
    var next: UnsafeRawPointer
    var count: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return nil }
        next = base
        count = bytes.count
    }

    mutating func skip(_ byteCount: Int) {
        next += byteCount
        count -= byteCount
    }
}

/// Cuts the peer's bytes into whole frames, wherever reads split them.
///
/// Whole frames are handed out where they lie; only one cut by the end of a read is copied.
struct WireFrameSplitter: ~Copyable {
    private var partial = WireBuffer(capacity: 64)
    /// Whether `partial` holds the frame that was handed out last.
    private var isDone = false

    /// Whether a frame has begun and not ended.
    var isMidway: Bool { !partial.isEmpty && !isDone }

    /// The next whole frame, or nil where more bytes are needed; then `input` is empty.
    ///
    /// - Throws: FRAME_SIZE_ERROR as soon as a frame's header names more than `limit` bytes.
    @inline(__always)
    mutating func next(_ input: inout WireInput, limit: Int) throws(WireFault) -> WireFrame? {
        if partial.isEmpty, input.count >= WireFrame.headerSize {
            let head = input.next.loadBigEndian(as: UInt32.self)
            let count = Int(head >> 8)
            if WireFrame.headerSize + count <= input.count, count <= limit {
                let frame = Self.frame(at: input.next, head: head)
                input.skip(WireFrame.headerSize + count)
                return frame
            }
        }
        return try nextSlowly(&input, limit: limit)
    }

    @inline(never)
    private mutating func nextSlowly(
        _ input: inout WireInput,
        limit: Int
    ) throws(WireFault) -> WireFrame? {
        if isDone {
            isDone = false
            partial.removeAll()
            return try next(&input, limit: limit)
        }
        take(upTo: WireFrame.headerSize, from: &input)
        guard partial.count >= WireFrame.headerSize else { return nil }
        let count = Int(partial.first.loadBigEndian(as: UInt32.self) >> 8)
        guard count <= limit else {
            throw WireFault(.frameSizeError, "a frame larger than SETTINGS_MAX_FRAME_SIZE")
        }
        take(upTo: WireFrame.headerSize + count, from: &input)
        guard partial.count == WireFrame.headerSize + count else { return nil }
        isDone = true
        return Self.frame(at: partial.first, head: partial.first.loadBigEndian(as: UInt32.self))
    }

    private mutating func take(upTo total: Int, from input: inout WireInput) {
        let missing = min(total - partial.count, input.count)
        guard missing > 0 else { return }
        partial.append(input.next, count: missing)
        input.skip(missing)
    }

    @inline(__always)
    private static func frame(at header: UnsafeRawPointer, head: UInt32) -> WireFrame {
        WireFrame(
            kind: UInt8(truncatingIfNeeded: head),
            flags: header.load(fromByteOffset: 4, as: UInt8.self),
            streamID: (header + 5).loadBigEndian(as: UInt32.self) & 0x7FFF_FFFF,
            payload: header + WireFrame.headerSize,
            count: Int(head >> 8)
        )
    }
}
