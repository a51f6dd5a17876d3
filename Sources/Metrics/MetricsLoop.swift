import NetIO
import PushBuffers

/// The server's event loop: a listener, a few connections, and a clock for each of them.
///
/// Touched by its thread alone.
final class MetricsLoop {
    /// Connections at once; a scraper needs one.
    static let mostConnections = 16
    /// From being accepted until the answer is read: slower peers are let go.
    static let patienceNanoseconds: UInt64 = 5_000_000_000

    /// How long nobody is accepted after that failed.
    private static let pauseNanoseconds: UInt64 = 100_000_000

    private static let listenerID: UInt64 = 0
    private static let stopperID: UInt64 = 1

    /// nil, and closed, once nobody is served any more.
    private var listener: Listener?
    private let stopper: WakeUp
    private let poller: Poller
    private let render: @Sendable () -> MetricsText
    private let report: @Sendable (String) -> Void
    private let buffer = IOBuffer(capacity: 4096)
    /// In the order they came: the first is the one that waits longest.
    private var connections: [MetricsConnection] = []
    private var nextID: UInt64 = 2
    /// When the listener is looked at again; nil while it is.
    private var acceptsAgain: MonotonicInstant?

    init(
        listener: Listener,
        stopper: WakeUp,
        render: @escaping @Sendable () -> MetricsText,
        report: @escaping @Sendable (String) -> Void
    ) throws(NetIOError) {
        self.listener = listener
        self.stopper = stopper
        self.render = render
        self.report = report
        poller = try Poller()
        try poller.add(descriptor: listener.descriptor, id: Self.listenerID, interest: .read)
        try poller.add(descriptor: stopper.descriptor, id: Self.stopperID, interest: .read)
    }

    /// Serves until the stopper wakes it.
    func run() {
        while true {
            let now = MonotonicInstant.now()
            for connection in connections where connection.deadline <= now { drop(connection) }
            if let time = acceptsAgain, time <= now { acceptAgain() }
            let next = [connections.first?.deadline, acceptsAgain].compactMap(\.self).min()
            let wait = next.map { $0.nanoseconds(since: now) }
            guard let count = self.wait(wait) else { return }
            for index in 0..<count {
                let event = poller.event(at: index)
                switch event.id {
                case Self.stopperID: return
                case Self.listenerID: acceptOne()
                default:
                    if let connection = connections.first(where: { $0.id == event.id }) {
                        advance(connection)
                    }
                }
            }
        }
    }

    /// Waits for events; nil where the poller is broken and can only be left: the run itself goes on
    /// without metrics.
    private func wait(_ timeoutNanoseconds: UInt64?) -> Int? {
        do throws(NetIOError) {
            return try poller.wait(timeoutNanoseconds: timeoutNanoseconds)
        } catch {
            report("No more metrics are served: \(error)")
            for connection in connections { connection.socket.close() }
            connections = []
            listener = nil
            return nil
        }
    }

    /// Takes one connection a turn, so that a flood of them does not keep others from being served.
    private func acceptOne() {
        guard let listener else { return }
        let accepted: Connection?
        do {
            accepted = try listener.accept(tls: nil)
        } catch {
            // Out of descriptors as a rule: the oldest gives up its own, and others wait a little.
            if let oldest = connections.first { drop(oldest) }
            try? poller.remove(descriptor: listener.descriptor)
            acceptsAgain = .now().advanced(by: Self.pauseNanoseconds)
            return
        }
        guard let socket = accepted else { return }
        if connections.count == Self.mostConnections { drop(connections[0]) }
        let connection = MetricsConnection(
            id: nextID,
            socket: socket,
            deadline: .now().advanced(by: Self.patienceNanoseconds)
        )
        nextID += 1
        do {
            try poller.add(
                descriptor: socket.descriptor,
                id: connection.id,
                interest: connection.interest
            )
        } catch { return socket.close() }
        connections.append(connection)
    }

    private func acceptAgain() {
        acceptsAgain = nil
        guard let listener else { return }
        do throws(NetIOError) {
            try poller.add(descriptor: listener.descriptor, id: Self.listenerID, interest: .read)
        } catch {
            report("No more requests for metrics are taken: \(error)")
            self.listener = nil
        }
    }

    private func advance(_ connection: MetricsConnection) {
        let before = connection.interest
        guard connection.advance(using: buffer, render: render) else { return drop(connection) }
        guard connection.interest != before else { return }
        do {
            try poller.modify(
                descriptor: connection.socket.descriptor,
                id: connection.id,
                interest: connection.interest
            )
        } catch { drop(connection) }
    }

    private func drop(_ connection: MetricsConnection) {
        connections.removeAll { $0 === connection }
        try? poller.remove(descriptor: connection.socket.descriptor)
        connection.socket.close()
    }
}

/// The loop with its thread.
final class MetricsLoopThread: @unchecked Sendable {
    // Safe to share: `join` is made by one thread at a time, under the lock.

    private let thread: LoopThread
    private let lock = JoinLock()

    /// Carries the loop to its thread.
    private struct Handover: @unchecked Sendable {
        // Safe: the maker does not touch the loop again.
        let loop: MetricsLoop
    }

    init(_ loop: MetricsLoop) throws(NetIOError) {
        let handover = Handover(loop: loop)
        thread = try LoopThread(name: "push-metrics") { handover.loop.run() }
    }

    /// Waits until the thread has ended.
    func join() { lock.withLock { thread.join() } }
}
