import CNghttp2

/// What a client session's callbacks work on; lives at a fixed address that nghttp2 hands back.
///
/// No method here may call anything that makes nghttp2 call back: the accesses would overlap.
struct NGHTTP2ClientState: ~Copyable {
    /// A body is not cut into pieces smaller than this where it can be helped.
    private static let wantedPiece = 256

    let slots: UnsafeMutablePointer<NGHTTP2ClientSlot>
    let slotCount: Int
    private var freeHead: Int32 = 0
    /// Slots that are not free.
    private(set) var occupied = 0
    /// Streams without an event yet.
    private(set) var inFlight = 0
    /// Of these, the ones that nghttp2 has taken to the last byte.
    private(set) var awaitingAnswer = 0
    /// Streams whose next piece would be too small, oldest first.
    private(set) var heldHead = NGHTTP2ClientSlot.none
    private var heldTail = NGHTTP2ClientSlot.none
    /// Whether a window may have grown since held streams were last looked at.
    var windowsChanged = false
    private var smallestPiece = NGHTTP2ClientState.wantedPiece

    var state = SessionState.open
    /// 0 until the peer's first SETTINGS.
    var peerMaxConcurrentStreams: UInt32 = 0
    var hasPeerSettings = false
    var pingsUnanswered = 0
    var isLost = false
    /// The last stream that the peer processes, by its GOAWAY.
    var peerLastStreamID = Int32.max
    var events: ClientEventQueue
    let output: UnsafeMutablePointer<NGHTTP2Output>
    /// The stream that was looked up last: callbacks come in runs for one stream.
    private var lastStreamID: Int32 = 0
    private var lastSlot = NGHTTP2ClientSlot.none

    init(maxStreams: Int) {
        slotCount = max(maxStreams, 1)
        slots = .allocate(capacity: slotCount)
        output = .allocate(capacity: 1)
        output.initialize(to: NGHTTP2Output())
        events = ClientEventQueue(capacity: slotCount + 16)
        for index in 0..<slotCount {
            var slot = NGHTTP2ClientSlot()
            slot.next = index + 1 < slotCount ? Int32(index + 1) : NGHTTP2ClientSlot.none
            slots.advanced(by: index).initialize(to: slot)
        }
    }

    deinit {
        slots.deinitialize(count: slotCount)
        slots.deallocate()
        output.deinitialize(count: 1)
        output.deallocate()
    }

    /// How many more requests may be given to nghttp2.
    var available: Int {
        guard state == .open else { return 0 }
        return max(min(slotCount, Int(peerMaxConcurrentStreams)) - occupied, 0)
    }

    // MARK: - Slots

    /// Takes a free slot for a request; there must be one.
    mutating func takeSlot(tag: UInt32) -> Int32 {
        let index = freeHead
        precondition(index != NGHTTP2ClientSlot.none, "no free stream slot")
        freeHead = slots[Int(index)].next
        slots[Int(index)].phase = .inFlight
        slots[Int(index)].tag = tag
        occupied += 1
        inFlight += 1
        return index
    }

    /// Gives a slot back whose request nghttp2 did not take: it has no event.
    mutating func takeBack(_ index: Int32) {
        inFlight -= 1
        freeSlot(index)
    }

    /// Gives a slot back whose stream nghttp2 no longer knows.
    mutating func freeSlot(_ index: Int32) {
        release(index)
        let slot = slots + Int(index)
        slot.pointee.phase = .free
        slot.pointee.request.removeAll()
        slot.pointee.response.removeAll()
        slot.pointee.sentCount = 0
        slot.pointee.endOffset = .max
        slot.pointee.status = 0
        slot.pointee.wasResetByPeer = false
        slot.pointee.retryAfterSeconds = nil
        slot.pointee.next = freeHead
        freeHead = index
        occupied -= 1
        lastStreamID = 0
    }

    /// The slot of a stream; `none` where nghttp2 knows no such stream.
    mutating func slot(of streamID: Int32, in session: OpaquePointer) -> Int32 {
        if streamID == lastStreamID { return lastSlot }
        // The stream's user data is the slot's index and 1, so that nil means no slot.
        let data = nghttp2_session_get_stream_user_data(session, streamID)
        lastSlot = Int32(Int(bitPattern: data)) - 1
        lastStreamID = streamID
        return lastSlot
    }

