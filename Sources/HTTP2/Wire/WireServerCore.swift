/// The state of a ``WireServerSession``, at a fixed address so that no access is checked for
/// exclusivity.
///
/// Streams live in slots that are reused last in, first out, so that few of them are warm. A bucket
/// array indexed by the id's half leads from id to slot: ids come in order, so a chain is longer
/// than one only where a stream outlives thousands of others.
struct WireServerCore: ~Copyable {
    /// How a stream came to its end; what a late frame on it means depends on that.
    enum End: UInt32 {
        case unknown
        /// Both sides sent END_STREAM.
        case whole
        case resetByPeer
        /// Reset or ignored by this side: the peer may still send for a while.
        case resetByUs
    }

    static let bucketMask = 2047
    /// Streams taken before the peer has acknowledged how many it may open.
    static let unacknowledgedStreamLimit = 1024
    static let largestStreamLimit = 1 << 16
    /// Body bytes that are kept; of a longer body the rest is counted only.
    static let bodyLimit = 1 << 16
    /// Resets, of either side, beyond those that answered requests pay for.
    static let resetLimit = 1000
    static let emptyDataCost = 100
    /// Bytes of unfinished exchanges that are kept at once, at least: a thousand of the largest pushes.
    static let unfinishedLimit = 8 << 20
    /// Bytes of them for each stream that was ever allowed: the largest push with its fields.
    static let unfinishedBytesPerStream = 8 << 10
    /// Slots of a new session.
    static let firstSlotCapacity = 32

    var connection: WireConnection
    var cache = WireRequestCache()
    /// How much of the client's preface was seen.
    var prefaceCount = 0
    var streams: UnsafeMutablePointer<WireServerStream>
    var bytes: UnsafeMutablePointer<WireServerStreamBytes>
    var ranges: UnsafeMutablePointer<RequestView.FieldRange>
    var slotCapacity: Int
    /// Slots ever used.
    var slotCount = 0
    var firstFree: Int32 = -1
    let buckets: UnsafeMutablePointer<Int32>
    /// By the id's half: that and ``End`` of the last closed stream of the place.
    let closed: UnsafeMutablePointer<UInt32>

    var openCount = 0
    var streamLimit = WireServerCore.unacknowledgedStreamLimit
    var lastStreamID: UInt32 = 0
    /// Streams above it are ignored: GOAWAY said so.
    var lastTakenStreamID: UInt32 = 0x7FFF_FFFF
    var respondingCount = 0
    var refusedCount = 0
    var resets = 0
    /// Bytes that are kept of requests that are not whole and of answers that wait for a window.
    var unfinishedBytes = 0
    /// The most that they may be; not lowered with the streams, of which some may be under way.
    var mostUnfinishedBytes = WireServerCore.unfinishedLimit

    // The queue of whole requests: a ring of slots, a power of two.
    var queue: UnsafeMutablePointer<Int32>
    var queueCapacity = 64
    var queueFirst = 0
    var queueCount = 0

    // Where a block that is not cached is decoded.
    var headBytes: UnsafeMutableRawPointer
    var headLimit: Int
    var headCapacity: Int
    let headRanges: UnsafeMutablePointer<RequestView.FieldRange>
    var blockDependsOnItself = false

    // Entries of the response encoder's table.
    var apnsIDEntry = 0
    var apnsUniqueIDEntry = 0
    var contentTypeEntry = 0
    var blockBuffer = WireBuffer(capacity: 512)

    init(settings: SessionSettings) {
        connection = WireConnection(settings: settings)
        slotCapacity = Self.firstSlotCapacity
        streams = .allocate(capacity: slotCapacity)
        bytes = .allocate(capacity: slotCapacity)
        ranges = .allocate(capacity: slotCapacity * HPACKFieldName.requestFieldCount)
        buckets = .allocate(capacity: Self.bucketMask + 1)
        buckets.initialize(repeating: -1, count: Self.bucketMask + 1)
        closed = .allocate(capacity: Self.bucketMask + 1)
        closed.initialize(repeating: 0, count: Self.bucketMask + 1)
        queue = .allocate(capacity: queueCapacity)
        headLimit = Self.headLimit(settings)
        headCapacity = headLimit
        headBytes = .allocate(byteCount: headLimit, alignment: 16)
        headRanges = .allocate(capacity: HPACKFieldName.requestFieldCount)
        headRanges.initialize(
            repeating: RequestView.FieldRange(),
            count: HPACKFieldName.requestFieldCount
        )
        connection.writeSettings(isServer: true)
    }

