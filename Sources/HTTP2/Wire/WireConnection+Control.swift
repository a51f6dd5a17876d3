/// What a SETTINGS frame changes beyond the connection itself.
struct WireSettingsEffect {
    /// To be added to each stream's send window.
    var sendWindowChange = 0
    /// To be added to each stream's receive window.
    var receiveWindowChange = 0
    /// Whether the peer's HPACK table size was told anew.
    var tableSizeChanged = false
    /// This side's settings that came in force.
    var acknowledged: SessionSettings?
}

extension WireConnection {
    /// Checks what holds for every frame before its type matters.
    ///
    /// - Throws: PROTOCOL_ERROR for a first frame that is not SETTINGS, and for any frame inside a
    ///   header block.
    @inline(__always)
    func checkOrder(_ frame: WireFrame) throws(WireFault) {
        if blockStream != 0 || !hasPeerSettings { try checkOrderSlowly(frame) }
    }

    @inline(never)
    private func checkOrderSlowly(_ frame: WireFrame) throws(WireFault) {
        if !hasPeerSettings {
            guard
                frame.kind == WireFrame.Kind.settings, !frame.has(WireFrame.Flag.ack)
            else {
                throw WireFault(.protocolError, "a first frame that is not SETTINGS")
            }
        }
        if blockStream != 0 {
            guard
                frame.kind == WireFrame.Kind.continuation, frame.streamID == blockStream
            else {
                throw WireFault(.protocolError, "another frame inside a header block")
            }
        }
    }

    // MARK: - SETTINGS

    /// Writes SETTINGS with everything of `announced`.
    mutating func writeSettings(isServer: Bool) {
        var payload = WireBuffer(capacity: 64)
        func add(_ id: UInt16, _ value: UInt32, _ payload: inout WireBuffer) {
            let target = payload.reserve(6)
            target.storeBigEndian(id)
            (target + 2).storeBigEndian(value)
            payload.commit(6)
        }
        add(1, announced.headerTableSize, &payload)
        if isServer {
            add(3, announced.maxConcurrentStreams, &payload)
        } else {
            add(2, 0, &payload)
        }
        add(4, announced.initialWindowSize, &payload)
        add(5, announced.maxFrameSize, &payload)
        add(6, announced.maxHeaderListSize, &payload)
        writeFrame(
            kind: WireFrame.Kind.settings,
            streamID: 0,
            payload: UnsafeRawBufferPointer(start: payload.first, count: payload.count)
        )
        unacknowledged.append(announced)
        widenReceiveWindow(to: announced.connectionWindowSize)
    }

    mutating func takeSettings(
        _ frame: WireFrame,
        fromServer: Bool
    ) throws(WireFault) -> WireSettingsEffect {
        guard frame.streamID == 0 else {
            throw WireFault(.protocolError, "SETTINGS on a stream")
        }
        if frame.has(WireFrame.Flag.ack) {
            guard frame.count == 0 else {
                throw WireFault(.frameSizeError, "SETTINGS with ACK and a payload")
            }
            return takeAcknowledgement()
        }
        guard frame.count % 6 == 0 else {
            throw WireFault(.frameSizeError, "SETTINGS of a size that is no multiple of 6")
        }
        try countIdleFrame()
        var effect = WireSettingsEffect()
        for offset in stride(from: 0, to: frame.count, by: 6) {
            let id = (frame.payload + offset).loadBigEndian(as: UInt16.self)
            let value = (frame.payload + offset + 2).loadBigEndian(as: UInt32.self)
            try apply(id, value, fromServer: fromServer, &effect)
        }
        hasPeerSettings = true
        try countAnswer()
        writeFrame(
            kind: WireFrame.Kind.settings,
            flags: WireFrame.Flag.ack,
            streamID: 0,
            payload: UnsafeRawBufferPointer(start: nil, count: 0)
        )
        return effect
    }

    private mutating func apply(
        _ id: UInt16,
        _ value: UInt32,
        fromServer: Bool,
        _ effect: inout WireSettingsEffect
    ) throws(WireFault) {
        switch id {
        case 1:
            encoder.obey(limit: value)
            effect.tableSizeChanged = true
        case 2:
            guard value == 0 || value == 1 && !fromServer else {
                throw WireFault(.protocolError, "a forbidden SETTINGS_ENABLE_PUSH")
            }
        case 3:
            peerMaxConcurrentStreams = value
        case 4:
            guard value <= UInt32(Self.largestWindow) else {
                throw WireFault(.flowControlError, "a SETTINGS_INITIAL_WINDOW_SIZE over 2^31-1")
            }
            effect.sendWindowChange += Int(value) - peerInitialWindow
            peerInitialWindow = Int(value)
        case 5:
            guard value >= 16_384, value <= 0xFF_FFFF else {
                throw WireFault(.protocolError, "a SETTINGS_MAX_FRAME_SIZE out of range")
            }
            peerMaxFrameSize = Int(value)
        default:
            // SETTINGS_MAX_HEADER_LIST_SIZE is advice that no push comes near; others are unknown.
            break
        }
    }

    private mutating func takeAcknowledgement() -> WireSettingsEffect {
        var effect = WireSettingsEffect()
        // One that nothing waits for does no harm.
        guard !unacknowledged.isEmpty else { return effect }
        let settings = unacknowledged.removeFirst()
        decoder.setLimit(Int(settings.headerTableSize))
        maxFrameSize = Int(settings.maxFrameSize)
        effect.receiveWindowChange = Int(settings.initialWindowSize) - initialWindow
        initialWindow = Int(settings.initialWindowSize)
        effect.acknowledged = settings
        return effect
    }

    // MARK: - PING, WINDOW_UPDATE, GOAWAY

    /// Answers a PING.
    ///
    /// - Returns: The payload where the frame is itself an answer.
    mutating func takePing(_ frame: WireFrame) throws(WireFault) -> UInt64? {
        guard frame.streamID == 0 else { throw WireFault(.protocolError, "PING on a stream") }
        guard frame.count == 8 else {
            throw WireFault(.frameSizeError, "PING of another size than 8")
        }
        let payload = frame.payload.loadBigEndian(as: UInt64.self)
        guard !frame.has(WireFrame.Flag.ack) else { return payload }
        try countIdleFrame()
        try countAnswer()
        writePing(payload, flags: WireFrame.Flag.ack)
        return nil
    }

    /// The increment of a WINDOW_UPDATE of the right size.
    func windowIncrement(_ frame: WireFrame) throws(WireFault) -> Int {
        guard frame.count == 4 else {
            throw WireFault(.frameSizeError, "WINDOW_UPDATE of another size than 4")
        }
        return Int(frame.payload.loadBigEndian(as: UInt32.self) & 0x7FFF_FFFF)
    }

    /// Adds to the connection's send window.
    mutating func widenSendWindow(_ increment: Int) throws(WireFault) {
        guard increment > 0 else {
            throw WireFault(.protocolError, "WINDOW_UPDATE of 0 on the connection")
        }
        sendWindow += increment
        guard sendWindow <= Self.largestWindow else {
            throw WireFault(.flowControlError, "a connection window over 2^31-1")
        }
        sendWindowPeak = max(sendWindowPeak, sendWindow)
    }

    func checkGoAway(_ frame: WireFrame) throws(WireFault) {
        guard frame.streamID == 0 else { throw WireFault(.protocolError, "GOAWAY on a stream") }
        guard frame.count >= 8 else {
            throw WireFault(.frameSizeError, "GOAWAY shorter than 8")
        }
    }
}
