import HTTP2
import NetIO
import PushBuffers
import Synchronization

/// A target in this process that does what a test tells it, over plain HTTP/2, on one thread.
final class ScriptedTarget: Sendable {
    /// What becomes of a connection after something was done on it.
    enum After: Sendable {
        case goOn
        /// Writes what waits, then closes.
        case close
    }

    /// What a target does.
    struct Script: Sendable {
        var settings = SessionSettings()
        /// Bytes that are sent in place of HTTP/2; the connection stays open then and is not read.
        var noise: [UInt8]?
        /// Called once per connection, before its first byte.
        var opened: @Sendable (WireServerSession) -> After = { _ in .goOn }
        /// Called per request with its number on the connection, from 1.
        var requested: @Sendable (Int, RequestHandle, WireServerSession) -> After = {
            $2.respond(to: $1, with: ServerResponse(status: 200))
            return .goOn
        }
    }

    private final class Peer {
        let connection: Connection
        let session: WireServerSession?
        let output = IOBuffer(capacity: 1 << 16)
        var requests = 0
        var isClosing = false

        init(_ connection: Connection, _ session: WireServerSession?) {
            self.connection = connection
            self.session = session
        }
    }

    let port: UInt16
    private let wakeUp: WakeUp
    private let thread: Mutex<Thread>
    private let isOver = Atomic(false)
    /// Connections that were accepted.
    let connectionCount = Atomic(0)
    /// Requests answered with 200.
    let requestCount = Atomic(0)

    private struct Thread: @unchecked Sendable {
        // Safe to share: touched under the lock alone.
        var running: LoopThread?
    }

    /// Carries the listener to the thread.
    private struct Handover: @unchecked Sendable {
        // Safe to share: the maker keeps no reference.
        let listener: Listener
    }

    init(_ script: Script) throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        port = listener.port
        wakeUp = try WakeUp()
        thread = Mutex(Thread())
        let handover = Handover(listener: listener)
        let started = try LoopThread(name: "target") { [self] in
            try? serve(handover.listener, script)
        }
        thread.withLock { $0.running = started }
    }

    /// Ends the thread; every connection is closed.
    func stop() {
        isOver.store(true, ordering: .releasing)
        wakeUp.wake()
        thread.withLock {
            $0.running?.join()
            $0.running = nil
        }
    }

    private func serve(_ listener: Listener, _ script: Script) throws {
        let poller = try Poller()
        try poller.add(descriptor: listener.descriptor, id: 0, interest: .read)
        try poller.add(descriptor: wakeUp.descriptor, id: 1, interest: .read)
        var peers: [UInt64: Peer] = [:]
        var nextID: UInt64 = 2
        while !isOver.load(ordering: .acquiring) {
            for index in 0..<(try poller.wait(timeoutNanoseconds: nil)) {
                let event = poller.event(at: index)
                switch event.id {
                case 0:
                    while let connection = try listener.accept(tls: nil) {
                        connectionCount.add(1, ordering: .relaxed)
                        try poller.add(
                            descriptor: connection.descriptor,
                            id: nextID,
                            interest: [.read, .write]
                        )
                        let peer = open(connection, script)
                        if transfer(peer, script) { peers[nextID] = peer }
                        nextID += 1
                    }
                case 1: wakeUp.drain()
                default:
                    guard let peer = peers[event.id] else { continue }
                    if !transfer(peer, script) { peers[event.id] = nil }
                }
            }
        }
    }

    private func open(_ connection: Connection, _ script: Script) -> Peer {
        if let noise = script.noise {
            let peer = Peer(connection, nil)
            peer.output.append { output in noise.forEach { output.append($0) } }
            return peer
        }
        let session = WireServerSession(settings: script.settings)
        let peer = Peer(connection, session)
        if script.opened(session) == .close { peer.isClosing = true }
        return peer
    }

    /// Reads, answers and writes; false where the connection has ended.
    private func transfer(_ peer: Peer, _ script: Script) -> Bool {
        do {
            guard try peer.connection.advanceHandshake() == .established else { return true }
            if let session = peer.session {
                let buffer = IOBuffer(capacity: 1 << 16)
                let progress = try peer.connection.readAvailable(limit: .max, using: buffer) {
                    session.receive($0)
                    while !peer.isClosing, let handle = session.nextRequest() {
                        peer.requests += 1
                        peer.isClosing = script.requested(peer.requests, handle, session) == .close
                    }
                }
                if progress == .endOfStream { return false }
            }
            let flushed = try peer.connection.flush(peer.output) { output in
                peer.session?.drain(into: &output)
            }
            guard flushed == .drained, peer.isClosing else { return true }
            peer.connection.shutdownWriting()
            return false
        } catch { return false }
    }
}
