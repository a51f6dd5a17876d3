extension WireClientCore {
    /// A frame that does not end a body, and the rest that it leaves, have at least so many bytes
    /// (fewer where the peer's whole window is small).
    static let dataQuantum = 256

    /// Opens a stream for one push.
    mutating func submit(
        token: UnsafeRawBufferPointer,
        id apnsID: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer,
        tag: UInt32
    ) -> Bool {
        guard inFlight < streamLimit, nextStreamID <= Self.lastStreamID,
            apnsID.count == template.idCount
        else { return false }
        while streams[place(of: nextStreamID)].isOpen {
            nextStreamID += 2
            guard nextStreamID <= Self.lastStreamID else {
                noteExhaustion()
                return false
            }
        }
        let id = nextStreamID
        let place = place(of: id)
        nextStreamID = id + 2
        inFlight += 1
        var stream = WireClientStream()
        stream.id = id
        stream.tag = tag
        stream.phase = .awaitingHead
        stream.receiveWindow = connection.initialWindow
        let pathCount = WireRequestTemplate.pathStart.utf8CodeUnitCount + token.count
        let fits =
            body.count <= min(connection.sendWindow, connection.peerInitialWindow)
            && body.count <= connection.peerMaxFrameSize && !isConnectionBlocked
            && body.count <= WireContentLength.mostBodyBytes
        if template.isSettled, fits, pathCount < 127, !body.isEmpty {
            let start = connection.output.written
            stream.sendWindow = connection.peerInitialWindow - body.count
            connection.sendWindow -= body.count
            if writeWhole(id, token: token, apnsID: apnsID, pathCount: pathCount, body: body) {
                stream.outputStart = start
            }
            stream.outputEnd = connection.output.written
            (streams + place).initialize(to: stream)
        } else {
            stream.sendWindow = connection.peerInitialWindow
            (streams + place).initialize(to: stream)
            submitSlowly(place, token: token, apnsID: apnsID, body: body)
        }
        if nextStreamID > Self.lastStreamID { noteExhaustion() }
        return true
    }

    /// Writes HEADERS from the template and the one DATA frame in one go.
    ///
    /// - Returns: False where the block had to be written the long way.
    @inline(__always)
    private mutating func writeWhole(
        _ id: UInt32,
        token: UnsafeRawBufferPointer,
        apnsID: UnsafeRawBufferPointer,
        pathCount: Int,
        body: UnsafeRawBufferPointer
    ) -> Bool {
        let prefixCount = template.prefix.count
        let suffixCount = template.suffix.count
        if length.bodyBytes != body.count { length = WireContentLength(body.count) }
        let field = length
        let blockCount = prefixCount + 1 + pathCount + suffixCount + apnsID.count + field.count
        guard blockCount <= connection.peerMaxFrameSize,
            let tokenStart = token.baseAddress, let bodyStart = body.baseAddress
        else {
            writeBlock(id, token: token, apnsID: apnsID, bodyCount: body.count)
            connection.writeFrame(
                kind: WireFrame.Kind.data,
                flags: WireFrame.Flag.endStream,
                streamID: id,
                payload: body
            )
            return false
        }
        let total = 2 * WireFrame.headerSize + blockCount + body.count
        var target = connection.output.reserve(total)
        WireFrame.writeHeader(
            to: target,
            count: blockCount,
            kind: WireFrame.Kind.headers,
            flags: WireFrame.Flag.endHeaders,
            streamID: id
        )
        target += WireFrame.headerSize
        target.copyMemory(from: template.prefix.first, byteCount: prefixCount)
        target += prefixCount
        target.storeBytes(of: UInt8(truncatingIfNeeded: pathCount), as: UInt8.self)
        target += 1
        let pathStart = WireRequestTemplate.pathStart
        target.copyMemory(from: pathStart.utf8Start, byteCount: pathStart.utf8CodeUnitCount)
        target += pathStart.utf8CodeUnitCount
        target.copyMemory(from: tokenStart, byteCount: token.count)
        target += token.count
        target.copyMemory(from: template.suffix.first, byteCount: suffixCount)
        target += suffixCount
        if let idStart = apnsID.baseAddress, !apnsID.isEmpty {
            target.copyMemory(from: idStart, byteCount: apnsID.count)
            target += apnsID.count
        }
        // What it touches behind the field is the next frame's header, written after it.
        field.write(to: target)
        target += field.count
        WireFrame.writeHeader(
            to: target,
            count: body.count,
            kind: WireFrame.Kind.data,
            flags: WireFrame.Flag.endStream,
            streamID: id
        )
        target += WireFrame.headerSize
        target.copyMemory(from: bodyStart, byteCount: body.count)
        connection.output.commit(total)
        return true
    }

    private mutating func writeBlock(
        _ id: UInt32,
        token: UnsafeRawBufferPointer,
        apnsID: UnsafeRawBufferPointer,
        bodyCount: Int,
        endsStream: Bool = false
    ) {
        blockBuffer.removeAll()
        template.write(
            token: token,
            id: apnsID,
            bodyCount: bodyCount,
            to: &blockBuffer,
            table: &connection.encoder
        )
        connection.writeHeaders(
            streamID: id,
            block: UnsafeRawBufferPointer(start: blockBuffer.first, count: blockBuffer.count),
            endsStream: endsStream
        )
    }

    /// Teaches the table, or leaves the body to wait for a window.
    @inline(never)
    private mutating func submitSlowly(
        _ place: Int,
        token: UnsafeRawBufferPointer,
        apnsID: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer
    ) {
        writeBlock(
            streams[place].id,
            token: token,
            apnsID: apnsID,
            bodyCount: body.count,
            endsStream: body.isEmpty
        )
        streams[place].outputEnd = connection.output.written
        guard let start = body.baseAddress, !body.isEmpty else { return }
        bytes[place].request.append(start, count: body.count)
        startWaiting(place)
        if !isConnectionBlocked { send(place) }
    }

    /// Before ids run out the connection is left for another.
    private mutating func noteExhaustion() {
        if connection.state == .open { connection.state = .draining }
        streamLimit = 0
    }

    // MARK: - Bodies that wait

    /// Sends what the windows allow, the longest waiting first.
    mutating func sendWaiting() {
        isConnectionBlocked = false
        var next = firstWaiting
        while next >= 0 {
            let place = Int(next)
            next = streams[place].next
            // What is held back for the connection's window keeps its turn.
            guard send(place) else { return }
        }
    }

    /// Sends what the windows allow of one stream's body.
    ///
    /// - Returns: False where the connection's window is what it waits for.
    @discardableResult
    mutating func send(_ place: Int) -> Bool {
        while true {
            let remaining = bytes[place].request.remaining
            let isByConnection = connection.sendWindow < streams[place].sendWindow
            let window = min(connection.sendWindow, streams[place].sendWindow)
            var count = min(remaining, window)
            if count < remaining {
                let whole =
                    isByConnection
                    ? connection.sendWindowPeak : connection.peerInitialWindow
                // A peer with nothing outstanding would not widen the window: then all of it is
                // used. Else neither this frame nor the rest may be tiny.
                let quantum = min(Self.dataQuantum, whole / 4)
                if window < whole {
                    count = min(count, remaining - quantum)
                    if count < quantum { count = 0 }
                }
            }
            guard count > 0, let start = bytes[place].request.next else {
                if isByConnection { isConnectionBlocked = true }
                return !isByConnection
            }
            count = min(count, connection.peerMaxFrameSize)
            connection.writeFrame(
                kind: WireFrame.Kind.data,
                flags: count == remaining ? WireFrame.Flag.endStream : 0,
                streamID: streams[place].id,
                payload: UnsafeRawBufferPointer(start: start, count: count)
            )
            bytes[place].request.advance(count)
            connection.sendWindow -= count
            streams[place].sendWindow -= count
            streams[place].outputEnd = connection.output.written
            if count == remaining {
                stopWaiting(place)
                return true
            }
        }
    }
}
