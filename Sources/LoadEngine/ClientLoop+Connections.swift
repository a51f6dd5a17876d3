import FlatJSON
import HDRHistogram
import HTTP2
import NetIO
import PushBuffers

// Opening, reading, writing and closing a loop's connections.
extension ClientLoop {
    /// Opens the connections that are missing; lets those go that have nothing left to do.
    func maintainConnections(now: MonotonicInstant) {
        pool.forEach { connection in
            guard connection.isRetiring, connection.inFlight.count == 0 else { return }
            close(connection, reason: connection.record.reason ?? "retired", now: now)
        }
        guard !isStopping, hasMoreToSend else { return }
        for _ in 0..<max(0, pool.missing(now: now)) { open(now: now) }
    }

    private func open(now: MonotonicInstant) {
        let target = configuration.target
        let (id, address) = pool.nextSlot()
        do {
            let link = try Connection.connect(
                to: target.addresses[address],
                tls: configuration.tls,
                serverName: target.host
            )
            let session = configuration.engine.makeClientSession(
                profile: configuration.profile,
                settings: SessionSettings.client,
                maxStreams: configuration.streams
            )
            let connection = ClientConnection(
                id: id,
                link: link,
                session: session,
                streams: configuration.streams,
                isPlain: configuration.tls == nil,
                now: now,
                elapsed: now.nanoseconds(since: start)
            )
            try poller.add(descriptor: link.descriptor, id: id, interest: connection.interest)
            pool.insert(connection)
        } catch {
            note(failure: error.description)
            pool.noteFailure(openedAt: now, now: now)
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
            pool.noteOpened()
        }
        if case .failed(let code) = connection.session.state {
            flush(connection)
            failBroken(connection, "HTTP/2 error \(code.rawValue) on the connection to the target")
        } else if connection.session.hasOutput {
            flush(connection)
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

    /// Gives up connections that were silent for too long.
    func expire(now: MonotonicInstant) {
        let timeouts = configuration.timeouts
        pool.forEach { connection in
            if connection.isGreeted, connection.inFlight.count == 0,
                connection.session.availableStreams > 0 || !hasMoreToSend
            {
                connection.lastProgress = now
            }
            let silence = now.nanoseconds(since: connection.lastProgress)
            switch connection.phase {
            case .handshaking where silence > timeouts.connect:
                fail(
                    connection,
                    "\(configuration.target.host) did not finish connecting within "
                        + "\(timeouts.connect / 1_000_000_000) s: is it the right port?"
                )
            case .open where !connection.isGreeted && silence > timeouts.connect:
                fail(
                    connection,
                    "\(configuration.target.host) did not begin HTTP/2 within "
                        + "\(timeouts.connect / 1_000_000_000) s: is it the right port?"
                )
            case .open where connection.inFlight.count == 0 && silence > timeouts.answer:
                fail(
                    connection,
                    "\(configuration.target.host) allowed no stream for "
                        + "\(timeouts.answer / 1_000_000_000) s"
                )
            case .open where connection.isGreeted && silence > timeouts.answer:
                fail(
                    connection,
                    "\(configuration.target.host) gave no answer for "
                        + "\(timeouts.answer / 1_000_000_000) s"
                )
            default: break
            }
        }
    }

    private func fail(_ connection: ClientConnection, _ sentence: String) {
        guard connection.phase != .closed else { return }
        let now = MonotonicInstant.now()
        note(failure: sentence)
        pool.noteFailure(openedAt: connection.openedAt, now: now)
        close(connection, reason: sentence, now: now)
    }

    /// Gives a connection up that broke, naming the peer's protocol where that is the cause.
    private func failBroken(_ connection: ClientConnection, _ sentence: String) {
        let guess = connection.peerProtocol.map { "\(configuration.profile.authority) \($0)" }
        fail(connection, guess ?? sentence)
    }

    /// Closes a connection; its pushes in flight end as unknown, or go out again where that is safe.
    func close(_ connection: ClientConnection, reason: String?, now: MonotonicInstant) {
        guard connection.phase != .closed else { return }
        connection.farewell()
        connection.session.connectionLost()
        settleAnswers(on: connection, now: now)
        try? poller.remove(descriptor: connection.link.descriptor)
        connection.close()
        pool.remove(connection)
        recorder.connections.append(
            connection.record.finish(at: now.nanoseconds(since: start), reason: reason)
        )
    }

    // MARK: - Answers

    /// Deals with all that the session has to tell.
    func settleAnswers(on connection: ClientConnection, now: MonotonicInstant) {
        var answers: Int64 = 0
        while let event = connection.session.nextEvent() {
            switch event.kind {
            case .responded:
                answers += 1
                settle(connection.inFlight.remove(event.tag), event, on: connection, now: now)
            case .reset, .connectionLost:
                settle(connection.inFlight.remove(event.tag), as: .unknown)
                recorder.unknown += 1
            case .unprocessed:
                requeue(connection.inFlight.remove(event.tag), event.errorCode, now: now)
            case .goAway:
                let reason = goAwayReason(event, on: connection)
                connection.record.reason = reason
                guard connection.record.pushes == 0, answers == 0 else { continue }
                // A target that only ever says goodbye must not be called again and again at once.
                note(failure: "\(configuration.profile.authority) answered no push: \(reason)")
                pool.noteFailure(openedAt: connection.openedAt, now: now)
            case .pong: break
            }
        }
        guard answers > 0 else { return }
        pool.noteAnswer()
        connection.record.pushes += Int(answers)
        connection.lastProgress = now
        recorder.lastAnswer = now
        recorder.makespan.record(Int64(clamping: now.nanoseconds(since: start)), count: answers)
    }

    private func settle(
        _ push: InFlightPush,
        _ event: ClientEvent,
        on connection: ClientConnection,
        now: MonotonicInstant
    ) {
        if event.status == 200 {
            recorder.accepted += 1
            interval.totals.accepted += 1
            settle(push, as: .accepted)
        } else {
            recorder.rejected += 1
            interval.totals.rejected += 1
            settle(push, as: .rejected)
            connection.session.withResponseBody(of: event) { body in
                recorder.reasons.count(status: event.status, body: body)
            }
        }
        let service = Int64(clamping: now.nanoseconds(since: push.sent))
        interval.service.record(service)
        guard push.intended >= measureFrom else { return }
        recorder.service.record(service)
        if isOpenLoop {
            recorder.response.record(Int64(clamping: now.nanoseconds(since: push.intended)))
            recorder.lateness.record(
                Int64(clamping: push.sent.nanoseconds(since: push.intended))
            )
        }
    }

    private func settle(_ push: InFlightPush, as outcome: Ledger.Outcome) {
        guard let ledger else { return }
        if !ledger.settle(push.sequence, as: outcome) { recorder.duplicates += 1 }
    }

    /// A push that was not processed goes out again; after a refusal a little later, and not too often.
    private func requeue(_ push: InFlightPush, _ code: HTTP2ErrorCode, now: MonotonicInstant) {
        var push = push
        if code == .refusedStream {
            resendsNotBefore = now.advanced(by: Self.refusalPause << UInt64(min(push.refusals, 6)))
            push.refusals += 1
        }
        if push.refusals < Self.refusalLimit, !isStopping {
            resends.append(push)
        } else {
            recorder.refused += 1
        }
    }

    private func goAwayReason(_ event: ClientEvent, on connection: ClientConnection) -> String {
        let reason = connection.session.withResponseBody(of: event) {
            FlatJSON.string("reason", in: $0)
        }
        return "GOAWAY \(reason ?? "with error \(event.errorCode.rawValue)")"
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
