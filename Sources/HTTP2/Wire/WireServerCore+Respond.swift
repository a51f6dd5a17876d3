extension WireServerCore {
    private static let apnsIDName: StaticString = "apns-id"
    private static let apnsUniqueIDName: StaticString = "apns-unique-id"
    private static let contentTypeValue: StaticString = "application/json"

    /// The slot that `handle` names, if the caller still owns it.
    @inline(__always)
    func takenSlot(_ handle: RequestHandle) -> Int? {
        let slot = Int(handle.slot)
        guard slot < slotCount, streams[slot].id == handle.streamID,
            streams[slot].phase == .taken
        else { return nil }
        return slot
    }

    mutating func respond(to handle: RequestHandle, with response: borrowing ServerResponse) {
        guard let slot = takenSlot(handle) else { return }
        guard !streams[slot].isDead else {
            bury(slot)
            return
        }
        guard !connection.isFailed else {
            kill(slot, .resetByUs)
            bury(slot)
            return
        }
        let hasBody = !response.body.isEmpty && !streams[slot].isHead
        if response.status != 200 || hasBody
            || !writeAcceptance(handle.streamID, response)
        {
            writeHeaders(streamID: handle.streamID, response: response, hasBody: hasBody)
        }
        guard hasBody else {
            finish(slot)
            return
        }
        response.body.withUnsafeBytes { body in
            if let start = body.baseAddress {
                bytes[slot].response.append(start, count: body.count)
            }
        }
        streams[slot].phase = .responding
        streams[slot].held = response.body.count
        unfinishedBytes += response.body.count
        respondingCount += 1
        send(slot)
        guard
            unfinishedBytes > mostUnfinishedBytes
                || connection.output.count > WireConnection.outputLimit
        else { return }
        fail(WireFault(.enhanceYourCalm, "answers are not read"))
    }

    /// Forgets the body of a request that the caller has.
    mutating func dropBody(of handle: RequestHandle) {
        guard let slot = takenSlot(handle) else { return }
        bytes[slot].body.clear()
    }

    mutating func reset(_ handle: RequestHandle, errorCode: HTTP2ErrorCode) {
        guard let slot = takenSlot(handle) else { return }
        if !streams[slot].isDead {
            if !connection.isFailed {
                connection.writeReset(streamID: handle.streamID, code: errorCode)
            }
            kill(slot, .resetByUs)
        }
        bury(slot)
    }

    /// Writes the common answer, 200 with an apns-id whose name the peer knows, in one go.
    ///
    /// - Returns: False, with nothing done, where the answer is another.
    @inline(__always)
    private mutating func writeAcceptance(
        _ streamID: UInt32,
        _ response: borrowing ServerResponse
    ) -> Bool {
        guard response.apnsUniqueID == nil, response.fields.isEmpty,
            !connection.encoder.needsSizeUpdate
        else { return false }
        guard let id = response.apnsID else {
            let target = connection.output.reserve(10)
            WireFrame.writeHeader(
                to: target,
                count: 1,
                kind: WireFrame.Kind.headers,
                flags: WireFrame.Flag.endHeaders | WireFrame.Flag.endStream,
                streamID: streamID
            )
            (target + 9).storeBytes(of: 0x88, as: UInt8.self)
            connection.output.commit(10)
            return true
        }
        guard let index = connection.encoder.index(of: apnsIDEntry), index < 15 + 128 else {
            return false
        }
        let target = connection.output.reserve(64)
        WireFrame.writeHeader(
            to: target,
            count: 40,
            kind: WireFrame.Kind.headers,
            flags: WireFrame.Flag.endHeaders | WireFrame.Flag.endStream,
            streamID: streamID
        )
        // :status 200, then a literal without indexing under a name of the dynamic table.
        (target + 9).storeBytes(of: 0x88, as: UInt8.self)
        (target + 10).storeBytes(of: 0x0F, as: UInt8.self)
        (target + 11).storeBytes(of: UInt8(truncatingIfNeeded: index - 15), as: UInt8.self)
        (target + 12).storeBytes(of: 36, as: UInt8.self)
        withUnsafeBytes(of: id) {
            if let source = $0.baseAddress {
                (target + 13).copyMemory(from: source, byteCount: 36)
            }
        }
        connection.output.commit(49)
        return true
    }

    /// Writes any answer's HEADERS.
    mutating func writeHeaders(
        streamID: UInt32,
        response: borrowing ServerResponse,
        hasBody: Bool
    ) {
        blockBuffer.removeAll()
        if connection.encoder.needsSizeUpdate {
            connection.encoder.writeSizeUpdates(to: &blockBuffer)
        }
        writeStatus(response.status)
        if let id = response.apnsID {
            apnsIDEntry = writeField(Self.apnsIDName, id, entry: apnsIDEntry)
        }
        if let id = response.apnsUniqueID {
            apnsUniqueIDEntry = writeField(Self.apnsUniqueIDName, id, entry: apnsUniqueIDEntry)
        }
        if !response.body.isEmpty { writeContentType() }
        for field in response.fields {
            let name = Array(field.name.utf8)
            let found = HPACKStaticTable.find(name: name, value: [])
            blockBuffer.appendInteger(found?.index ?? 0, prefix: 4, first: 0)
            if found == nil { blockBuffer.appendString(name) }
            blockBuffer.appendString(Array(field.value.utf8))
        }
        connection.writeHeaders(
            streamID: streamID,
            block: UnsafeRawBufferPointer(start: blockBuffer.first, count: blockBuffer.count),
            endsStream: !hasBody
        )
    }

    private mutating func writeStatus(_ status: UInt16) {
        switch status {
        case 200: blockBuffer.append(0x88)
        case 204: blockBuffer.append(0x89)
        case 206: blockBuffer.append(0x8A)
        case 304: blockBuffer.append(0x8B)
        case 400: blockBuffer.append(0x8C)
        case 404: blockBuffer.append(0x8D)
        case 500: blockBuffer.append(0x8E)
        default:
            // The name of entry 8, a value of three digits.
            blockBuffer.append(0x08)
            blockBuffer.append(3)
            blockBuffer.append(0x30 + UInt8(truncatingIfNeeded: status / 100 % 10))
            blockBuffer.append(0x30 + UInt8(truncatingIfNeeded: status / 10 % 10))
            blockBuffer.append(0x30 + UInt8(truncatingIfNeeded: status % 10))
        }
    }

    /// Writes a field whose value differs each time: the name is taught once, where it fits.
    ///
    /// - Returns: The entry that has the name.
    private mutating func writeField(
        _ name: StaticString,
        _ value: ServerResponse.UUIDText,
        entry: Int
    ) -> Int {
        var taught = entry
        if let index = connection.encoder.index(of: entry) {
            blockBuffer.appendInteger(index, prefix: 4, first: 0)
        } else {
            let size = name.utf8CodeUnitCount + 36 + 32
            let fits = size <= connection.encoder.capacity
            blockBuffer.append(fits ? 0x40 : 0)
            name.withUTF8Buffer { blockBuffer.appendString(UnsafeRawBufferPointer($0)) }
            if fits { taught = connection.encoder.insert(size: size) }
        }
        withUnsafeBytes(of: value) { blockBuffer.appendString($0) }
        return taught
    }

    private mutating func writeContentType() {
        if let index = connection.encoder.index(of: contentTypeEntry) {
            blockBuffer.appendInteger(index, prefix: 7, first: 0x80)
            return
        }
        // Entry 31 has the name.
        let size = 12 + Self.contentTypeValue.utf8CodeUnitCount + 32
        let fits = size <= connection.encoder.capacity
        blockBuffer.appendInteger(31, prefix: fits ? 6 : 4, first: fits ? 0x40 : 0)
        Self.contentTypeValue.withUTF8Buffer {
            blockBuffer.appendString(UnsafeRawBufferPointer($0))
        }
        if fits { contentTypeEntry = connection.encoder.insert(size: size) }
    }

    // MARK: - Bodies

    mutating func sendWaiting() {
        for slot in 0..<slotCount where streams[slot].phase == .responding { send(slot) }
    }

    /// Sends what the windows allow of an answer's body, and ends the stream with its last byte.
    mutating func send(_ slot: Int) {
        while true {
            let remaining = bytes[slot].response.remaining
            let window = min(connection.sendWindow, streams[slot].sendWindow)
            let count = min(remaining, window, connection.peerMaxFrameSize)
            guard count > 0, let start = bytes[slot].response.next else { return }
            connection.writeFrame(
                kind: WireFrame.Kind.data,
                flags: count == remaining ? WireFrame.Flag.endStream : 0,
                streamID: streams[slot].id,
                payload: UnsafeRawBufferPointer(start: start, count: count)
            )
            bytes[slot].response.advance(count)
            connection.sendWindow -= count
            streams[slot].sendWindow -= count
            if count == remaining {
                finish(slot)
                return
            }
        }
    }

    // MARK: - Announcements

    mutating func update(_ settings: SessionSettings) {
        guard !connection.isFailed else { return }
        guard connection.unacknowledged.count < WireConnection.unacknowledgedLimit else {
            fail(WireFault(.settingsTimeout, "SETTINGS are not acknowledged"))
            return
        }
        connection.announce(settings)
        allow(connection.announced)
        connection.writeSettings(isServer: true)
    }

    /// Takes what settings allow beyond what is allowed already: a peer that knows them may use it.
    ///
    /// What they forbid, is forbidden from their acknowledgement on.
    mutating func allow(_ settings: SessionSettings) {
        let streams = min(Int(settings.maxConcurrentStreams), Self.largestStreamLimit)
        streamLimit = max(streamLimit, streams)
        mostUnfinishedBytes = max(mostUnfinishedBytes, streams * Self.unfinishedBytesPerStream)
        let limit = Self.headLimit(settings)
        guard limit > headLimit else { return }
        headLimit = limit
        guard limit > headCapacity else { return }
        headBytes.deallocate()
        headBytes = .allocate(byteCount: limit, alignment: 16)
        headCapacity = limit
    }

    mutating func goAway(
        errorCode: HTTP2ErrorCode,
        lastStreamID named: UInt32?,
        debugData: [UInt8]
    ) {
        guard !connection.isFailed else { return }
        // A later GOAWAY never names more streams than an earlier one.
        let last = min(named ?? lastStreamID, lastTakenStreamID)
        lastTakenStreamID = last
        connection.state = .draining
        debugData.withUnsafeBytes {
            connection.writeGoAway(lastStreamID: lastTakenStreamID, code: errorCode, debugData: $0)
        }
        // What the peer was told is not processed gets no answer.
        for slot in 0..<slotCount
        where streams[slot].phase != .free && !streams[slot].isDead
            && streams[slot].id > lastTakenStreamID
        {
            kill(slot, .resetByUs)
        }
    }
}
