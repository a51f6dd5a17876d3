import CNghttp2

/// What the peer's frames do to a client's streams.
extension NGHTTP2ClientState {
    /// Keeps `:status` and `retry-after`.
    ///
    /// - Returns: False for a status that no response has; nghttp2 takes any three digits.
    mutating func headerReceived(
        streamID: Int32,
        name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        session: OpaquePointer
    ) -> Bool {
        let isStatus = name.count == 7 && name[0] == UInt8(ascii: ":")
        if !isStatus, !name.equals(retryAfter) { return true }
        let index = Int(slot(of: streamID, in: session))
        if index < 0 { return true }
        let number = decimalNumber(value)
        if isStatus {
            guard let number, number >= 100 else { return false }
            // A later header block that has a status too makes the earlier one a 1xx.
            slots[index].status = UInt16(truncatingIfNeeded: number)
            slots[index].retryAfterSeconds = nil
        } else {
            slots[index].retryAfterSeconds = number
        }
        return true
    }

    /// Keeps the first bytes of a response's body.
    mutating func dataReceived(
        streamID: Int32,
        bytes: UnsafeRawBufferPointer,
        session: OpaquePointer
    ) {
        let index = Int(slot(of: streamID, in: session))
        if index < 0 || slots[index].phase != .inFlight { return }
        let room = ClientEventQueue.largestBody - slots[index].response.count
        let kept = UnsafeRawBufferPointer(rebasing: bytes[..<min(room, bytes.count)])
        slots[index].response.append(kept)
    }

    /// Acts on a whole, valid frame.
    mutating func frameReceived(_ frame: UnsafePointer<nghttp2_frame>, session: OpaquePointer) {
        let header = frame.header
        if header.isType(NGHTTP2_HEADERS) || header.isType(NGHTTP2_DATA) {
            if header.has(NGHTTP2_FLAG_END_STREAM) {
                responseEnded(header.stream_id, session: session)
            }
        } else if header.isType(NGHTTP2_RST_STREAM) {
            // nghttp2 closes the stream next.
            let index = slot(of: header.stream_id, in: session)
            if index >= 0 { slots[Int(index)].wasResetByPeer = true }
        } else if header.isType(NGHTTP2_WINDOW_UPDATE) {
            windowsChanged = true
        } else if header.isType(NGHTTP2_SETTINGS) {
            if header.has(NGHTTP2_FLAG_ACK) { return }
            settingsReceived(from: session)
            giveBackUnwritten(session)
        } else if header.isType(NGHTTP2_GOAWAY) {
            goAwayReceived(frame.pointee.goaway)
        } else if header.isType(NGHTTP2_PING) {
            if header.has(NGHTTP2_FLAG_ACK) { pongReceived(frame.pointee.ping) }
        }
    }

    /// The stream is gone: where it had no answer, says why.
    mutating func streamClosed(
        _ streamID: Int32,
        errorCode: HTTP2ErrorCode,
        session: OpaquePointer
    ) {
        let index = slot(of: streamID, in: session)
        if index < 0 { return }
        if streamID > peerLastStreamID {
            // nghttp2's own REFUSED_STREAM: the peer refused none.
            tell(.unprocessed, slot: index)
        } else {
            let kind: ClientEvent.Kind = errorCode == .refusedStream ? .unprocessed : .reset
            tell(kind, slot: index, errorCode: errorCode)
        }
        freeSlot(index)
    }

    private mutating func responseEnded(_ streamID: Int32, session: OpaquePointer) {
        let index = slot(of: streamID, in: session)
        if index < 0 { return }
        if !slots[Int(index)].isSent {
            // The answer came before the end of the request, and is all there is to know:
            // the rest is not worth sending. nghttp2 keeps the stream until this is written.
            let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
            nghttp2_submit_rst_stream(session, none, streamID, NGHTTP2_CANCEL.rawValue)
        }
        tell(.responded, slot: index)
    }

    /// Ends requests that were not begun to be written and that a lowered limit no longer allows.
    ///
    /// nghttp2 would keep them until it may open their streams; told at once, they can go
    /// elsewhere. Those it may open now stay, the oldest first.
    private mutating func giveBackUnwritten(_ session: OpaquePointer) {
        let last = Int64(output.pointee.lastHeadersStreamID)
        let limit = min(Int64(peerMaxConcurrentStreams), Int64(slotCount))
        if Int64(occupied) <= limit { return }
        var begun: Int64 = 0
        for index in 0..<slotCount where slots[index].phase != .free {
            if slots[index].streamID <= last { begun += 1 }
        }
        let lastAllowed = last + 2 * max(limit - begun, 0)
        for index in 0..<slotCount where slots[index].phase == .inFlight {
            if slots[index].streamID <= lastAllowed { continue }
            let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
            // Cancels the request where it waits: nothing of it reaches the peer.
            nghttp2_submit_rst_stream(
                session,
                none,
                slots[index].streamID,
                NGHTTP2_REFUSED_STREAM.rawValue
            )
            tell(.unprocessed, slot: Int32(index))
        }
    }

    private mutating func goAwayReceived(_ goAway: nghttp2_goaway) {
        if state == .open { state = .draining }
        peerLastStreamID = min(peerLastStreamID, goAway.last_stream_id)
        events.append(
            ClientEvent(kind: .goAway, errorCode: HTTP2ErrorCode(rawValue: goAway.error_code)),
            body: UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
        )
        // nghttp2 closes the streams above the last id next; those it has not even opened it
        // would drop only when their turn to be written comes.
        for index in 0..<slotCount where slots[index].phase == .inFlight {
            if slots[index].streamID > output.pointee.lastHeadersStreamID {
                tell(.unprocessed, slot: Int32(index))
            }
        }
    }

    private mutating func pongReceived(_ ping: nghttp2_ping) {
        // An answer without a question says nothing.
        if pingsUnanswered == 0 { return }
        pingsUnanswered -= 1
        let payload = withUnsafeBytes(of: ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) }
        events.append(ClientEvent(kind: .pong, value: UInt64(bigEndian: payload)))
    }
}

private let retryAfter: StaticString = "retry-after"

/// The value of a field that is all digits; nil for others and for what passes 32 bits.
private func decimalNumber(_ text: UnsafeBufferPointer<UInt8>) -> UInt32? {
    if text.isEmpty { return nil }
    var number: UInt32 = 0
    for byte in text {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: 10)
        let (sum, isTooLargeNow) = shifted.addingReportingOverflow(UInt32(byte & 0xF))
        if isTooLarge || isTooLargeNow { return nil }
        number = sum
    }
    return number
}
