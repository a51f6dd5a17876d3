import HTTP2
import NetIO

@testable import MockAPNs

/// A loop of the mock that has no thread: a test turns it by hand and looks at what each turn did.
final class HandTurnedLoop {
    let loop: MockLoop<WireServerSession>
    let statistics: MockStatistics
    /// What the turns so far have done, added up, and the most that one of them did.
    private(set) var total = TurnWork()
    private(set) var most = TurnWork()
    private let mailbox: LoopMailbox
    private let address: SocketAddress
    private let clientTLS: TLSContext?

    init(isTLS: Bool, _ change: (inout MockConfiguration) -> Void = { _ in }) throws {
        var configuration = MockConfiguration()
        configuration.rules.authentication = .off
        // Whatever is asked is accepted, by an answer without a body.
        configuration.rules.verification = .off
        change(&configuration)
        statistics = MockStatistics(loops: 1, reasons: configuration.rules.reasons)
        mailbox = try LoopMailbox()
        let listener = try Listener(host: "127.0.0.1", port: 0)
        address = listener.address
        var serverTLS: TLSContext?
        var clientTLS: TLSContext?
        if isTLS {
            let identity = try TLSIdentity.selfSigned(names: ["127.0.0.1"])
            serverTLS = try .server(identity: identity)
            try Scratch.withFile(identity.certificatePEM) { path in
                clientTLS = try .client(.init(caFile: path))
            }
        }
        self.clientTLS = clientTLS
        loop = try MockLoop(
            index: 0,
            configuration: configuration,
            statistics: statistics,
            channels: ChannelRegistry(),
            mailbox: mailbox,
            acceptor: Acceptor(
                listener: listener,
                tls: serverTLS,
                mailboxes: [mailbox],
                counters: statistics.blocks[0],
                report: { _ in }
            ),
            plan: configuration.personality.isPassive
                ? nil : PersonalityPlan(configuration.personality),
            makeSession: { WireServerSession(settings: $0) }
        )
    }

    /// Turns the loop once, without waiting for anything.
    func turn() {
        mailbox.wakeUp.wake()
        turnWhenDue()
    }

    /// Turns the loop until it serves so many connections: their handshakes are done on its side too.
    func turn(untilServing count: Int) {
        while loop.connections.all.count(where: { $0.session?.isMidway == false }) < count {
            turn()
        }
    }

    /// Turns the loop until it has counted so many requests: once, where the system delivers at once.
    func turn(untilRequests count: UInt64) {
        repeat { turn() } while statistics.counts().requests < count
    }

    /// Turns the loop once, when something is to be done.
    func turnWhenDue() {
        _ = loop.turn()
        let work = loop.work
        total.served += work.served
        total.arrivals += work.arrivals
        total.handshakeSteps += work.handshakeSteps
        total.announcements += work.announcements
        total.checked += work.checked
        most.served = max(most.served, work.served)
        most.arrivals = max(most.arrivals, work.arrivals)
        most.handshakeSteps = max(most.handshakeSteps, work.handshakeSteps)
        most.announcements = max(most.announcements, work.announcements)
        most.checked = max(most.checked, work.checked)
    }

    /// Forgets what the turns so far have done.
    func forgetWork() {
        total = TurnWork()
        most = TurnWork()
    }

    /// Begins a connection.
    func connect() throws -> HandTurnedClient {
        try HandTurnedClient(address, tls: clientTLS)
    }
}

/// A client that never waits.
final class HandTurnedClient {
    private let connection: NetIO.Connection
    private(set) var isEstablished = false
    private var output: [UInt8] = []

    fileprivate init(_ address: SocketAddress, tls: TLSContext?) throws {
        connection = try .connect(to: address, tls: tls, serverName: nil)
    }

    /// Takes the handshake as far as it goes, then says the preface.
    func advance() throws {
        guard !isEstablished, try connection.advanceHandshake() == .established else { return }
        isEstablished = true
        try send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
    }

    /// Sends bytes that the socket has room for.
    func send(_ bytes: [UInt8]) throws {
        guard try connection.write(bytes.span.bytes) == .bytes(bytes.count) else {
            throw PushClient.Closed()
        }
    }

    /// Sends a request that is accepted at once, and counted as one for a push.
    func ask(_ streamID: UInt32) throws {
        // GET, https, /, and an authority; END_STREAM and END_HEADERS.
        let block: [UInt8] = [0x82, 0x87, 0x84, 0x41, 1, 0x78]
        let id = streamID.bigEndian
        try send(
            [0, 0, UInt8(block.count), 1, 5] + withUnsafeBytes(of: id) { Array($0) } + block
        )
    }
}
