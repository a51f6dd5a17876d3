import CNghttp2

/// What a server session's callbacks work on; lives at a fixed address that nghttp2 hands back.
///
/// No method here may call anything that makes nghttp2 call back: the accesses would overlap.
struct NGHTTP2ServerState: ~Copyable {
    /// Bytes kept of one request's body; the rest is counted only.
    static let largestBody = 65_536
    /// Slot buffers above this are given back when their stream ends.
    static let keptBuffer = 8192
    /// Refusals that may wait for the caller to drain, before the peer is a flooder.
    private static let refusalLimit = 1000
    /// SETTINGS that may wait for their acknowledgement.
    private static let unacknowledgedLimit = 1000
    /// What RFC 9113 section 6.5.2 adds to each field's name and value.
    private static let fieldOverhead = 32

    private(set) var slots: UnsafeMutablePointer<NGHTTP2ServerSlot>
    /// `RequestField.count` places for each slot.
    private(set) var ranges: UnsafeMutablePointer<RequestView.FieldRange>
    private var slotCount = 0
    private var capacity: Int
    private var freeHead = NGHTTP2ServerSlot.none
    private var readyHead = NGHTTP2ServerSlot.none
    private var readyTail = NGHTTP2ServerSlot.none
    /// Streams that nghttp2 has open.
    private(set) var open = 0
    /// Bytes that are kept of requests that are not whole, and of answers whose stream is open.
    private(set) var unfinishedBytes = 0
    /// Streams that were refused because they were more than allowed.
    private(set) var refusedCount = 0
    /// Those of them since all output was last taken: nghttp2 keeps each until its reset is produced.
    var waitingRefusals = 0
    /// How many streams the peer may have open.
    private var streamLimit = NGHTTP2StreamLimit()
    /// The last stream of the last GOAWAY.
    var lastTakenStreamID = Int32.max
    var maxHeaderListSize: Int
    private var hasPeerSettings = false
    var state = SessionState.open
    let output: UnsafeMutablePointer<NGHTTP2Output>
    /// The stream that was looked up last: callbacks come in runs for one stream.
    private var lastStreamID: Int32 = 0
    private var lastSlot = NGHTTP2ServerSlot.none

    init(settings: SessionSettings) {
        capacity = 16
        slots = .allocate(capacity: capacity)
        ranges = .allocate(capacity: capacity * RequestField.count)
        output = .allocate(capacity: 1)
        output.initialize(to: NGHTTP2Output())
        maxHeaderListSize = Int(settings.maxHeaderListSize)
    }

    /// Notes that SETTINGS with this stream limit are queued.
    mutating func announce(streams: UInt32) {
        streamLimit.announce(streams)
        output.pointee.streamLimits.append(streams)
    }

    /// Whether the peer makes this side refuse streams and does not read that.
    var isFlooded: Bool { waitingRefusals > Self.refusalLimit }

    /// Whether the peer acknowledges no SETTINGS.
    var areSettingsIgnored: Bool { streamLimit.pendingCount >= Self.unacknowledgedLimit }

    deinit {
        slots.deinitialize(count: slotCount)
        slots.deallocate()
        ranges.deallocate()
        output.deinitialize(count: 1)
        output.deallocate()
    }

    /// Turns the state to failed where the output holds a GOAWAY that this side did not ask for.
    mutating func noteFailure() {
        if let code = output.pointee.failure { state = .failed(code) }
    }

    // MARK: - Slots

    /// The slot of a stream; `none` where nghttp2 knows no such stream.
    mutating func slot(of streamID: Int32, in session: OpaquePointer) -> Int32 {
        if streamID == lastStreamID { return lastSlot }
        // The stream's user data is the slot's index and 1, so that nil means no slot.
        let data = nghttp2_session_get_stream_user_data(session, streamID)
        lastSlot = Int32(Int(bitPattern: data)) - 1
        lastStreamID = streamID
        return lastSlot
    }

    /// The slot of a request that was handed out and not answered; nil for a stale handle.
    ///
    /// Stream ids are never used twice on a connection, so that they tell a slot's tenants apart.
    func slot(of handle: RequestHandle) -> UnsafeMutablePointer<NGHTTP2ServerSlot>? {
        guard handle.slot < UInt32(slotCount) else { return nil }
        let slot = slots + Int(handle.slot)
        guard slot.pointee.streamID == Int32(bitPattern: handle.streamID) else { return nil }
        switch slot.pointee.phase {
        case .taken, .takenAndGone: return slot
        default: return nil
        }
    }

