import NetIO
import Synchronization

/// A connection on its way from the loop that accepted it to the loop that serves it.
///
/// Unchecked: the sender keeps no reference, so one thread at a time holds the connection.
struct AcceptedConnection: @unchecked Sendable {
    let connection: Connection
}

/// What other threads want of a loop: new connections, and to end.
///
/// Not on the path of a push.
final class LoopMailbox: Sendable {
    private struct State {
        var connections: [AcceptedConnection] = []
        var isStopping = false
    }

    let wakeUp: WakeUp
    private let state = Mutex(State())

    init() throws(NetIOError) { wakeUp = try WakeUp() }

    /// Hands over a connection.
    func deliver(_ connection: AcceptedConnection) {
        state.withLock { $0.connections.append(connection) }
        wakeUp.wake()
    }

    /// Asks the loop to end.
    func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.wake()
    }

    /// What came since the last call; the loop's thread alone.
    func take() -> (connections: [AcceptedConnection], isStopping: Bool) {
        wakeUp.drain()
        return state.withLock { state in
            let connections = state.connections
            state.connections = []
            return (connections, state.isStopping)
        }
    }
}
