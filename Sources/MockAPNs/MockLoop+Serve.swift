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
            counters.add(connection.session == nil ? .handshakesFailed : .connectionsBroken)
        }
        close(connection)
    }

    private func turn(_ connection: MockConnection<Session>) throws(NetIOError) -> Progress {
        guard let session = try establishedSession(connection) else { return .goesOn }
        // No reading while the peer does not take what it was answered already.
        if connection.blockedOutput != nil || connection.isClosing {
            guard try flush(connection, session) else { return .goesOn }
            if connection.isClosing { return .ends }
        }
        let progress = try connection.transport.readAvailable(
            limit: MockLoopLimits.readBytesPerTurn,
            using: readBuffer
        ) { bytes in
            connection.lastActivity = now
            counters.add(.bytesReceived, UInt64(bytes.byteCount))
            session.receive(bytes)
            answerRequests(of: connection, session)
        }
        let isWritten = try flush(connection, session)
        if case .failed = session.state {
            counters.add(.protocolErrors)
            return .ends
        }
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
            let session = makeSession(configuration.settings)
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
        while let handle = session.nextRequest() {
            connection.lastProgress = now
            var other: OtherRequest?
            let decision = session.withRequest(handle) { request -> PushDecision? in
                other = OtherRequest(request)
                guard other == nil else { return nil }
                counters.add(.bodyBytes, UInt64(request.bodyByteCount))
                let decision = rules.decide(
                    request,
                    connection: &connection.rules,
                    now: unixSeconds,
                    identifiers: &identifiers
                )
                if let inspector, decision.reason == nil { inspector.inspect(request) }
                return decision
            }
            if let decision {
                counters.add(.requests)
                deliver(decision, to: handle, session)
            } else if let other {
                answer(other, to: handle, of: connection, session)
            }
        }
    }

    /// Counts and gives an answer.
    ///
    /// The handle holds until it is answered, so this may come in a later turn than the decision.
    private func deliver(_ decision: PushDecision, to handle: RequestHandle, _ session: Session) {
        var response = ServerResponse(
            status: decision.status,
            apnsID: decision.apnsID,
            apnsUniqueID: decision.apnsUniqueID
        )
        if let reason = decision.reason {
            counters.addRefusal(reason)
            response.body = rules.reasons.body(
                of: reason,
                timestampMilliseconds: decision.timestampMilliseconds
            )
        } else {
            counters.add(.accepted)
        }
        session.respond(to: handle, with: response)
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
            try wait(for: .read, connection)
            return true
        case .blocked:
            connection.blockedOutput = output
            let bytesSent = connection.transport.bytesSent
            if bytesSent != connection.bytesSentWhenBlocked {
                connection.bytesSentWhenBlocked = bytesSent
                connection.lastProgress = now
            }
            try wait(for: .write, connection)
            return false
        }
    }

    private func wait(
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

    /// Says GOAWAY and closes once that is written.
    ///
    /// `reason` goes as debug data, as Apple's servers do it (contract 1.1).
    func farewell(_ connection: MockConnection<Session>, reason: ReasonCode? = nil) {
        guard let session = connection.session else { return close(connection) }
        guard !connection.isClosing, connection.transport.descriptor >= 0 else { return }
        connection.isClosing = true
        let debugData = reason.map { rules.reasons.body(of: $0, timestampMilliseconds: nil) }
        session.goAway(errorCode: .noError, lastStreamID: nil, debugData: debugData ?? [])
        serve(connection)
    }

    /// Ends a connection and forgets it.
    func close(_ connection: MockConnection<Session>) {
        guard connection.transport.descriptor >= 0 else { return }
        connection.transport.shutdownTLS()
        // Closing takes the descriptor out of the poller.
        connection.transport.close()
        connections.remove(connection)
        counters.add(.connectionsClosed)
    }
}
