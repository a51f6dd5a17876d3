import CNghttp2

/// Gathers the small pieces that nghttp2 hands out into the caller's buffer.
///
/// `nghttp2_session_mem_send` gives one frame at a time and expects it to be taken whole. What
/// does not fit stays in nghttp2's own buffer until the next call (``rest``). Lives at a fixed
/// address and is used through its pointer, because nghttp2 calls back while it produces.
struct NGHTTP2Output {
    /// What was not yet taken of nghttp2's current piece.
    var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Pieces produced ahead of a drain, to learn whether a GOAWAY is among them; seldom used.
    var spill: [UInt8] = []
    /// How much of `spill` was taken.
    var spillTaken = 0
    /// Bytes that nghttp2 has produced since the session began.
    var produced: UInt64 = 0
    /// Bytes that the caller has taken since the session began.
    var drained: UInt64 = 0
    /// The highest stream id whose HEADERS were produced.
    var lastHeadersStreamID: Int32 = -1
    /// GOAWAYs that this side asked for and that were not produced yet.
    var expectedGoAways = 0
    /// The error code of a GOAWAY that nghttp2 made by itself: the session is broken.
    var failure: HTTP2ErrorCode?
    /// The stream limits of SETTINGS that were queued and not produced, in order; for servers.
    ///
    /// nghttp2 knows of no limit: each of them takes the place of its value in the frame.
    var streamLimits: [UInt32] = []
    /// Whether nghttp2 may not be called any more.
    var isDead = false

    /// Whether bytes wait outside nghttp2.
    var hasRest: Bool { !rest.isEmpty || spillTaken < spill.count }

    /// How many bytes wait outside nghttp2.
    var waitingByteCount: Int { rest.count + spill.count - spillTaken }

    /// Puts a GOAWAY with the highest stream id and no error behind the frames produced so far.
    mutating func insertGoAway(debugData: ArraySlice<UInt8>) {
        spill.append(contentsOf: rest)
        rest = UnsafeRawBufferPointer(start: nil, count: 0)
        let count = 8 + debugData.count
        spill += [UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8)]
        spill += [UInt8(truncatingIfNeeded: count), UInt8(NGHTTP2_GOAWAY.rawValue), 0]
        spill += [0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
        spill += debugData
        produced &+= UInt64(9 + count)
    }
}

extension UnsafeMutablePointer<NGHTTP2Output> {
    /// Spilled bytes above which output is no longer produced ahead.
    private var spillLimit: Int { 65_536 }

    /// Fills `output` as far as there are bytes.
    func drain(_ session: OpaquePointer, into output: inout OutputRawSpan) {
        output.withUnsafeMutableBytes { buffer, initialized in
            var target = UnsafeMutableRawBufferPointer(rebasing: buffer[initialized...])
            let room = target.count
            takeSpill(into: &target)
            takeRest(into: &target)
            while !pointee.hasRest, produce(session) {
                takeRest(into: &target)
            }
            let taken = room - target.count
            pointee.drained &+= UInt64(taken)
            initialized += taken
        }
    }

    /// Produces control frames ahead of the next drain until a GOAWAY or a frame of type
    /// `stop` shows itself; what is found is kept for the drain.
    ///
    /// nghttp2 does not tell when it has found the peer at fault; it queues a GOAWAY, behind
    /// other control frames only. Looking for it at once lets the session's state turn at once.
    func lookForFailure(_ session: OpaquePointer, stop: nghttp2_frame_type) {
        while pointee.failure == nil, pointee.spill.count < spillLimit {
            guard produceAhead(session) else { return }
            if pointee.restIs(stop) { return }
        }
    }

    /// Produces frames ahead of the next drain until the GOAWAY that was asked for is among them.
    ///
    /// From then on nghttp2 takes no streams above the GOAWAY's last stream id. Without this, a
    /// stream could come and be served while the GOAWAY that disowns it waits for its turn.
    func produceGoAway(_ session: OpaquePointer) {
        while pointee.expectedGoAways > 0, produceAhead(session) {}
    }

