import HTTP2
import NetIO
import PushBuffers

// Opening, reading, writing and closing a loop's connections.
extension ClientLoop {
    /// Writes what no push has taken along, opens the connections of a lane that are missing, and lets
    /// those go that have nothing left to do.
    func maintainConnections(of lane: Lane, now: MonotonicInstant) {
        lane.pool.forEach { connection in
            if connection.hasUnsentOutput { flush(connection) }
            connection.resume(now: now)
            guard connection.isRetiring, connection.inFlight.count == 0 else { return }
            close(connection, reason: connection.record.reason ?? "retired", now: now)
        }
        guard !isStopping(lane), lane.hasWork(by: now.advanced(by: Self.foresight)) else { return }
        let missing = lane.pool.missing(now: now, addresses: lane.addresses.addresses.count)
        guard missing > 0, hasAddresses(lane, now: now) else { return }
        for _ in 0..<missing { open(in: lane, now: now) }
    }

    /// How long before a push is due its connection is opened, in nanoseconds.
    private static let foresight: UInt64 = 1_000_000_000

    /// Whether the addresses of a lane's target were looked up just now, as they are before each
    /// connection (contract 1.1); else has it done, and the loop is woken when it is.
    private func hasAddresses(_ lane: Lane, now: MonotonicInstant) -> Bool {
        let age = configuration.timeouts.addressFreshness
        guard let resolver = lane.resolver, !lane.addresses.isFresh(at: now, age: age) else {
            return true
        }
        switch resolver.takeOutcome() {
        case nil: return false
        case .success(let found): lane.addresses.update(found, at: now)
        case .failure(let error):
            // The addresses known so far may well be right still.
            note(failure: error.description)
            lane.addresses.keep(at: now)
        }
        return true
    }

    private func open(in lane: Lane, now: MonotonicInstant) {
        let endpoint = lane.endpoint
        let address = lane.addresses.take(at: now)
        do {
            let link = try Connection.connect(
                to: address,
                tls: endpoint.tls,
                serverName: endpoint.target.host
            )
            var profile = endpoint.profile
            let tokens = configuration.tokens
            let version = tokens?.version ?? 0
            if let tokens { profile.authorization = tokens.authorization }
            profile.hasOwnIDs = pushIDs != nil
            let session = configuration.engine.makeClientSession(
                profile: profile,
                settings: SessionSettings.client,
                maxStreams: configuration.streams
            )
            nextConnectionID += 1
            let connection = ClientConnection(
                id: nextConnectionID,
                lane: lane.number,
                link: link,
                session: session,
                streams: configuration.streams,
                isPlain: endpoint.tls == nil,
                tokenVersion: version,
                now: now,
                elapsed: now.nanoseconds(since: start)
            )
            try poller.add(
                descriptor: link.descriptor,
                id: connection.id,
                interest: connection.interest
            )
            lane.pool.insert(connection)
        } catch {
            note(failure: error.description)
            lane.pool.noteFailure(openedAt: now, now: now)
            lane.addresses.noteFailure(of: address, at: now)
        }
    }

    /// Reacts to what the poller says of a connection.
    func handle(_ event: PollEvent, on connection: ClientConnection) {
        switch connection.phase {
        case .handshaking: shakeHands(connection)
        case .open:
            if event.isWritable { flush(connection) }
            if event.isReadable || event.isHangUp { read(connection) }
        case .closed: break
        }
    }

    private func shakeHands(_ connection: ClientConnection) {
        do {
            if try connection.advanceHandshake(now: .now()) {
                recorder.tlsVersion = connection.link.tlsVersion
                flush(connection)
                // The peer's first bytes may have come with the handshake's last: no event tells.
                read(connection)
            }
            try watch(connection)
        } catch {
            fail(connection, error.description)
        }
    }

