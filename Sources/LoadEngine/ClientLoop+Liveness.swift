import HTTP2
import NetIO

// Finding out that a connection is dead though nothing says so.
extension ClientLoop {
    /// Looks after a lane's connections: gives up those that were silent for too long, and asks the
    /// silent ones for a sign of life.
    func supervise(_ lane: Lane, now: MonotonicInstant) {
        lane.pool.forEach { connection in
            expire(connection, of: lane, now: now)
            checkPulse(of: connection, in: lane, now: now)
        }
        if awaitsToken(lane), let failure = configuration.tokens?.failure {
            lane.fanOut.fail("The provider token expired and no new one can be made: \(failure)")
        }
    }

    /// Gives a connection up that did not come about, allows nothing, or answers nothing.
    ///
    /// One that was greeted is not reset: its peer may answer PINGs, and still read what was sent.
    private func expire(_ connection: ClientConnection, of lane: Lane, now: MonotonicInstant) {
        let timeouts = configuration.timeouts
        let host = lane.endpoint.target.host
        if connection.isGreeted, connection.inFlight.count == 0,
            connection.session.availableStreams > 0 || connection.isLeaving || !lane.hasMoreToSend
        {
            connection.lastProgress = now
        }
        let silence = now.nanoseconds(since: connection.lastProgress)
        switch connection.phase {
        case .handshaking where silence > timeouts.connect:
            fail(
                connection,
                "\(host) did not finish connecting within \(Self.text(timeouts.connect)): is it "
                    + "the right port?",
                isDead: true
            )
        case .open where !connection.isGreeted && silence > timeouts.connect:
            fail(
                connection,
                "\(host) did not begin HTTP/2 within \(Self.text(timeouts.connect)): is it the "
                    + "right port?",
                isDead: true
            )
        case .open where connection.inFlight.count == 0 && silence > timeouts.answer:
            fail(
                connection,
                "\(host) allowed no stream for \(Self.text(timeouts.answer))",
                isDead: !connection.isGreeted
            )
        case .open where connection.isGreeted && silence > timeouts.answer:
            fail(
                connection,
                "\(host) gave no answer for \(Self.text(timeouts.answer))"
            )
        default: break
        }
    }

    /// Sends a PING over a connection that is silent although pushes are in flight, or has been for
    /// long without any; where nothing at all comes after it, the connection has died without a word.
    private func checkPulse(
        of connection: ClientConnection,
        in lane: Lane,
        now: MonotonicInstant
    ) {
        guard connection.phase == .open, connection.isGreeted else { return }
        let heard = connection.link.bytesReceived
        if heard != connection.bytesHeard {
            connection.bytesHeard = heard
            connection.lastHeard = now
            connection.pingSentAt = nil
            return
        }
        let timeouts = configuration.timeouts
        if let sent = connection.pingSentAt {
            guard now.nanoseconds(since: sent) > timeouts.pong else { return }
            fail(
                connection,
                "\(lane.endpoint.target.host) (\(connection.link.peerAddress)) is silent: no "
                    + "answer to a PING for \(Self.text(timeouts.pong))",
                isDead: true
            )
            return
        }
        let interval =
            connection.inFlight.count > 0 ? timeouts.pingInterval : timeouts.idlePingInterval
        guard now.nanoseconds(since: connection.lastHeard) > interval else { return }
        connection.pingSentAt = now
        connection.session.ping(payload: now.nanoseconds)
        flush(connection)
    }

    /// Nanoseconds for a sentence: `10 s`, `300 ms`.
    private static func text(_ nanoseconds: UInt64) -> String {
        nanoseconds % 1_000_000_000 == 0
            ? "\(nanoseconds / 1_000_000_000) s" : "\(nanoseconds / 1_000_000) ms"
    }
}
