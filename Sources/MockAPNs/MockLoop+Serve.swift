import HTTP2
import NetIO
import PushBuffers
import PushModel

/// What one turn does for one connection.
extension MockLoop {
    private enum Progress {
        case goesOn
        case ends
    }

    /// Reads what came, answers it, and writes, as far as the socket lets it.
    func serve(_ connection: MockConnection<Session>) {
        do throws(NetIOError) {
            guard try turn(connection) == .ends else { return }
        } catch {
            let wasEstablished = connection.transport.isEstablished
            counters.add(wasEstablished ? .connectionsBroken : .handshakesFailed)
        }
        close(connection)
    }

    private func turn(_ connection: MockConnection<Session>) throws(NetIOError) -> Progress {
        switch connection.phase {
        case .silent: return .goesOn
        case .lingering: return try linger(connection)
        case .serving, .leaving, .parting: break
        }
        guard let session = try establishedSession(connection) else { return .goesOn }
        // No reading while the peer does not take what it was answered already.
        if connection.blockedOutput != nil || connection.phase == .parting {
            guard try write(connection, session) else { return .goesOn }
            if connection.phase == .lingering { return .goesOn }
        }
        let progress = try connection.transport.readAvailable(
            limit: MockLoopLimits.readBytesPerTurn,
            using: readBuffer
        ) { bytes in
            guard connection.collapse == nil, !connection.isHoarder else { return }
            connection.lastActivity = now
            // Answer times count from when a push was read; the turn may have begun long before.
            if let plan, plan.isDelayed { arrivedAt = .now() }
            counters.add(.bytesReceived, UInt64(bytes.byteCount))
            session.receive(bytes)
            noteReceived(connection, session)
            answerRequests(of: connection, session)
        }
        if let collapse = connection.collapse {
            try self.collapse(connection, session, collapse)
            return .goesOn
        }
        let isWritten = try write(connection, session)
        guard connection.phase == .serving || connection.phase == .leaving else { return .goesOn }
        switch progress {
        case .endOfStream: return .ends
        case .moreToRead: if isWritten { serveAgain(connection) }
        case .drained: break
        }
        return .goesOn
    }

    /// The session of a connection whose handshake is done; nil while it is not.
    private func establishedSession(
        _ connection: MockConnection<Session>
    ) throws(NetIOError) -> Session? {
        if let session = connection.session { return session }
        switch try connection.transport.advanceHandshake() {
        case .wantsRead: try wait(for: .read, connection)
        case .wantsWrite: try wait(for: .write, connection)
        case .established:
            let hasCertificate = connection.transport.peerCertificate != nil
            connection.behaviour = newBehaviour(hasClientCertificate: hasCertificate)
            let session = makeSession(connection.behaviour?.settings ?? configuration.settings)
            connection.session = session
            connection.lastProgress = now
            connection.rules = ConnectionRuleState(
                certificate: connection.transport.peerCertificate.map {
                    ClientCertificate($0, environment: rules.environment)
                }
            )
            try wait(for: .read, connection)
            return session
        }
        return nil
    }

    private func answerRequests(of connection: MockConnection<Session>, _ session: Session) {
        while !connection.isHoarder, let handle = session.nextRequest() {
            connection.lastProgress = now
            var other: OtherRequest?
            var arrival = PersonalityPlan.Arrival.process
            let decision = session.withRequest(handle) { request -> PushDecision? in
                other = OtherRequest(request)
                guard other == nil else { return nil }
                if let plan {
                    arrival = connection.behaviour?.arrival(plan) ?? .process
                    guard arrival.isProcessed else {
                        record(request, answer: nil as PushDecision?, handle, connection)
                        return nil
                    }
                }
                counters.add(.bodyBytes, UInt64(request.bodyByteCount))
                var decision = rules.decide(
                    request,
                    connection: &connection.rules,
                    now: unixSeconds,
                    identifiers: &identifiers
                )
                if let plan, plan.hasThrottles, decision.reason == nil {
                    throttle(request, &decision, plan)
                }
                if let inspector, decision.reason == nil { inspector.inspect(request) }
                let isAnswered = arrival == .process
                record(request, answer: isAnswered ? decision : nil, handle, connection)
                return decision
            }
            if let decision {
                count(decision)
                if let plan {
                    settle(decision, arrival, handle, connection, session, plan)
                } else {
                    deliver(decision, to: handle, session)
                }
            } else if let other {
                if answer(other, to: handle, of: connection, session) { return }
                // The answers of these may be large.
                noteHeld(session.unfinishedByteCount, connection)
            } else if breakOff(arrival, handle, connection, session) {
                return
            }
        }
    }

    /// Counts a push that was processed.
    @inline(__always)
    private func count(_ decision: PushDecision) {
        counters.add(.requests)
        if let reason = decision.reason {
            counters.addRefusal(reason)
        } else {
            counters.add(.accepted)
        }
    }

