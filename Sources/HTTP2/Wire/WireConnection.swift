/// What both ends of a connection share: frames in and out, settings, windows, header blocks,
/// liveness.
struct WireConnection: ~Copyable {
    /// The smallest and the initial SETTINGS_MAX_FRAME_SIZE.
    static let defaultFrameSize = 16_384
    static let defaultWindow = 65_535
    static let largestWindow = 0x7FFF_FFFF
    /// Answers (ACKs, resets) that may wait for the caller to drain, before the peer is a flooder.
    static let answerLimit = 1000
    /// Frames that bring no work nearer to its end, beyond those that finished work pays for.
    static let idleFrameLimit = 10_000
    /// Output that may wait before the peer counts as one that does not read.
    static let outputLimit = 16 << 20
    static let continuationLimit = 64
    /// SETTINGS of this side that may wait for their acknowledgement.
    static let unacknowledgedLimit = 1000

    var output = WireBuffer(capacity: 1 << 16)
    var splitter = WireFrameSplitter()
    var decoder = HPACKDecoder()
    var encoder = HPACKEncoderTable()
    var state = SessionState.open

    // The peer's settings.
    var hasPeerSettings = false
    var peerMaxConcurrentStreams = UInt32.max
    var peerInitialWindow = WireConnection.defaultWindow
    var peerMaxFrameSize = WireConnection.defaultFrameSize

    // This side's settings: announced last, announced and not acknowledged, in force.
    var announced: SessionSettings
    var unacknowledged: [SessionSettings] = []
    var initialWindow = WireConnection.defaultWindow
    var maxFrameSize = WireConnection.defaultFrameSize

    // The connection's windows.
    var sendWindow = WireConnection.defaultWindow
    /// The largest `sendWindow` there was: what the peer gives when nothing is outstanding.
    var sendWindowPeak = WireConnection.defaultWindow
    private var receiveWindow = WireConnection.defaultWindow
    private var receiveTarget = WireConnection.defaultWindow
    private var consumed = 0

    // The header block that CONTINUATION frames complete.
    /// Its stream; 0 for none.
    var blockStream: UInt32 = 0
    var blockEndsStream = false
    var block = WireBuffer(capacity: 1024)
    private var blockFrames = 0

    // Self-defence.
    /// Answers queued since the output ended at `answersFrom`, which was not all taken then.
    private var queuedAnswers = 0
    private var answersFrom = 0
    private var idleFrames = 0

    init(settings: SessionSettings) {
        announced = settings
        announce(settings)
    }

    /// Sets what is announced next, brought within what the protocol allows.
    mutating func announce(_ settings: SessionSettings) {
        announced = settings
        announced.maxFrameSize = min(max(settings.maxFrameSize, 16_384), 0xFF_FFFF)
        announced.initialWindowSize = min(settings.initialWindowSize, 0x7FFF_FFFF)
        // A peer that uses a table makes this side keep it: no connection needs more.
        announced.headerTableSize = min(settings.headerTableSize, 1 << 20)
    }

    var isFailed: Bool {
        if case .failed = state { return true }
        return false
    }

    /// The most bytes of a header block that are kept before it is decoded.
    var blockLimit: Int { min(max(1 << 16, 2 * Int(announced.maxHeaderListSize)), 1 << 20) }

    // MARK: - Output

    mutating func writeFrame(
        kind: UInt8,
        flags: UInt8 = 0,
        streamID: UInt32,
        payload: UnsafeRawBufferPointer
    ) {
        let target = output.reserve(WireFrame.headerSize + payload.count)
        WireFrame.writeHeader(
            to: target,
            count: payload.count,
            kind: kind,
            flags: flags,
            streamID: streamID
        )
        if let source = payload.baseAddress {
            (target + WireFrame.headerSize).copyMemory(from: source, byteCount: payload.count)
        }
        output.commit(WireFrame.headerSize + payload.count)
    }