    /// The places of a slot's fields.
    func ranges(of slot: Int) -> UnsafeMutablePointer<RequestView.FieldRange> {
        ranges + slot * RequestField.count
    }

    private mutating func takeSlot() -> Int32 {
        if freeHead == NGHTTP2ServerSlot.none {
            if slotCount == capacity { grow() }
            slots.advanced(by: slotCount).initialize(to: NGHTTP2ServerSlot())
            slotCount += 1
            return Int32(slotCount - 1)
        }
        let index = freeHead
        freeHead = slots[Int(index)].next
        return index
    }

    mutating func freeSlot(_ index: Int32) {
        let slot = slots + Int(index)
        unfinishedBytes -= slot.pointee.held
        slot.pointee.held = 0
        slot.pointee.phase = .free
        slot.pointee.fieldBytes.removeAll()
        slot.pointee.body.removeAll()
        slot.pointee.body.shrink(above: Self.keptBuffer)
        slot.pointee.fieldBytes.shrink(above: Self.keptBuffer)
        slot.pointee.next = freeHead
        freeHead = index
    }

    private mutating func grow() {
        let larger = capacity * 2
        let moved = UnsafeMutablePointer<NGHTTP2ServerSlot>.allocate(capacity: larger)
        moved.moveInitialize(from: slots, count: slotCount)
        slots.deallocate()
        slots = moved
        let movedRanges = UnsafeMutablePointer<RequestView.FieldRange>.allocate(
            capacity: larger * RequestField.count
        )
        movedRanges.moveInitialize(from: ranges, count: slotCount * RequestField.count)
        ranges.deallocate()
        ranges = movedRanges
        capacity = larger
    }

    // MARK: - Requests

    /// A new stream: gives it a slot.
    ///
    /// - Returns: False where it is one more than the peer may open.
    mutating func requestBegan(_ streamID: Int32, session: OpaquePointer) -> Bool {
        guard open < streamLimit.value else {
            refusedCount += 1
            waitingRefusals += 1
            return false
        }
        let index = takeSlot()
        let slot = slots + Int(index)
        slot.pointee.phase = .receiving
        slot.pointee.streamID = streamID
        slot.pointee.duplicatedField = nil
        slot.pointee.hasHeaders = false
        slot.pointee.headerListSize = 0
        slot.pointee.bodyByteCount = 0
        slot.pointee.sentCount = 0
        ranges(of: Int(index))
            .initialize(repeating: RequestView.FieldRange(), count: RequestField.count)
        nghttp2_session_set_stream_user_data(
            session,
            streamID,
            UnsafeMutableRawPointer(bitPattern: Int(index) + 1)
        )
        open += 1
        lastStreamID = streamID
        lastSlot = index
        return true
    }

    /// Counts so many bytes as kept for a slot.
    mutating func hold(_ byteCount: Int, slot index: Int) {
        unfinishedBytes += byteCount - slots[index].held
        slots[index].held = byteCount
    }

    /// Gives back what streams that are over have left.
    ///
    /// - Returns: Whether there was any.
    func trim() -> Bool {
        guard open * 4 < slotCount else { return false }
        var freed = 0
        for index in 0..<slotCount where slots[index].phase == .free {
            freed += slots[index].body.capacity + slots[index].fieldBytes.capacity
            slots[index].body.shrink(above: 0)
            slots[index].fieldBytes.shrink(above: 0)
        }
        return freed > 0
    }

    /// Keeps the value of a known field.
    ///
    /// - Returns: False where the header list passes the announced limit.
    mutating func headerReceived(
        streamID: Int32,
        name: UnsafeBufferPointer<UInt8>,
        value: UnsafeRawBufferPointer,
        session: OpaquePointer
    ) -> Bool {
        let index = Int(slot(of: streamID, in: session))
        if index < 0 { return true }
        let slot = slots + index
        slot.pointee.headerListSize += name.count + value.count + Self.fieldOverhead
        if slot.pointee.headerListSize > maxHeaderListSize { return false }
        guard !slot.pointee.hasHeaders, let field = RequestField.named(name) else { return true }
        let range = ranges(of: index) + Int(field.rawValue)
        guard range.pointee.offset == RequestView.FieldRange.absent else {
            if slot.pointee.duplicatedField == nil { slot.pointee.duplicatedField = field }
            return true
        }
        range.pointee.offset = UInt32(slot.pointee.fieldBytes.count)
        range.pointee.count = UInt32(value.count)
        slot.pointee.fieldBytes.append(value)
        return true
    }