    /// Gives an answer.
    ///
    /// The handle holds until it is answered, so this may come in a later turn than the decision.
    func deliver(_ decision: PushDecision, to handle: RequestHandle, _ session: Session) {
        var response = ServerResponse(
            status: decision.status,
            apnsID: decision.apnsID,
            apnsUniqueID: decision.apnsUniqueID
        )
        if let reason = decision.reason {
            response.body = rules.reasons.body(
                of: reason,
                timestampMilliseconds: decision.timestampMilliseconds
            )
            if let seconds = decision.retryAfterSeconds {
                response.fields = [.init(name: "retry-after", value: String(seconds))]
            }
        }
        session.respond(to: handle, with: response)
    }

    /// Writes what there is, and takes the step towards the end that is due then.
    ///
    /// - Returns: False where the socket is full; it is waited for then.
    @discardableResult
    func write(
        _ connection: MockConnection<Session>,
        _ session: Session
    ) throws(NetIOError) -> Bool {
        if case .failed = session.state, connection.phase != .parting {
            counters.add(.protocolErrors)
            connection.phase = .parting
        }
        guard try flush(connection, session) else { return false }
        if connection.phase == .leaving, !connection.awaitsSecondGoAway,
            session.streamsInFlight == 0
        {
            connection.phase = .parting
        }
        if connection.phase == .parting { try beginLinger(connection) }
        return true
    }

    /// Writes the session's output; false where the socket is full, and waits for it then.
    private func flush(
        _ connection: MockConnection<Session>,
        _ session: Session
    ) throws(NetIOError) -> Bool {
        if connection.blockedOutput == nil, !session.hasOutput { return true }
        let output =
            connection.blockedOutput ?? spareOutputs.popLast()
            ?? IOBuffer(capacity: MockLoopLimits.outputBufferBytes)
        connection.blockedOutput = nil
        let progress = try connection.transport.flush(output) { free in
            let before = free.byteCount
            session.drain(into: &free)
            counters.add(.bytesSent, UInt64(free.byteCount - before))
        }
        switch progress {
        case .drained:
            if spareOutputs.count < MockLoopLimits.spareOutputs { spareOutputs.append(output) }
            noteHeld(session.unfinishedByteCount, connection)
            // With that it may have to go, and is told so before its writing side is closed.
            if connection.isHoarder, session.hasOutput { return try flush(connection, session) }
            try wait(for: .read, connection)
            return true
        case .blocked:
            connection.blockedOutput = output
            noteHeld(session.unfinishedByteCount + session.outputByteCount, connection)
            let bytesSent = connection.transport.bytesSent
            if bytesSent != connection.bytesSentWhenBlocked {
                connection.bytesSentWhenBlocked = bytesSent
                connection.lastProgress = now
            }
            try wait(for: .write, connection)
            return false
        }
    }

    func wait(
        for interest: Poller.Interest,
        _ connection: MockConnection<Session>
    ) throws(NetIOError) {
        guard connection.interest != interest else { return }
        connection.interest = interest
        try poller.modify(
            descriptor: connection.transport.descriptor,
            id: connection.id,
            interest: interest
        )
    }

    // MARK: - The end

    /// Says GOAWAY; the connection ends once what it asked for is answered and written.
    ///
    /// - Parameters:
    ///   - connection: One whose handshake may be under way; it is closed then.
    ///   - reason: Goes as debug data, as Apple's servers do it (contract 1.1).
    ///   - isAbrupt: Whether what is in flight gets no answer.
    func farewell(
        _ connection: MockConnection<Session>,
        reason: ReasonCode? = nil,
        isAbrupt: Bool = false
    ) {
        guard let session = connection.session else { return close(connection) }
        guard connection.phase == .serving, connection.transport.descriptor >= 0 else { return }
        sayGoAway(connection, session, reason: reason, isAbrupt: isAbrupt)
        touch(connection)
    }

    /// Throws away what a connection that was told to go still sends.
    private func linger(_ connection: MockConnection<Session>) throws(NetIOError) -> Progress {
        let progress = try connection.transport.readAvailable(
            limit: MockLoopLimits.readBytesPerTurn,
            using: readBuffer
        ) { _ in }
        switch progress {
        case .endOfStream: return .ends
        case .moreToRead: serveAgain(connection)
        case .drained: break
        }
        return .goesOn
    }

    /// Ends the writing side, and gives the peer a while to read to the end.
    ///
    /// Closing at once while bytes of the peer come in would reset the connection, and the peer
    /// might never read what was written last.
    private func beginLinger(_ connection: MockConnection<Session>) throws(NetIOError) {
        connection.phase = .lingering
        connection.transport.shutdownWriting()
        dropSession(of: connection)
        try wait(for: .read, connection)
        let time =
            isStopping
            ? MockLoopLimits.lingerNanosecondsAtStop : MockLoopLimits.lingerNanoseconds
        addTimer(.close, connection, after: time)
        serveAgain(connection)
    }

    /// Ends a connection and forgets it.
    func close(_ connection: MockConnection<Session>) {
        guard connection.transport.descriptor >= 0 else { return }
        if connection.phase != .lingering { connection.transport.shutdownTLS() }
        // Closing takes the descriptor out of the poller.
        connection.transport.close()
        forget(connection)
    }

    /// Forgets a connection that is closed, and what waits for it.
    func forget(_ connection: MockConnection<Session>) {
        connections.remove(connection)
        counters.add(.connectionsClosed)
        forgetHeld(connection)
        dropPending(of: connection)
    }
}
