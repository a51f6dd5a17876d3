/// A frame as it stands on the wire, for peers that do what no engine would.
struct RawFrame: Equatable, CustomStringConvertible {
    var type: UInt8
    var flags: UInt8 = 0
    var streamID: UInt32 = 0
    var payload: [UInt8] = []

    static let endStream: UInt8 = 0x1
    static let ack: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var description: String {
        "type \(type) flags \(flags) stream \(streamID) payload \(payload.count)"
    }

    /// The frame's bytes.
    var bytes: [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags]
            + streamID.wireBytes + payload
    }

    var isData: Bool { type == 0x0 }
    var isHeaders: Bool { type == 0x1 }
    var isReset: Bool { type == 0x3 }
    var isSettings: Bool { type == 0x4 }
    var isPing: Bool { type == 0x6 }
    var isGoAway: Bool { type == 0x7 }
    var isWindowUpdate: Bool { type == 0x8 }
    var endsStream: Bool { (isData || isHeaders) && flags & RawFrame.endStream != 0 }

    /// The stream limit that SETTINGS announce; nil for other frames, and where they announce none.
    var streamLimit: UInt32? {
        guard isSettings else { return nil }
        return stride(from: 0, to: payload.count, by: 6)
            .first { payload[$0..<($0 + 2)] == [0, 3] }.map { number(at: $0 + 2) }
    }

    /// The big-endian number at `offset` of the payload.
    func number(at offset: Int) -> UInt32 {
        payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func data(_ streamID: UInt32, _ payload: [UInt8], end: Bool = false) -> RawFrame {
        RawFrame(type: 0x0, flags: end ? endStream : 0, streamID: streamID, payload: payload)
    }

    static func headers(_ streamID: UInt32, _ block: [UInt8], end: Bool = false) -> RawFrame {
        let flags = endHeaders | (end ? endStream : 0)
        return RawFrame(type: 0x1, flags: flags, streamID: streamID, payload: block)
    }

    static func reset(_ streamID: UInt32, _ code: UInt32) -> RawFrame {
        RawFrame(type: 0x3, streamID: streamID, payload: code.wireBytes)
    }

    static func settings(_ entries: [(UInt16, UInt32)] = []) -> RawFrame {
        let payload = entries.flatMap {
            [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + $0.1.wireBytes
        }
        return RawFrame(type: 0x4, payload: payload)
    }

    static func setting(_ id: UInt16, _ value: UInt32) -> RawFrame { settings([(id, value)]) }

    static let settingsAck = RawFrame(type: 0x4, flags: ack)

    static func ping(_ payload: UInt64, isAck: Bool = false) -> RawFrame {
        let bytes = UInt32(payload >> 32).wireBytes + UInt32(payload & 0xFFFF_FFFF).wireBytes
        return RawFrame(type: 0x6, flags: isAck ? ack : 0, payload: bytes)
    }

    static func goAway(last: UInt32, code: UInt32, debug: String = "") -> RawFrame {
        RawFrame(type: 0x7, payload: last.wireBytes + code.wireBytes + Array(debug.utf8))
    }

    static func windowUpdate(_ streamID: UInt32, _ increment: UInt32) -> RawFrame {
        RawFrame(type: 0x8, streamID: streamID, payload: increment.wireBytes)
    }

    static func continuation(_ streamID: UInt32, _ block: [UInt8], end: Bool) -> RawFrame {
        RawFrame(type: 0x9, flags: end ? endHeaders : 0, streamID: streamID, payload: block)
    }

    /// The frame with `count` bytes of padding.
    func padded(_ count: UInt8) -> RawFrame {
        var frame = self
        frame.flags |= RawFrame.padded
        frame.payload = [count] + payload + Array(repeating: 0, count: Int(count))
        return frame
    }
}

extension UInt32 {
    var wireBytes: [UInt8] {
        [UInt8(self >> 24), UInt8(self >> 16 & 0xFF), UInt8(self >> 8 & 0xFF), UInt8(self & 0xFF)]
    }
}

/// A header block of literals without indexing and without Huffman coding (RFC 7541 6.2.2).
func literalBlock(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { name, value in
        [0x00] + literalString(name) + literalString(value)
    }
}

private func literalString(_ string: String) -> [UInt8] {
    let bytes = Array(string.utf8)
    if bytes.count < 127 { return [UInt8(bytes.count)] + bytes }
    var prefix: [UInt8] = [127]
    var rest = bytes.count - 127
    while rest >= 128 {
        prefix.append(UInt8(rest % 128) | 0x80)
        rest /= 128
    }
    return prefix + [UInt8(rest)] + bytes
}

/// Cuts a byte stream into frames.
struct FrameReader {
    private var pending: [UInt8] = []
    private var prefaceLeft: Int

    init(hasPreface: Bool) { prefaceLeft = hasPreface ? RawFrame.preface.count : 0 }

    /// The frames that `bytes` completes.
    mutating func frames(in bytes: [UInt8]) -> [RawFrame] {
        let skipped = min(prefaceLeft, bytes.count)
        prefaceLeft -= skipped
        pending += bytes.dropFirst(skipped)
        var frames: [RawFrame] = []
        var start = 0
        while pending.count - start >= 9 {
            let header = Array(pending[start..<(start + 9)])
            let count = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            guard pending.count - start >= 9 + count else { break }
            let streamID = header[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            frames.append(
                RawFrame(
                    type: header[3],
                    flags: header[4],
                    streamID: streamID & 0x7FFF_FFFF,
                    payload: Array(pending[(start + 9)..<(start + 9 + count)])
                )
            )
            start += 9 + count
        }
        pending.removeFirst(start)
        return frames
    }
}