    /// Reads what has come, a bounded amount, and deals with the answers in it.
    func read(_ connection: ClientConnection) {
        guard connection.phase == .open else { return }
        connection.hasMoreToRead = false
        do {
            let progress = try connection.link.readAvailable(
                limit: readBuffer.capacity,
                using: readBuffer
            ) { bytes in
                connection.noteReceived(bytes)
                connection.session.receive(bytes)
                settleAnswers(on: connection, now: .now())
            }
            switch progress {
            case .drained: break
            case .moreToRead: connection.hasMoreToRead = true
            case .endOfStream:
                let reason = connection.record.reason
                failBroken(connection, reason ?? "the target closed the connection")
                return
            }
        } catch {
            failBroken(connection, error.description)
            return
        }
        if !connection.isGreeted, connection.session.hasPeerSettings {
            connection.isGreeted = true
            connection.lastProgress = .now()
            connection.lastHeard = connection.lastProgress
            let lane = lanes[connection.lane]
            lane.pool.noteOpened()
            if lane.limitMargin > 0 { connection.keepBelowLimit(by: lane.limitMargin) }
        }
        if case .failed(let code) = connection.session.state {
            flush(connection)
            failBroken(connection, "HTTP/2 error \(code.rawValue) on the connection to the target")
        } else if connection.session.hasOutput {
            // Goes out with the pushes that the answers have made room for: a write of its own would
            // cost both sides as much as a batch of them.
            connection.hasUnsentOutput = true
        }
    }

    /// Writes a connection's output and tells the poller what to wait for.
    func flush(_ connection: ClientConnection) {
        guard connection.phase == .open else { return }
        do {
            try connection.flush()
            try watch(connection)
        } catch {
            // What the peer said before it closed counts, and tells more than the broken pipe.
            if !connection.isBroken {
                connection.isBroken = true
                read(connection)
            }
            failBroken(connection, error.description)
        }
    }

    private func watch(_ connection: ClientConnection) throws(NetIOError) {
        guard connection.phase != .closed else { return }
        let desired = connection.desiredInterest
        guard desired != connection.interest else { return }
        try poller.modify(
            descriptor: connection.link.descriptor,
            id: connection.id,
            interest: desired
        )
        connection.interest = desired
    }

    /// Gives a connection up; the next one goes elsewhere if it can.
    ///
    /// `isDead`: its peer says nothing any more.
    func fail(_ connection: ClientConnection, _ sentence: String, isDead: Bool = false) {
        guard connection.phase != .closed else { return }
        let now = MonotonicInstant.now()
        let lane = lanes[connection.lane]
        note(failure: sentence)
        lane.pool.noteFailure(
            openedAt: connection.openedAt,
            now: now,
            hadAnswered: connection.record.pushes > 0
        )
        lane.addresses.noteFailure(of: connection.link.peerAddress, at: now)
        close(connection, reason: sentence, now: now, isDead: isDead)
    }

    /// Gives a connection up that broke, naming the peer's protocol where that is the cause.
    private func failBroken(_ connection: ClientConnection, _ sentence: String) {
        let name = lanes[connection.lane].name
        let guess = connection.peerProtocol.map { "\(name) \($0)" }
        fail(connection, guess ?? sentence)
    }

    /// Closes a connection; its pushes in flight end as unknown, or go out again where that is safe.
    ///
    /// One whose peer is dead is reset: the kernel would keep what was not acknowledged for minutes, a
    /// thousand times over in a long night.
    func close(
        _ connection: ClientConnection,
        reason: String?,
        now: MonotonicInstant,
        isDead: Bool = false
    ) {
        guard connection.phase != .closed else { return }
        if !isDead { connection.farewell() }
        connection.session.connectionLost()
        settleAnswers(on: connection, now: now)
        try? poller.remove(descriptor: connection.link.descriptor)
        connection.close(resets: isDead)
        lanes[connection.lane].pool.remove(connection)
        recorder.connections.append(
            connection.record.finish(at: now.nanoseconds(since: start), reason: reason)
        )
    }
}

extension SessionSettings {
    /// What the client announces: room for many small answers, no pushed streams.
    static var client: SessionSettings {
        var settings = SessionSettings()
        settings.maxConcurrentStreams = 0
        settings.connectionWindowSize = 1 << 24
        return settings
    }
}
