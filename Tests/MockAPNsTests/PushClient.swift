import HTTP2
import NetIO
import PushBuffers

@testable import MockAPNs

/// A blocking client over one connection, for tests: our own session over a real socket.
final class PushClient {
    /// Why a wait ended otherwise than awaited.
    struct Closed: Error {}

    let connection: NetIO.Connection
    let session: any ClientSession
    private let poller: Poller
    private let input = IOBuffer(capacity: 1 << 16)
    fileprivate let outputBuffer = IOBuffer(capacity: 1 << 16)
    private(set) var isAtEnd = false

    /// Connects to `server`, trusting its certificate, and waits until its SETTINGS allow streams.
    init(
        _ server: MockServer,
        authorization: String? = nil,
        topic: String = PushRequest.topic,
        indexing: RequestProfile.Indexing = .indexedAuth,
        engine: HTTP2Engine = .nghttp2,
        identity: TLSIdentity? = nil,
        maxStreams: Int = 1000
    ) throws {
        var tls: TLSContext?
        if let pem = server.certificatePEM {
            try Scratch.withFile(pem) { path in
                tls = try .client(.init(caFile: path, identity: identity))
            }
        }
        let address = try SocketAddress.resolve(host: server.host, port: server.port)[0]
        connection = try .connect(to: address, tls: tls, serverName: nil)
        let profile = RequestProfile(
            scheme: tls == nil ? "http" : "https",
            authority: "\(server.host):\(server.port)",
            fields: [
                .init(name: "apns-topic", value: topic),
                .init(name: "apns-push-type", value: "alert"),
            ],
            authorization: authorization,
            indexing: indexing
        )
        session = engine.makeClientSession(profile: profile, maxStreams: maxStreams)
        poller = try Poller()
        try poller.add(descriptor: connection.descriptor, id: 0, interest: [.read, .write])
        try shakeHands()
        while !session.hasPeerSettings { try transfer() }
    }

    private func shakeHands() throws {
        while true {
            switch try connection.advanceHandshake() {
            case .established: return
            case .wantsRead: try waitFor(.read)
            case .wantsWrite: try waitFor(.write)
            }
        }
    }

    @discardableResult
    fileprivate func waitFor(
        _ interest: Poller.Interest,
        nanoseconds: UInt64? = nil
    ) throws -> Bool {
        try poller.modify(descriptor: connection.descriptor, id: 0, interest: interest)
        return try poller.wait(timeoutNanoseconds: nanoseconds) > 0
    }

    /// Submits one push; false where no stream is free.
    @discardableResult
    func submit(token: String = PushRequest.token, body: String = "{}", tag: UInt32 = 0) -> Bool {
        session.submit(
            token: Array(token.utf8).span.bytes,
            body: Array(body.utf8).span.bytes,
            tag: tag
        )
    }

    /// Writes what the session has and reads until it has an event.
    func nextEvent() throws -> ClientEvent {
        while true {
            if let event = session.nextEvent() { return event }
            try transfer()
        }
    }

    /// The next answer as `status body`, for example `400 {"reason":"BadTopic"}`.
    func nextAnswer() throws -> String {
        while true {
            let event = try nextEvent()
            guard event.kind == .responded || event.kind == .goAway else { continue }
            let body = session.withResponseBody(of: event) {
                $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
            let head = event.kind == .goAway ? "GOAWAY" : "\(event.status)"
            return body.isEmpty ? head : "\(head) \(body)"
        }
    }

    /// Sends one push and gives its answer.
    func push(token: String = PushRequest.token, body: String = "{}") throws -> String {
        while !submit(token: token, body: body) { try transfer() }
        return try nextAnswer()
    }

    /// Reads until the mock closes the connection.
    func waitForEnd() throws {
        while !isAtEnd {
            do { try transfer() } catch is Closed {}
        }
    }

    /// Writes all output, then reads; where nothing has come, waits for input once.
    private func transfer() throws {
        guard !isAtEnd else { throw Closed() }
        let written = try connection.flush(outputBuffer) { session.drain(into: &$0) }
        // What came with the handshake's last bytes is announced by no event.
        if try receive() { return }
        if session.hasOutput || written == .blocked {
            try waitFor([.read, .write])
        } else {
            try waitFor(.read)
        }
        _ = try receive()
    }

    /// Reads what is there; whether that was something.
    fileprivate func receive() throws -> Bool {
        var hasCome = false
        let progress = try connection.readAvailable(limit: 1 << 20, using: input) {
            hasCome = true
            session.receive($0)
        }
        if progress == .endOfStream { isAtEnd = true }
        return hasCome || isAtEnd
    }
}

extension PushClient {
    /// Writes what the session has, without waiting for anything but the socket.
    func send() throws {
        while try connection.flush(outputBuffer, refill: { session.drain(into: &$0) }) == .blocked {
            try waitFor(.write)
        }
    }

    /// Whether anything, the end included, comes within so many nanoseconds.
    func hasInput(within nanoseconds: UInt64) throws -> Bool {
        try waitFor(.read, nanoseconds: nanoseconds)
    }

    /// Reads what is there.
    func receiveOnce() throws { _ = try receive() }
}