    // MARK: - Events

    /// Ends a stream with its one event; nothing where it had its event before.
    mutating func tell(
        _ kind: ClientEvent.Kind,
        slot index: Int32,
        errorCode: HTTP2ErrorCode = .noError
    ) {
        let slot = slots + Int(index)
        guard slot.pointee.phase == .inFlight else { return }
        slot.pointee.phase = .told
        inFlight -= 1
        if slot.pointee.isSent { awaitingAnswer -= 1 }
        var event = ClientEvent(kind: kind, tag: slot.pointee.tag, errorCode: errorCode)
        event.status = slot.pointee.status
        event.isPeerReset = slot.pointee.wasResetByPeer
        guard kind == .responded else {
            events.append(event)
            return
        }
        event.retryAfterSeconds = slot.pointee.retryAfterSeconds
        events.append(event, body: slot.pointee.response.bytes)
    }

    /// Turns the state to failed where the output holds a GOAWAY that this side did not ask for.
    mutating func noteFailure() {
        if let code = output.pointee.failure { state = .failed(code) }
    }

    // MARK: - Bodies

    /// Copies the next piece of a body for nghttp2.
    ///
    /// A piece that a window makes too small is not sent while answers to other requests are
    /// still to come: the stream is held until a window grows or the last answer is there.
    mutating func readBody(
        slot index: Int32,
        into buffer: UnsafeMutablePointer<UInt8>,
        limit: Int,
        flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let slot = slots + Int(index)
        let unsent = slot.pointee.unsentCount
        var count = min(unsent, limit)
        if count < unsent {
            if count < smallestPiece {
                if awaitingAnswer > 0 {
                    hold(index)
                    return Int(NGHTTP2_ERR_DEFERRED.rawValue)
                }
            } else if unsent - count < smallestPiece {
                // Leave a tail that is worth a frame.
                count = max(unsent - smallestPiece, unsent / 2)
            }
        }
        if count > 0, let start = slot.pointee.request.start {
            let from = start + slot.pointee.pathCount + slot.pointee.sentCount
            UnsafeMutableRawPointer(buffer).copyMemory(from: from, byteCount: count)
            slot.pointee.sentCount += count
        }
        if count == unsent {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            // The frame that is being made is the next piece of output: 9 bytes and this.
            slot.pointee.endOffset = output.pointee.produced &+ UInt64(9 + count)
            if slot.pointee.phase == .inFlight { awaitingAnswer += 1 }
        }
        return count
    }

    /// Takes over what the peer's SETTINGS say.
    mutating func settingsReceived(from session: OpaquePointer) {
        hasPeerSettings = true
        peerMaxConcurrentStreams = nghttp2_session_get_remote_settings(
            session,
            NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS
        )
        let window = nghttp2_session_get_remote_settings(
            session,
            NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE
        )
        // With tiny windows, tiny pieces are what the peer wants.
        smallestPiece = max(min(Self.wantedPiece, Int(window) / 4), 1)
        windowsChanged = true
    }

    private mutating func hold(_ index: Int32) {
        slots[Int(index)].isHeld = true
        slots[Int(index)].heldPrevious = heldTail
        slots[Int(index)].heldNext = NGHTTP2ClientSlot.none
        if heldTail == NGHTTP2ClientSlot.none {
            heldHead = index
        } else {
            slots[Int(heldTail)].heldNext = index
        }
        heldTail = index
    }

    /// Takes a slot out of the list of held ones, if it is there.
    mutating func release(_ index: Int32) {
        guard slots[Int(index)].isHeld else { return }
        slots[Int(index)].isHeld = false
        let next = slots[Int(index)].heldNext
        let previous = slots[Int(index)].heldPrevious
        if previous == NGHTTP2ClientSlot.none {
            heldHead = next
        } else {
            slots[Int(previous)].heldNext = next
        }
        if next == NGHTTP2ClientSlot.none {
            heldTail = previous
        } else {
            slots[Int(next)].heldPrevious = previous
        }
    }

    /// Whether held streams should be looked at again.
    var shouldResume: Bool {
        heldHead != NGHTTP2ClientSlot.none && (windowsChanged || awaitingAnswer == 0)
    }

    /// The connection window below which held streams stay held.
    var windowWorthResuming: Int { awaitingAnswer == 0 ? 1 : smallestPiece }
}
