import HTTP2

/// What connections may make a loop keep.
extension MockLoop {
    /// Counts the streams that were refused, and what a connection holds of unfinished exchanges; over
    /// the limit, the one that holds most has to go.
    @inline(__always)
    func noteReceived(_ connection: MockConnection<Session>, _ session: Session) {
        let refused = session.refusedStreamCount
        if refused != connection.refusedStreams {
            counters.add(.streamsOverLimit, UInt64(refused - connection.refusedStreams))
            connection.refusedStreams = refused
        }
        noteHeld(session.unfinishedByteCount, connection)
    }

    /// Counts what a connection holds.
    ///
    /// Output that the socket does not take is counted where that is found, and not while it is made:
    /// the next flush may take it all.
    @inline(__always)
    func noteHeld(_ byteCount: Int, _ connection: MockConnection<Session>) {
        guard byteCount != connection.unfinishedBytes, !connection.isHoarder else { return }
        unfinishedBytes += byteCount - connection.unfinishedBytes
        connection.unfinishedBytes = byteCount
        if unfinishedBytes > unfinishedByteLimit { endLargestHoarder() }
    }

    /// Counts nothing more for a connection.
    func forgetHeld(_ connection: MockConnection<Session>) {
        unfinishedBytes -= connection.unfinishedBytes
        connection.unfinishedBytes = 0
    }

    @inline(never)
    private func endLargestHoarder() {
        var hoarder: MockConnection<Session>?
        for slot in 0..<connections.slotCount {
            guard let other = connections.connection(inSlot: slot) else { continue }
            if other.unfinishedBytes > hoarder?.unfinishedBytes ?? 0 { hoarder = other }
        }
        guard let hoarder, let session = hoarder.session else { return }
        counters.add(.connectionsHoarding)
        forgetHeld(hoarder)
        hoarder.isHoarder = true
        session.goAway(errorCode: .enhanceYourCalm, lastStreamID: nil, debugData: [])
        hoarder.phase = .parting
        touch(hoarder)
    }

    /// Lets go of a connection's session, and what it holds, before the connection is closed.
    func dropSession(of connection: MockConnection<Session>) {
        forgetHeld(connection)
        connection.blockedOutput = nil
        // Its answers are told by that from those that will be given.
        connection.session = nil
        dropPending(of: connection)
    }
}
