import HTTP2
import NetIO
import PushBuffers

/// One connection of a sender to the mock; touched by its loop's thread alone.
final class MockConnection<Session: ServerSession> {
    /// Names the connection in its poller's events.
    let id: UInt64
    let transport: Connection
    /// nil until the handshake is done.
    var session: Session?
    /// What the rules remember of it.
    var rules = ConnectionRuleState()
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
    /// Whether it ends as soon as its output is out.
    var isClosing = false

    init(id: UInt64, transport: Connection, interest: Poller.Interest, now: MonotonicInstant) {
        self.id = id
        self.transport = transport
        self.interest = interest
        lastActivity = now
        lastProgress = now
    }
}