    deinit {
        for slot in 0..<slotCount { bytes[slot].deallocate() }
        streams.deallocate()
        bytes.deallocate()
        ranges.deallocate()
        buckets.deallocate()
        closed.deallocate()
        queue.deallocate()
        headBytes.deallocate()
        headRanges.deallocate()
    }

    static func headLimit(_ settings: SessionSettings) -> Int {
        min(max(Int(settings.maxHeaderListSize), 64), 1 << 20)
    }

    // MARK: - Slots

    @inline(__always)
    static func place(of streamID: UInt32) -> Int { Int(streamID >> 1) & bucketMask }

    /// The slot of a stream that is not closed.
    @inline(__always)
    func slot(of streamID: UInt32) -> Int? {
        var next = buckets[Self.place(of: streamID)]
        while next >= 0 {
            let slot = Int(next)
            if streams[slot].id == streamID { return slot }
            next = streams[slot].next
        }
        return nil
    }

    func rangesOf(_ slot: Int) -> UnsafeMutablePointer<RequestView.FieldRange> {
        ranges + slot * HPACKFieldName.requestFieldCount
    }

    /// A free slot, put into the bucket of `streamID`.
    @inline(__always)
    mutating func open(_ streamID: UInt32) -> Int {
        let slot: Int
        if firstFree >= 0 {
            slot = Int(firstFree)
            firstFree = streams[slot].next
        } else {
            slot = addSlot()
        }
        var stream = WireServerStream()
        stream.id = streamID
        stream.phase = .receiving
        stream.sendWindow = connection.peerInitialWindow
        stream.receiveWindow = connection.initialWindow
        let place = Self.place(of: streamID)
        stream.next = buckets[place]
        buckets[place] = Int32(truncatingIfNeeded: slot)
        (streams + slot).initialize(to: stream)
        openCount += 1
        return slot
    }

    @inline(never)
    private mutating func addSlot() -> Int {
        let fieldCount = HPACKFieldName.requestFieldCount
        if slotCount == slotCapacity { resize(to: slotCapacity * 2) }
        let slot = slotCount
        slotCount += 1
        (bytes + slot).initialize(to: WireServerStreamBytes())
        rangesOf(slot).initialize(repeating: RequestView.FieldRange(), count: fieldCount)
        return slot
    }

    private mutating func resize(to capacity: Int) {
        let fieldCount = HPACKFieldName.requestFieldCount
        let newStreams = UnsafeMutablePointer<WireServerStream>.allocate(capacity: capacity)
        newStreams.moveInitialize(from: streams, count: slotCount)
        let newBytes = UnsafeMutablePointer<WireServerStreamBytes>.allocate(capacity: capacity)
        newBytes.moveInitialize(from: bytes, count: slotCount)
        let newRanges = UnsafeMutablePointer<RequestView.FieldRange>.allocate(
            capacity: capacity * fieldCount
        )
        newRanges.moveInitialize(from: ranges, count: slotCount * fieldCount)
        streams.deallocate()
        bytes.deallocate()
        ranges.deallocate()
        streams = newStreams
        bytes = newBytes
        ranges = newRanges
        slotCapacity = capacity
    }

    /// Gives back what streams that are over have left.
    ///
    /// Memory is kept from stream to stream, so that a busy connection allocates nothing; once few of
    /// its streams are in use, nobody needs what a thousand of them took.
    ///
    /// - Returns: Whether there was any.
    mutating func trim() -> Bool {
        connection.output.trim()
        guard openCount * 4 < slotCount else { return false }
        var freed = 0
        var freeCount = 0
        for slot in 0..<slotCount where streams[slot].phase == .free {
            freed += bytes[slot].capacity
            freeCount += 1
            bytes[slot].deallocate()
        }
        guard freeCount == slotCount else { return freed > 0 }
        slotCount = 0
        firstFree = -1
        if slotCapacity > Self.firstSlotCapacity { resize(to: Self.firstSlotCapacity) }
        return true
    }

    /// Takes a stream out of its bucket: no frame finds it any more.
    @inline(__always)
    private mutating func detach(_ slot: Int, _ end: End) {
        let id = streams[slot].id
        noteClosed(id, end)
        openCount -= 1
        if streams[slot].phase == .responding {
            respondingCount -= 1
            unfinishedBytes -= streams[slot].held
            streams[slot].held = 0
        }
        let place = Self.place(of: id)
        var next = buckets[place]
        guard Int(next) != slot else {
            buckets[place] = streams[slot].next
            return
        }
        while next >= 0 {
            let following = streams[Int(next)].next
            if Int(following) == slot {
                streams[Int(next)].next = streams[slot].next
                return
            }
            next = following
        }
    }

