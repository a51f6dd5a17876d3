import NetIO
import PushModel

/// What one turn has done for connections, beyond the pushes that came.
struct TurnWork {
    /// Connections that were served.
    var served = 0
    /// New connections that were taken on.
    var arrivals = 0
    /// Steps of TLS handshakes.
    var handshakeSteps = 0
    /// Connections that were announced other settings.
    var announcements = 0
    /// Connections that were looked at for their age.
    var checked = 0
    /// Sessions that gave memory back.
    var trimmed = 0
}

/// Things that wait for their turn, first come, first served; touched by its loop's thread alone.
struct TurnQueue<Element> {
    private var elements: [Element] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }

    mutating func add(_ element: Element) { elements.append(element) }

    /// Takes the first thing; nil where none waits.
    mutating func take() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[first]
        first += 1
        // What was taken is forgotten in bulk.
        if first * 2 > elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}

/// How new connections are taken on: a few in each turn, so that thousands that come at once do not
/// hold up those that are at work.
extension MockLoop {
    /// Takes on some of the connections that have come.
    func takeArrivals() {
        while work.arrivals < MockLoopLimits.arrivalsPerTurn, let accepted = arrivals.take() {
            work.arrivals += 1
            add(accepted.connection)
        }
    }

    private func add(_ transport: Connection) {
        let connection = connections.insert {
            MockConnection(id: $0, transport: transport, interest: .read, now: now)
        }
        connection.number = configuration.record?.nextConnectionNumber() ?? 0
        do throws(NetIOError) {
            try poller.add(
                descriptor: transport.descriptor,
                id: connection.id,
                interest: connection.interest
            )
        } catch {
            configuration.report("A connection cannot be served: \(error)")
            close(connection)
            return
        }
        if transport.isEstablished { serve(connection) } else { shakeHands(connection) }
        if isStopping { farewell(connection, reason: ReasonCode(.shutdown)) }
    }

    /// Takes a connection's next step of its handshake, in this turn or in a later one.
    func shakeHands(_ connection: MockConnection<Session>) {
        guard !connection.isReady else { return }
        if handshakes.isEmpty, work.handshakeSteps < handshakeStepLimit {
            work.handshakeSteps += 1
            serve(connection)
            return
        }
        do throws(NetIOError) {
            // Not reported meanwhile: thousands that wait would hide the others from the poller.
            try wait(for: [], connection)
        } catch {
            counters.add(.handshakesFailed)
            close(connection)
            return
        }
        connection.isReady = true
        connection.queuedAt = now
        handshakes.add(connection.id)
    }

    /// Takes steps that had to wait.
    func takeHandshakeSteps() {
        while work.handshakeSteps < handshakeStepLimit, let id = handshakes.take() {
            guard let connection = connections.connection(id) else { continue }
            work.handshakeSteps += 1
            connection.isReady = false
            if let queuedAt = connection.queuedAt {
                // That the others came first is not the peer's delay.
                connection.lastActivity = connection.lastActivity.advanced(
                    by: now.nanoseconds(since: queuedAt)
                )
                connection.queuedAt = nil
            }
            serve(connection)
        }
    }

    private var handshakeStepLimit: Int {
        MockLoopLimits.handshakeStepsPerTurn + work.served / MockLoopLimits.servedPerHandshakeStep
    }
}
