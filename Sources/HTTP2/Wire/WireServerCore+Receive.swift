extension WireServerCore {
    private static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Takes bytes of the peer; a violation ends the session.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !connection.isFailed, var input = WireInput(bytes) else { return }
        do throws(WireFault) {
            if prefaceCount < Self.preface.utf8CodeUnitCount { try takePreface(&input) }
            while let frame = try connection.splitter.next(&input, limit: connection.maxFrameSize) {
                try take(frame)
            }
            guard connection.output.count <= WireConnection.outputLimit else {
                throw WireFault(.enhanceYourCalm, "answers are not read")
            }
        } catch {
            fail(error)
        }
    }

    private mutating func takePreface(_ input: inout WireInput) throws(WireFault) {
        while prefaceCount < Self.preface.utf8CodeUnitCount, input.count > 0 {
            guard input.next.load(as: UInt8.self) == Self.preface.utf8Start[prefaceCount] else {
                throw WireFault(.protocolError, "a connection preface that is not HTTP/2's")
            }
            prefaceCount += 1
            input.skip(1)
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
        case WireFrame.Kind.ping: _ = try connection.takePing(frame)
        case WireFrame.Kind.goAway:
            try connection.checkGoAway(frame)
            try connection.countIdleFrame()
            if connection.state == .open { connection.state = .draining }
        case WireFrame.Kind.continuation: try takeContinuation(frame)
        case WireFrame.Kind.pushPromise:
            throw WireFault(.protocolError, "PUSH_PROMISE from a client")
        case WireFrame.Kind.priority: try takePriority(frame)
        default: try connection.countIdleFrame()
        }
    }

    // MARK: - HEADERS

    private mutating func takeHeaders(_ received: WireFrame) throws(WireFault) {
        var frame = received
        guard frame.streamID & 1 == 1 else {
            throw WireFault(.protocolError, "HEADERS on a stream that no client opens")
        }
        blockDependsOnItself = false
        if frame.flags & (WireFrame.Flag.padded | WireFrame.Flag.priority) != 0 {
            try frame.removePadding()
            if let dependency = try frame.removePriority() {
                blockDependsOnItself = dependency == frame.streamID
            }
        }
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

    @inline(__always)
    private mutating func takeBlock(
        _ streamID: UInt32,
        _ block: UnsafeRawPointer,
        _ count: Int,
        endsStream: Bool
    ) throws(WireFault) {
        if streamID > lastStreamID, streamID <= lastTakenStreamID, !blockDependsOnItself,
            openCount < streamLimit,
            let path = cache.path(
                in: block,
                count: count,
                limit: headLimit,
                decoder: &connection.decoder
            )
        {
            lastStreamID = streamID
            let slot = open(streamID)
            cache.fill(&bytes[slot], ranges: rangesOf(slot), path: path)
            streams[slot].expected = cache.expected
            streams[slot].isHead = cache.isHead
            streams[slot].duplicatedField = cache.duplicatedField
            if endsStream { try complete(slot) } else { hold(slot) }
            return
        }
        try takeBlockSlowly(streamID, block, count, endsStream: endsStream)
    }

    @inline(never)
    private mutating func takeBlockSlowly(
        _ streamID: UInt32,
        _ block: UnsafeRawPointer,
        _ count: Int,
        endsStream: Bool
    ) throws(WireFault) {
        let version = connection.decoder.table.version
        var head = WireRequestHead(bytes: headBytes, ranges: headRanges, limit: headLimit)
        // Always decoded, whatever becomes of the stream: the table has to stay in step.
        try connection.decoder.decode(block, count: count, into: &head)
        guard streamID > lastStreamID else {
            try takeLateBlock(streamID, head, endsStream: endsStream)
            return
        }
        lastStreamID = streamID
        guard streamID <= lastTakenStreamID else {
            noteClosed(streamID, .resetByUs)
            return
        }
        guard !blockDependsOnItself else {
            try resetStream(streamID, .protocolError)
            return
        }
        guard openCount < streamLimit, slotCount - openCount < 2 * Self.largestStreamLimit else {
            refusedCount += 1
            try resetStream(streamID, .refusedStream)
            return
        }
        guard !head.isOverLimit else {
            try refuseFields(streamID, endsStream: endsStream)
            return
        }
        guard head.isRequest else {
            try resetStream(streamID, .protocolError)
            return
        }
        let slot = open(streamID)
        let room = bytes[slot].fieldRoom(head.used)
        room.copyMemory(from: headBytes, byteCount: head.used)
        bytes[slot].cacheVersion = 0
        rangesOf(slot).update(from: headRanges, count: HPACKFieldName.requestFieldCount)
        streams[slot].expected = head.expected
        streams[slot].isHead = head.isHead
        streams[slot].duplicatedField = head.duplicatedField
        if connection.decoder.isUnchanged(since: version) {
            cache.keep(head, block: block, count: count, tableVersion: version)
        }
        if endsStream { try complete(slot) } else { try holdMore(slot) }
    }

    /// Counts what is kept of a request, and resets the stream with which it is too much.
    private mutating func holdMore(_ slot: Int) throws(WireFault) {
        hold(slot)
        guard unfinishedBytes > mostUnfinishedBytes else { return }
        try resetStream(streams[slot].id, .enhanceYourCalm)
    }

    /// HEADERS on a stream that is not new: trailers, or a breach.
    private mutating func takeLateBlock(
        _ streamID: UInt32,
        _ head: WireRequestHead,
        endsStream: Bool
    ) throws(WireFault) {
        guard let slot = slot(of: streamID) else {
            guard end(of: streamID) != .unknown else {
                throw WireFault(.protocolError, "a new stream with an id below the last one's")
            }
            try takeLateFrame(streamID)
            return
        }
        guard streams[slot].phase == .receiving else {
            try resetStream(streamID, .streamClosed)
            return
        }
        guard endsStream, head.isTrailer, !blockDependsOnItself else {
            try resetStream(streamID, .protocolError)
            return
        }
        guard !head.isOverLimit else {
            try resetStream(streamID, .enhanceYourCalm)
            return
        }
        try complete(slot)
    }

    /// HEADERS or DATA on a closed stream (RFC 9113 section 5.1).
    private mutating func takeLateFrame(_ streamID: UInt32) throws(WireFault) {
        switch end(of: streamID) {
        case .resetByUs: try connection.countIdleFrame()
        case .resetByPeer: try resetStream(streamID, .streamClosed)
        case .whole, .unknown:
            throw WireFault(.streamClosed, "a frame on a stream that had ended")
        }
    }

    /// Answers 431 to a header list over the limit.
    private mutating func refuseFields(
        _ streamID: UInt32,
        endsStream: Bool
    ) throws(WireFault) {
        try connection.countAnswer()
        try countReset()
        writeHeaders(
            streamID: streamID,
            response: ServerResponse(status: 431),
            hasBody: false
        )
        if endsStream {
            noteClosed(streamID, .whole)
        } else {
            connection.writeReset(streamID: streamID, code: .noError)
            noteClosed(streamID, .resetByUs)
        }
    }

    /// Queues a request that is whole.
    @inline(__always)
    private mutating func complete(_ slot: Int) throws(WireFault) {
        unfinishedBytes -= streams[slot].held
        streams[slot].held = 0
        guard streams[slot].expected < 0 || streams[slot].expected == streams[slot].received else {
            try resetStream(streams[slot].id, .protocolError)
            return
        }
        enqueue(slot)
    }

    // MARK: - DATA

    /// Refuses a frame on a stream that was not opened.
    @inline(__always)
    private func checkKnown(_ streamID: UInt32) throws(WireFault) {
        guard streamID & 1 == 1, streamID <= lastStreamID else {
            throw WireFault(.protocolError, "a frame on a stream that was never opened")
        }
    }

    @inline(__always)
    private mutating func takeData(_ received: WireFrame) throws(WireFault) {
        var frame = received
        let flowCount = frame.count
        try checkKnown(frame.streamID)
        try connection.takeFromReceiveWindow(flowCount)
        if frame.has(WireFrame.Flag.padded) { try frame.removePadding() }
        guard let slot = slot(of: frame.streamID) else {
            try takeLateFrame(frame.streamID)
            return
        }
        guard streams[slot].phase == .receiving else {
            try resetStream(frame.streamID, .streamClosed)
            return
        }
        guard flowCount <= streams[slot].receiveWindow else {
            try resetStream(frame.streamID, .flowControlError)
            return
        }
        streams[slot].receiveWindow -= flowCount
        streams[slot].received += frame.count
        let kept = min(frame.count, Self.bodyLimit - bytes[slot].body.count)
        bytes[slot].body.append(frame.payload, count: kept)
        if frame.has(WireFrame.Flag.endStream) {
            try complete(slot)
        } else {
            try expectMore(slot, frame)
        }
    }

    private mutating func expectMore(_ slot: Int, _ frame: WireFrame) throws(WireFault) {
        if frame.count == 0 { try connection.countIdleFrame(cost: Self.emptyDataCost) }
        let stream = streams[slot]
        guard stream.expected < 0 || stream.received <= stream.expected else {
            try resetStream(frame.streamID, .protocolError)
            return
        }
        try holdMore(slot)
        guard streams[slot].phase == .receiving else { return }
        returnWindow(slot)
    }

    /// Gives a stream back what it used of its window, once that is half of it.
    private mutating func returnWindow(_ slot: Int) {
        let returned = connection.returnStreamWindow(
            streams[slot].id,
            left: streams[slot].receiveWindow
        )
        streams[slot].receiveWindow += returned
    }

    // MARK: - Frames of control

    private mutating func takePriority(_ frame: WireFrame) throws(WireFault) {
        guard frame.streamID != 0 else {
            throw WireFault(.protocolError, "PRIORITY on the connection")
        }
        // An idle stream cannot be reset: there the fault is the connection's.
        let isIdle = frame.streamID & 1 == 0 || frame.streamID > lastStreamID
        guard frame.count == 5 else {
            guard !isIdle else {
                throw WireFault(.frameSizeError, "PRIORITY of another size than 5")
            }
            try resetStream(frame.streamID, .frameSizeError)
            return
        }
        try connection.countIdleFrame()
        let dependency = frame.payload.loadBigEndian(as: UInt32.self) & 0x7FFF_FFFF
        guard dependency == frame.streamID else { return }
        guard !isIdle else {
            throw WireFault(.protocolError, "a stream that depends on itself")
        }
        try resetStream(frame.streamID, .protocolError)
    }

    private mutating func takeWindowUpdate(_ frame: WireFrame) throws(WireFault) {
        let increment = try connection.windowIncrement(frame)
        try connection.countIdleFrame()
        guard frame.streamID != 0 else {
            try connection.widenSendWindow(increment)
            if respondingCount > 0 { sendWaiting() }
            return
        }
        try checkKnown(frame.streamID)
        guard increment > 0 else {
            try resetStream(frame.streamID, .protocolError)
            return
        }
        guard let slot = slot(of: frame.streamID) else { return }
        streams[slot].sendWindow += increment
        guard streams[slot].sendWindow <= WireConnection.largestWindow else {
            try resetStream(frame.streamID, .flowControlError)
            return
        }
        if streams[slot].phase == .responding { send(slot) }
    }

    private mutating func takeReset(_ frame: WireFrame) throws(WireFault) {
        guard frame.count == 4 else {
            throw WireFault(.frameSizeError, "RST_STREAM of another size than 4")
        }
        try checkKnown(frame.streamID)
        guard let slot = slot(of: frame.streamID) else { return }
        try countReset()
        kill(slot, .resetByPeer)
    }

    private mutating func takeSettings(_ frame: WireFrame) throws(WireFault) {
        let effect = try connection.takeSettings(frame, fromServer: false)
        if let settings = effect.acknowledged {
            streamLimit = 0
            headLimit = Self.headLimit(settings)
            allow(settings)
            // A peer may have read these too, though it has not said so yet.
            for settings in connection.unacknowledged { allow(settings) }
        }
        guard effect.sendWindowChange != 0 || effect.receiveWindowChange != 0 else { return }
        for slot in 0..<slotCount where streams[slot].phase != .free {
            streams[slot].sendWindow += effect.sendWindowChange
            streams[slot].receiveWindow += effect.receiveWindowChange
            guard streams[slot].isDead || streams[slot].sendWindow <= WireConnection.largestWindow
            else {
                throw WireFault(.flowControlError, "SETTINGS push a window over 2^31-1")
            }
            // A smaller window may be used up already: the peer would wait for ever.
            if effect.receiveWindowChange != 0, streams[slot].phase == .receiving {
                returnWindow(slot)
            }
        }
        if effect.sendWindowChange > 0, respondingCount > 0 { sendWaiting() }
    }
}
