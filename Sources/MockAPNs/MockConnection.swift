import HTTP2
import NetIO
import PushBuffers

/// One connection of a sender to the mock; touched by its loop's thread alone.
final class MockConnection<Session: ServerSession> {
    /// Where a connection stands between its start and its end.
    enum Phase {
        /// It is served.
        case serving
        /// It was told to go: what it asked for up to the GOAWAY's last stream is still answered.
        case leaving
        /// It ends as soon as its output is out; nothing is read any more.
        case parting
        /// All is written, the writing side is closed, and what still comes is thrown away.
        case lingering
        /// It was left alone on purpose: open, and ignored.
        case silent
    }

    /// How a personality ends a connection in the middle of a turn.
    enum Collapse {
        case reset
        case silence
    }

    /// Names the connection in its poller's events.
    let id: UInt64
    let transport: Connection
    /// Its number in a record; 0 where there is none.
    var number: UInt64 = 0
    /// nil until the handshake is done, and again once it is silent.
    var session: Session?
    /// What the rules remember of it.
    var rules = ConnectionRuleState()
    /// Its course under a personality; nil where the mock has none.
    var behaviour: ConnectionBehaviour?
    var phase = Phase.serving
    /// What has befallen it in this turn.
    var collapse: Collapse?
    /// Whether the GOAWAY that names the real last stream is still to come.
    var awaitsSecondGoAway = false
    /// Answers that wait for their time.
    var pendingAnswers = 0
    /// Whether it waits in the loop's list of those to be written to.
    var isTouched = false
    /// Streams that its session has refused, as the loop has counted them.
    var refusedStreams = 0
    /// Bytes of its unfinished exchanges, as the loop has counted them.
    var unfinishedBytes = 0
    /// Whether it has to go because it holds too much: what is not written at once, is not written.
    var isHoarder = false
    /// When it came, or when something was last read from it.
    var lastActivity: MonotonicInstant
    /// When its handshake or a request was last whole, output was last taken, or nothing was midway.
    var lastProgress: MonotonicInstant
    /// What its poller waits for.
    var interest: Poller.Interest
    /// Holds the bytes that the socket did not take; nil while it takes all.
    var blockedOutput: IOBuffer?
    /// What its socket had taken when it was last full.
    var bytesSentWhenBlocked: UInt64 = 0
    /// Whether it waits in the loop's list for its next turn.
    var isReady = false
    /// Since when the next step of its handshake waits for its turn, while it does.
    var queuedAt: MonotonicInstant?

    init(id: UInt64, transport: Connection, interest: Poller.Interest, now: MonotonicInstant) {
        self.id = id
        self.transport = transport
        self.interest = interest
        lastActivity = now
        lastProgress = now
    }
}