    /// Produces frames ahead of the next drain until all requests up to `streamID` have begun.
    func produceHeaders(_ session: OpaquePointer, upTo streamID: Int32) {
        while pointee.lastHeadersStreamID < streamID, produceAhead(session) {
            // Bodies come behind all requests that can begin.
            if pointee.restIs(NGHTTP2_DATA) { return }
        }
    }

    /// Takes nghttp2's next piece as `rest`; what stood there is kept for the drain.
    private func produceAhead(_ session: OpaquePointer) -> Bool {
        pointee.spill.append(contentsOf: pointee.rest)
        pointee.rest = UnsafeRawBufferPointer(start: nil, count: 0)
        return produce(session)
    }

    /// Takes nghttp2's next piece as `rest`.
    ///
    /// - Returns: False where there is none.
    private func produce(_ session: OpaquePointer) -> Bool {
        if pointee.isDead { return false }
        var bytes: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &bytes)
        guard count > 0, let bytes else {
            if count < 0 { pointee.fail(.internalError) }
            return false
        }
        pointee.rest = UnsafeRawBufferPointer(start: bytes, count: count)
        pointee.produced &+= UInt64(count)
        pointee.note(bytes, count)
        return true
    }

    private func takeSpill(into target: inout UnsafeMutableRawBufferPointer) {
        if pointee.spill.isEmpty { return }
        let start = pointee.spillTaken
        let taken = pointee.spill.withUnsafeBytes { bytes in
            move(UnsafeRawBufferPointer(rebasing: bytes[start...]), into: &target)
        }
        pointee.spillTaken = start + taken
        if pointee.spillTaken == pointee.spill.count {
            pointee.spill.removeAll(keepingCapacity: true)
            pointee.spillTaken = 0
        }
    }

    private func takeRest(into target: inout UnsafeMutableRawBufferPointer) {
        if pointee.spillTaken < pointee.spill.count { return }
        let taken = move(pointee.rest, into: &target)
        pointee.rest = UnsafeRawBufferPointer(rebasing: pointee.rest[taken...])
    }

    /// Copies what fits and cuts it off `target`.
    private func move(
        _ source: UnsafeRawBufferPointer,
        into target: inout UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = Swift.min(source.count, target.count)
        if count == 0 { return 0 }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
        target = UnsafeMutableRawBufferPointer(rebasing: target[count...])
        return count
    }
}

extension NGHTTP2Output {
    /// Whether `rest` is a whole frame of this type.
    fileprivate func restIs(_ type: nghttp2_frame_type) -> Bool {
        rest.count >= 9 && UInt32(rest[3]) == type.rawValue
    }

    /// Marks the nghttp2 session as not to be used again; the first cause stays.
    mutating func fail(_ code: HTTP2ErrorCode) {
        isDead = true
        if failure == nil { failure = code }
    }

    /// Looks at the frame header of a piece: nghttp2 hands out whole frames.
    fileprivate mutating func note(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        guard count >= 9 else { return }
        switch UInt32(bytes[3]) {
        case NGHTTP2_HEADERS.rawValue:
            lastHeadersStreamID = Int32(bitPattern: bigEndian(bytes + 5))
        case NGHTTP2_SETTINGS.rawValue where count > 9 && !streamLimits.isEmpty:
            setStreamLimit(streamLimits.removeFirst(), bytes, count)
        case NGHTTP2_GOAWAY.rawValue where count >= 17:
            if expectedGoAways > 0 {
                expectedGoAways -= 1
            } else if failure == nil {
                failure = HTTP2ErrorCode(rawValue: bigEndian(bytes + 13))
            }
        default: break
        }
    }

    /// Puts the stream limit into SETTINGS that nghttp2 has just made: nobody else has the bytes yet.
    private func setStreamLimit(_ limit: UInt32, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        let identifier = UInt16(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue).bigEndian
        let frame = UnsafeMutableRawPointer(mutating: bytes)
        for entry in stride(from: 9, through: count - 6, by: 6)
        where (frame + entry).loadUnaligned(as: UInt16.self) == identifier {
            (frame + entry + 2).storeBytes(of: limit.bigEndian, as: UInt32.self)
        }
    }

    private func bigEndian(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    }
}