    mutating func writeFrame(kind: UInt8, streamID: UInt32, value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) {
            writeFrame(kind: kind, streamID: streamID, payload: $0)
        }
    }

    mutating func writePing(_ payload: UInt64, flags: UInt8 = 0) {
        withUnsafeBytes(of: payload.bigEndian) {
            writeFrame(kind: WireFrame.Kind.ping, flags: flags, streamID: 0, payload: $0)
        }
    }

    mutating func writeReset(streamID: UInt32, code: HTTP2ErrorCode) {
        writeFrame(kind: WireFrame.Kind.rstStream, streamID: streamID, value: code.rawValue)
    }

    mutating func writeGoAway(
        lastStreamID: UInt32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {
        // A frame of the size that everybody takes.
        let shown = min(debugData.count, Self.defaultFrameSize - 8)
        let target = output.reserve(WireFrame.headerSize + 8 + shown)
        WireFrame.writeHeader(
            to: target,
            count: 8 + shown,
            kind: WireFrame.Kind.goAway,
            flags: 0,
            streamID: 0
        )
        (target + 9).storeBigEndian(lastStreamID & 0x7FFF_FFFF)
        (target + 13).storeBigEndian(code.rawValue)
        if let source = debugData.baseAddress {
            (target + 17).copyMemory(from: source, byteCount: shown)
        }
        output.commit(WireFrame.headerSize + 8 + shown)
    }

    /// Writes a header block as HEADERS and, where the peer's frames are too small, CONTINUATION.
    mutating func writeHeaders(
        streamID: UInt32,
        block: UnsafeRawBufferPointer,
        endsStream: Bool
    ) {
        var kind = WireFrame.Kind.headers
        var flags: UInt8 = endsStream ? WireFrame.Flag.endStream : 0
        var rest = block
        while true {
            let count = min(rest.count, peerMaxFrameSize)
            if count == rest.count { flags |= WireFrame.Flag.endHeaders }
            let part = UnsafeRawBufferPointer(rebasing: rest[..<count])
            writeFrame(kind: kind, flags: flags, streamID: streamID, payload: part)
            if count == rest.count { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            kind = WireFrame.Kind.continuation
            flags = 0
        }
    }

    /// Ends the connection: GOAWAY with the fault, and nothing more is read.
    mutating func fail(_ fault: WireFault, lastStreamID: UInt32) {
        guard !isFailed else { return }
        state = .failed(fault.code)
        let debugData = UnsafeRawBufferPointer(
            start: fault.reason.utf8Start,
            count: fault.reason.utf8CodeUnitCount
        )
        writeGoAway(lastStreamID: lastStreamID, code: fault.code, debugData: debugData)
    }

    // MARK: - Self-defence

    /// Counts an answer that the peer made this side queue.
    mutating func countAnswer() throws(WireFault) {
        if output.taken >= answersFrom {
            // All from before was taken: what waits was queued since, at most the limit again.
            queuedAnswers = 0
            answersFrom = output.written
        }
        queuedAnswers += 1
        guard queuedAnswers <= Self.answerLimit, output.count <= Self.outputLimit else {
            throw WireFault(.enhanceYourCalm, "more answers asked for than were read")
        }
    }

    /// Counts a frame that brings nothing to an end.
    mutating func countIdleFrame(cost: Int = 1) throws(WireFault) {
        idleFrames += cost
        guard idleFrames <= Self.idleFrameLimit else {
            throw WireFault(.enhanceYourCalm, "too many frames that do no work")
        }
    }

    /// A finished exchange pays for some frames that do no work.
    @inline(__always)
    mutating func creditFinishedStream() {
        if idleFrames > 0 { idleFrames = max(0, idleFrames - 10) }
    }

    // MARK: - Receive windows

    /// Takes `count` bytes of DATA from the connection's window and gives them back in time.
    ///
    /// - Throws: FLOW_CONTROL_ERROR where the peer has no such window.
    @inline(__always)
    mutating func takeFromReceiveWindow(_ count: Int) throws(WireFault) {
        receiveWindow -= count
        guard receiveWindow >= 0 else {
            throw WireFault(.flowControlError, "DATA over the connection's window")
        }
        consumed += count
        if consumed * 2 >= receiveTarget { returnReceiveWindow() }
    }

    @inline(never)
    private mutating func returnReceiveWindow() {
        guard consumed > 0 else { return }
        writeFrame(
            kind: WireFrame.Kind.windowUpdate,
            streamID: 0,
            value: UInt32(truncatingIfNeeded: consumed)
        )
        receiveWindow += consumed
        consumed = 0
    }

    /// Gives a stream back what it used of its window, once that is half of it.
    ///
    /// - Parameters:
    ///   - streamID: The stream.
    ///   - left: What the peer may still send on it.
    /// - Returns: How much was given back.
    mutating func returnStreamWindow(_ streamID: UInt32, left: Int) -> Int {
        let used = initialWindow - left
        guard used > 0, used * 2 >= initialWindow else { return 0 }
        writeFrame(
            kind: WireFrame.Kind.windowUpdate,
            streamID: streamID,
            value: UInt32(truncatingIfNeeded: used)
        )
        return used
    }

    /// Widens the connection's window to `size`; a window is never taken back.
    mutating func widenReceiveWindow(to size: UInt32) {
        let wanted = min(Int(size), Self.largestWindow)
        guard wanted > receiveTarget else { return }
        let added = wanted - receiveTarget
        receiveTarget = wanted
        receiveWindow += added
        writeFrame(
            kind: WireFrame.Kind.windowUpdate,
            streamID: 0,
            value: UInt32(truncatingIfNeeded: added)
        )
    }

    // MARK: - Header blocks

    /// Begins a block that CONTINUATION completes.
    mutating func beginBlock(_ frame: WireFrame) throws(WireFault) {
        blockStream = frame.streamID
        blockEndsStream = frame.has(WireFrame.Flag.endStream)
        block.removeAll()
        blockFrames = 0
        try addToBlock(frame)
    }

    /// Adds a fragment.
    ///
    /// - Throws: ENHANCE_YOUR_CALM where the block has no end in sight.
    mutating func addToBlock(_ frame: WireFrame) throws(WireFault) {
        blockFrames += 1
        guard block.count + frame.count <= blockLimit, blockFrames <= Self.continuationLimit else {
            throw WireFault(.enhanceYourCalm, "a header block without end")
        }
        block.append(frame.payload, count: frame.count)
    }
}
