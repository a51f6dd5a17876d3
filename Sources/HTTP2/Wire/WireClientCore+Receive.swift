extension WireClientCore {
    /// Takes bytes of the peer; a violation ends the session.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !connection.isFailed, var input = WireInput(bytes) else { return }
        events.beginReceiving()
        do throws(WireFault) {
            while let frame = try connection.splitter.next(&input, limit: connection.maxFrameSize) {
                try take(frame)
            }
        } catch {
            fail(error)
        }
    }

    @inline(__always)
    private mutating func take(_ frame: WireFrame) throws(WireFault) {
        try connection.checkOrder(frame)
        switch frame.kind {
        case WireFrame.Kind.headers: try takeHeaders(frame)
        case WireFrame.Kind.data: try takeData(frame)
        default: try takeControl(frame)
        }
    }

    @inline(never)
    private mutating func takeControl(_ frame: WireFrame) throws(WireFault) {
        switch frame.kind {
        case WireFrame.Kind.windowUpdate: try takeWindowUpdate(frame)
        case WireFrame.Kind.rstStream: try takeReset(frame)
        case WireFrame.Kind.settings: try takeSettings(frame)
        case WireFrame.Kind.ping:
            guard let payload = try connection.takePing(frame) else { return }
            guard unansweredPings > 0 else {
                try connection.countIdleFrame()
                return
            }
            unansweredPings -= 1
            events.append(ClientEvent(kind: .pong, value: payload))
        case WireFrame.Kind.goAway: try takeGoAway(frame)
        case WireFrame.Kind.continuation: try takeContinuation(frame)
        case WireFrame.Kind.pushPromise:
            throw WireFault(.protocolError, "PUSH_PROMISE although push is off")
        case WireFrame.Kind.priority:
            guard frame.streamID != 0 else {
                throw WireFault(.protocolError, "PRIORITY on the connection")
            }
            guard frame.count == 5 else {
                throw WireFault(.frameSizeError, "PRIORITY of another size than 5")
            }
            try connection.countIdleFrame()
        default: try connection.countIdleFrame()
        }
    }

    // MARK: - HEADERS

    private mutating func takeHeaders(_ received: WireFrame) throws(WireFault) {
        var frame = received
        try frame.removePadding()
        _ = try frame.removePriority()
        try checkKnown(frame.streamID)
        guard frame.has(WireFrame.Flag.endHeaders) else {
            try connection.beginBlock(frame)
            return
        }
        try takeBlock(
            frame.streamID,
            frame.payload,
            frame.count,
            endsStream: frame.has(WireFrame.Flag.endStream)
        )
    }

    private mutating func takeContinuation(_ frame: WireFrame) throws(WireFault) {
        guard connection.blockStream != 0 else {
            throw WireFault(.protocolError, "CONTINUATION without HEADERS")
        }
        try connection.addToBlock(frame)
        guard frame.has(WireFrame.Flag.endHeaders) else { return }
        connection.blockStream = 0
        let block = connection.block.first
        let count = connection.block.count
        try takeBlock(frame.streamID, block, count, endsStream: connection.blockEndsStream)
    }

    /// Refuses ids that no request has used: the peer opens no streams, as push is off.
    @inline(__always)
    private func checkKnown(_ streamID: UInt32) throws(WireFault) {
        guard streamID & 1 == 1, streamID < nextStreamID else {
            throw WireFault(.protocolError, "a frame on a stream that was never opened")
        }
    }

    /// What a frame on a stream that is not open means: nothing for a while after this side gave it
    /// up, else the peer broke the protocol.
    private func checkAbandoned(_ streamID: UInt32) throws(WireFault) {
        let stream = streams[place(of: streamID)]
        if stream.id == streamID {
            guard stream.phase == .abandoned else {
                throw WireFault(.streamClosed, "a frame on a stream that had ended")
            }
        } else if streamID > highestAbandoned {
            throw WireFault(.streamClosed, "a frame on a stream that is not open")
        }
    }

    @inline(__always)
    private mutating func takeBlock(
        _ streamID: UInt32,
        _ block: UnsafeRawPointer,
        _ count: Int,
        endsStream: Bool
    ) throws(WireFault) {
        var head = WireResponseHead()
        try connection.decoder.decode(block, count: count, into: &head)
        guard let place = openPlace(of: streamID) else {
            try checkAbandoned(streamID)
            return
        }
        guard head.listSize <= Int(connection.announced.maxHeaderListSize) else {
            try abandon(place, code: .enhanceYourCalm)
            return
        }
        guard streams[place].phase == .awaitingHead else {
            guard head.isTrailer, endsStream else {
                try abandon(place, code: .protocolError)
                return
            }
            try finish(place, lastBytes: UnsafeRawBufferPointer(start: nil, count: 0))
            return
        }
        guard head.isHead, head.status >= 200 || !endsStream else {
            try abandon(place, code: .protocolError)
            return
        }
        guard head.status >= 200 else {
            try connection.countIdleFrame()
            return
        }
        streams[place].status = head.status
        streams[place].hasRetryAfter = head.retryAfter != nil
        streams[place].retryAfter = head.retryAfter ?? 0
        // Without a body by definition, whatever the field says (RFC 9110 section 8.6).
        let isBodiless = head.status == 204 || head.status == 304
        streams[place].expected = isBodiless ? -1 : head.expected
        streams[place].phase = .receivingBody
        if endsStream {
            try finish(place, lastBytes: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Ends a stream whose response is whole.
    @inline(__always)
    private mutating func finish(
        _ place: Int,
        lastBytes: UnsafeRawBufferPointer
    ) throws(WireFault) {
        let stream = streams[place]
        guard stream.expected < 0 || stream.expected == stream.received else {
            try abandon(place, code: .protocolError)
            return
        }
        var range = 0..<0
        if bytes[place].response.count > 0 {
            keepResponse(place, lastBytes)
            range = events.keep(bytes[place].response.bytes)
        } else if !lastBytes.isEmpty {
            range = events.keep(lastBytes)
        }
        var phase = WireClientStream.Phase.closed
        if stream.isWaiting {
            // The answer came before the whole request was sent: the rest is of no use.
            connection.writeReset(streamID: stream.id, code: .cancel)
            phase = .abandoned
        }
        close(
            place,
            as: phase,
            event: ClientEvent(
                kind: .responded,
                tag: stream.tag,
                status: stream.status,
                retryAfterSeconds: stream.hasRetryAfter ? stream.retryAfter : nil,
                bodyRange: range
            )
        )
    }

    private mutating func keepResponse(_ place: Int, _ data: UnsafeRawBufferPointer) {
        let room = WireEventQueue.bodyLimit - bytes[place].response.count
        if let start = data.baseAddress, room > 0 {
            bytes[place].response.append(start, count: min(room, data.count))
        }
    }

    // MARK: - DATA

    private mutating func takeData(_ received: WireFrame) throws(WireFault) {
        var frame = received
        let flowCount = frame.count
        try checkKnown(frame.streamID)
        try connection.takeFromReceiveWindow(flowCount)
        try frame.removePadding()
        guard let place = openPlace(of: frame.streamID) else {
            try checkAbandoned(frame.streamID)
            return
        }
        guard streams[place].phase == .receivingBody else {
            try abandon(place, code: .protocolError)
            return
        }
        guard flowCount <= streams[place].receiveWindow else {
            try abandon(place, code: .flowControlError)
            return
        }
        streams[place].receiveWindow -= flowCount
        streams[place].received += frame.count
        let data = UnsafeRawBufferPointer(start: frame.payload, count: frame.count)
        if frame.has(WireFrame.Flag.endStream) {
            try finish(place, lastBytes: data)
            return
        }
        if frame.count == 0 { try connection.countIdleFrame(cost: 100) }
        keepResponse(place, data)
        returnWindow(place)
    }

    /// Gives a stream back what it used of its window, once that is half of it.
    private mutating func returnWindow(_ place: Int) {
        let returned = connection.returnStreamWindow(
            streams[place].id,
            left: streams[place].receiveWindow
        )
        streams[place].receiveWindow += returned
    }

    // MARK: - Frames of control

    private mutating func takeWindowUpdate(_ frame: WireFrame) throws(WireFault) {
        let increment = try connection.windowIncrement(frame)
        guard frame.streamID != 0 else {
            try connection.widenSendWindow(increment)
            if firstWaiting >= 0 { sendWaiting() }
            return
        }
        try checkKnown(frame.streamID)
        guard let place = openPlace(of: frame.streamID) else { return }
        guard increment > 0 else {
            try abandon(place, code: .protocolError)
            return
        }
        streams[place].sendWindow += increment
        guard streams[place].sendWindow <= WireConnection.largestWindow else {
            try abandon(place, code: .flowControlError)
            return
        }
        if streams[place].isWaiting { send(place) }
    }

    private mutating func takeReset(_ frame: WireFrame) throws(WireFault) {
        guard frame.count == 4 else {
            throw WireFault(.frameSizeError, "RST_STREAM of another size than 4")
        }
        try checkKnown(frame.streamID)
        let code = HTTP2ErrorCode(rawValue: frame.payload.loadBigEndian(as: UInt32.self))
        guard let place = openPlace(of: frame.streamID) else { return }
        var event = ClientEvent(
            kind: code == .refusedStream ? .unprocessed : .reset,
            tag: streams[place].tag,
            status: streams[place].status,
            errorCode: code
        )
        event.isPeerReset = true
        close(place, as: .closed, event: event)
    }

    private mutating func takeSettings(_ frame: WireFrame) throws(WireFault) {
        let effect = try connection.takeSettings(frame, fromServer: true)
        if connection.state == .open, connection.hasPeerSettings {
            streamLimit = min(maxStreams, Int(connection.peerMaxConcurrentStreams))
        }
        if effect.tableSizeChanged { template.unsettle() }
        if effect.sendWindowChange != 0 || effect.receiveWindowChange != 0 {
            for place in 0...mask where streams[place].isOpen {
                streams[place].sendWindow += effect.sendWindowChange
                streams[place].receiveWindow += effect.receiveWindowChange
                guard streams[place].sendWindow <= WireConnection.largestWindow else {
                    throw WireFault(.flowControlError, "SETTINGS push a window over 2^31-1")
                }
                // A smaller window may be used up already: the peer would wait for ever.
                if effect.receiveWindowChange != 0 { returnWindow(place) }
            }
        }
        // Behind the change of the windows, from which it reckons what a request had used.
        if connection.state == .open { withdrawOverLimit() }
        if effect.sendWindowChange > 0, firstWaiting >= 0 { sendWaiting() }
    }

    private mutating func takeGoAway(_ frame: WireFrame) throws(WireFault) {
        try connection.checkGoAway(frame)
        try connection.countIdleFrame(cost: 100)
        let last = frame.payload.loadBigEndian(as: UInt32.self) & 0x7FFF_FFFF
        let code = HTTP2ErrorCode(rawValue: (frame.payload + 4).loadBigEndian(as: UInt32.self))
        if connection.state == .open { connection.state = .draining }
        streamLimit = 0
        guard last <= peerLastStreamID else {
            throw WireFault(.protocolError, "a second GOAWAY that takes more streams")
        }
        peerLastStreamID = last
        let debugData = UnsafeRawBufferPointer(start: frame.payload + 8, count: frame.count - 8)
        let range = events.keep(debugData)
        events.append(ClientEvent(kind: .goAway, errorCode: code, bodyRange: range))
        withdraw(above: last, code: code)
        forEachOpenStream { core, place in
            let stream = core.streams[place]
            guard stream.id > core.peerLastStreamID else { return }
            core.close(
                place,
                as: .abandoned,
                event: ClientEvent(kind: .unprocessed, tag: stream.tag, errorCode: code)
            )
        }
    }
}