    @inline(__always)
    private mutating func release(_ slot: Int) {
        streams[slot].phase = .free
        streams[slot].isDead = false
        streams[slot].next = firstFree
        firstFree = Int32(truncatingIfNeeded: slot)
        bytes[slot].clear()
    }

    /// Ends a stream that both sides ended.
    @inline(__always)
    mutating func finish(_ slot: Int) {
        detach(slot, .whole)
        release(slot)
        if resets > 0 { resets -= 1 }
        connection.creditFinishedStream()
    }

    /// Counts what is kept of a request that is not whole.
    @inline(__always)
    mutating func hold(_ slot: Int) {
        let byteCount = bytes[slot].requestByteCount
        unfinishedBytes += byteCount - streams[slot].held
        streams[slot].held = byteCount
    }

    /// Ends a stream early; its storage stays as long as the caller may look at it.
    mutating func kill(_ slot: Int, _ end: End) {
        unfinishedBytes -= streams[slot].held
        streams[slot].held = 0
        detach(slot, end)
        switch streams[slot].phase {
        case .queued, .taken: streams[slot].isDead = true
        default: release(slot)
        }
    }

    /// Gives a dead stream's storage back.
    mutating func bury(_ slot: Int) { release(slot) }

    @inline(__always)
    mutating func noteClosed(_ streamID: UInt32, _ end: End) {
        closed[Self.place(of: streamID)] = (streamID >> 1) << 2 | end.rawValue
    }

    /// How a closed stream ended; unknown where that was forgotten or the id was left out.
    func end(of streamID: UInt32) -> End {
        let noted = closed[Self.place(of: streamID)]
        guard noted >> 2 == streamID >> 1 else { return .unknown }
        return End(rawValue: noted & 3) ?? .unknown
    }

    // MARK: - The queue of whole requests

    @inline(__always)
    mutating func enqueue(_ slot: Int) {
        if queueCount == queueCapacity { growQueue() }
        streams[slot].phase = .queued
        queue[(queueFirst + queueCount) & (queueCapacity - 1)] = Int32(truncatingIfNeeded: slot)
        queueCount += 1
    }

    mutating func nextRequest() -> RequestHandle? {
        while queueCount > 0, !connection.isFailed {
            let slot = Int(queue[queueFirst])
            queueFirst = (queueFirst + 1) & (queueCapacity - 1)
            queueCount -= 1
            guard !streams[slot].isDead else {
                bury(slot)
                continue
            }
            streams[slot].phase = .taken
            return RequestHandle(
                slot: UInt32(truncatingIfNeeded: slot),
                streamID: streams[slot].id
            )
        }
        return nil
    }

    @inline(never)
    private mutating func growQueue() {
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: queueCapacity * 2)
        for offset in 0..<queueCount {
            larger[offset] = queue[(queueFirst + offset) & (queueCapacity - 1)]
        }
        queue.deallocate()
        queue = larger
        queueFirst = 0
        queueCapacity *= 2
    }

    /// Whether the preface, a frame, a header block or a request has begun and not ended.
    var isMidway: Bool {
        if !connection.hasPeerSettings || connection.splitter.isMidway { return true }
        if connection.blockStream != 0 { return true }
        return openCount > 0 && (0..<slotCount).contains { streams[$0].phase == .receiving }
    }

    // MARK: - Faults

    mutating func fail(_ fault: WireFault) {
        connection.fail(fault, lastStreamID: min(lastStreamID, lastTakenStreamID))
    }

    /// Counts a reset that the peer sent or provoked.
    ///
    /// - Throws: ENHANCE_YOUR_CALM where streams are opened only to be reset.
    mutating func countReset() throws(WireFault) {
        resets += 1
        guard resets <= Self.resetLimit else {
            throw WireFault(.enhanceYourCalm, "too many streams reset for those answered")
        }
    }

    /// A stream error (RFC 9113 section 5.4.2) on a stream with or without a slot.
    mutating func resetStream(_ streamID: UInt32, _ code: HTTP2ErrorCode) throws(WireFault) {
        try connection.countAnswer()
        if code != .refusedStream { try countReset() }
        connection.writeReset(streamID: streamID, code: code)
        if let slot = slot(of: streamID) {
            kill(slot, .resetByUs)
        } else {
            noteClosed(streamID, .resetByUs)
        }
    }
}