    /// Keeps the body's bytes up to ``largestBody``.
    mutating func dataReceived(
        streamID: Int32,
        bytes: UnsafeRawBufferPointer,
        session: OpaquePointer
    ) {
        let index = Int(slot(of: streamID, in: session))
        if index < 0 || slots[index].phase != .receiving { return }
        slots[index].bodyByteCount += bytes.count
        let room = Self.largestBody - slots[index].body.count
        let kept = min(room, bytes.count)
        slots[index].body.append(UnsafeRawBufferPointer(rebasing: bytes[..<kept]))
        hold(slots[index].held + kept, slot: index)
    }

    /// Acts on a whole, valid frame.
    mutating func frameReceived(_ header: nghttp2_frame_hd, session: OpaquePointer) {
        if header.isType(NGHTTP2_HEADERS) || header.isType(NGHTTP2_DATA) {
            let index = Int(slot(of: header.stream_id, in: session))
            if index < 0 { return }
            slots[index].hasHeaders = true
            if header.has(NGHTTP2_FLAG_END_STREAM), slots[index].phase == .receiving {
                slots[index].phase = .ready
                hold(0, slot: index)
                appendReady(Int32(index))
            } else if slots[index].phase == .receiving {
                hold(slots[index].fieldBytes.count + slots[index].body.count, slot: index)
            }
        } else if header.isType(NGHTTP2_GOAWAY) {
            if state == .open { state = .draining }
        } else if header.isType(NGHTTP2_SETTINGS) {
            if header.has(NGHTTP2_FLAG_ACK) {
                streamLimit.acknowledged()
            } else {
                hasPeerSettings = true
            }
        }
    }

    /// Whether the first SETTINGS or a request is still to come whole; frames that are cut off are
    /// nghttp2's.
    var isMidway: Bool {
        !hasPeerSettings
            || open > 0 && (0..<slotCount).contains { slots[$0].phase == .receiving }
    }

    /// The stream is gone: frees its slot unless the caller still has, or will get, the request.
    mutating func streamClosed(_ streamID: Int32, session: OpaquePointer) {
        let index = slot(of: streamID, in: session)
        lastStreamID = 0
        if index < 0 { return }
        open -= 1
        switch slots[Int(index)].phase {
        case .ready: slots[Int(index)].phase = .readyAndGone
        case .taken: slots[Int(index)].phase = .takenAndGone
        case .receiving, .answered: freeSlot(index)
        case .free, .readyAndGone, .takenAndGone: break
        }
    }

    /// Takes the oldest whole request; those that were reset meanwhile are dropped.
    mutating func takeReady() -> RequestHandle? {
        while readyHead != NGHTTP2ServerSlot.none {
            let index = readyHead
            let slot = slots + Int(index)
            readyHead = slot.pointee.next
            if readyHead == NGHTTP2ServerSlot.none { readyTail = NGHTTP2ServerSlot.none }
            if slot.pointee.phase == .ready {
                slot.pointee.phase = .taken
                return RequestHandle(
                    slot: UInt32(index),
                    streamID: UInt32(bitPattern: slot.pointee.streamID)
                )
            }
            freeSlot(index)
        }
        return nil
    }

    private mutating func appendReady(_ index: Int32) {
        slots[Int(index)].next = NGHTTP2ServerSlot.none
        if readyTail == NGHTTP2ServerSlot.none {
            readyHead = index
        } else {
            slots[Int(readyTail)].next = index
        }
        readyTail = index
    }

    /// Copies the next piece of an answer's body for nghttp2.
    mutating func readBody(
        slot index: Int32,
        into buffer: UnsafeMutablePointer<UInt8>,
        limit: Int,
        flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let slot = slots + Int(index)
        let unsent = slot.pointee.body.count - slot.pointee.sentCount
        let count = min(unsent, limit)
        if count > 0, let start = slot.pointee.body.start {
            UnsafeMutableRawPointer(buffer)
                .copyMemory(from: start + slot.pointee.sentCount, byteCount: count)
            slot.pointee.sentCount += count
        }
        if count == unsent { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return count
    }
}
