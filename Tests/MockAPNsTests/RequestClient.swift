import CNghttp2
import NetIO
import PushBuffers

@testable import MockAPNs

/// A blocking HTTP/2 client on libnghttp2 for any request: method, path and fields just as given.
final class RequestClient {
    /// The whole answer to a request.
    struct Answer: Equatable {
        var status = 0
        var fields: [String: String] = [:]
        var body = ""

        /// Status and body in one line.
        var line: String { body.isEmpty ? "\(status)" : "\(status) \(body)" }
    }

    /// Why a wait ended otherwise than awaited.
    struct Closed: Error {}

    /// Kept, so that it does not stop while the client lives.
    private let server: MockServer
    private let connection: NetIO.Connection
    private let poller: Poller
    private let exchange = NGHTTP2Exchange()
    private let authority: String
    private let scheme: String
    private let input = IOBuffer(capacity: 1 << 16)

    /// Connects to `server`, trusting its certificate.
    init(_ server: MockServer, identity: TLSIdentity? = nil) throws {
        self.server = server
        var tls: TLSContext?
        if let pem = server.certificatePEM {
            try Scratch.withFile(pem) { path in
                tls = try .client(.init(caFile: path, identity: identity))
            }
        }
        scheme = tls == nil ? "http" : "https"
        authority = "\(server.host):\(server.port)"
        let address = try SocketAddress.resolve(host: server.host, port: server.port)[0]
        connection = try .connect(to: address, tls: tls, serverName: nil)
        poller = try Poller()
        try poller.add(descriptor: connection.descriptor, id: 0, interest: [.read, .write])
        while true {
            switch try connection.advanceHandshake() {
            case .established:
                while !exchange.hasSettings { try transfer() }
                return
            case .wantsRead: try wait(for: .read)
            case .wantsWrite: try wait(for: .write)
            }
        }
    }

    /// Sends a request and waits for its answer.
    func send(
        _ method: String,
        _ path: String,
        _ fields: [(name: String, value: String)] = [],
        body: String = ""
    ) throws -> Answer {
        let all =
            [
                (":method", method), (":scheme", scheme), (":authority", authority),
                (":path", path),
            ] + fields
        let stream = exchange.submit(all, body: Array(body.utf8))
        while true {
            if let answer = exchange.takeAnswer(of: stream) { return answer }
            guard !exchange.refused.contains(stream) else { throw Closed() }
            try transfer()
        }
    }

    /// How many streams the mock allows, as it has told so far.
    var streamLimit: UInt32 { exchange.streamLimit }

    /// Waits for GOAWAY and gives its debug data.
    func goAway() throws -> String {
        while true {
            if let text = exchange.goAway { return text }
            try transfer()
        }
    }

    private func transfer() throws {
        var output = exchange.output()[...]
        while !output.isEmpty {
            switch try Array(output).withBytes({ try connection.write($0) }) {
            case .bytes(let count): output = output.dropFirst(count)
            case .wouldBlock: try wait(for: .write)
            }
        }
        var progress = try read()
        if !progress.hasCome, !progress.isAtEnd {
            try wait(for: .read)
            progress = try read()
        }
        if progress.isAtEnd, !progress.hasCome { throw Closed() }
    }

    private func read() throws -> (hasCome: Bool, isAtEnd: Bool) {
        var hasCome = false
        let progress = try connection.readAvailable(limit: 1 << 20, using: input) { bytes in
            hasCome = true
            exchange.receive(bytes)
        }
        return (hasCome, progress == .endOfStream)
    }

    private func wait(for interest: Poller.Interest) throws {
        try poller.modify(descriptor: connection.descriptor, id: 0, interest: interest)
        _ = try poller.wait(timeoutNanoseconds: nil)
    }
}

extension [UInt8] {
    fileprivate func withBytes<R>(_ use: (RawSpan) throws -> R) rethrows -> R {
        try use(span.bytes)
    }
}
