import Glibc
import NetIO
import PushBuffers
import PushModel
import Testing

/// Two ends of one connection in this process, moved by hand.
struct Loopback {
    /// How long a single wait may take before the test gives up, in nanoseconds.
    static let patience: UInt64 = 20_000_000_000

    /// Whether this machine has IPv6: containers often have none.
    static let hasIPv6 = (try? Listener(host: "::1", port: 0)) != nil

    let client: Connection
    let server: Connection

    /// Connects and shakes hands.
    static func establish(
        clientTLS: TLSContext? = nil,
        serverTLS: TLSContext? = nil,
        host: String = "127.0.0.1",
        serverName: String? = nil
    ) throws -> Loopback {
        let listener = try Listener(host: host, port: 0)
        let address = try SocketAddress.resolve(host: host, port: listener.port)[0]
        let client = try Connection.connect(to: address, tls: clientTLS, serverName: serverName)
        let server = try accept(from: listener, tls: serverTLS)
        try shakeHands(client, server)
        return Loopback(client: client, server: server)
    }

    /// Two ends under TLS with a new certificate for the address.
    static func establishTLS(releasesIdleBuffers: Bool = false) throws -> Loopback {
        let identity = try TLSIdentity.selfSigned(names: ["127.0.0.1"])
        let file = try TemporaryFile(identity.certificatePEM)
        return try establish(
            clientTLS: .client(.init(caFile: file.path)),
            serverTLS: .server(
                identity: identity,
                clientCAFile: nil,
                releasesIdleBuffers: releasesIdleBuffers
            )
        )
    }

    /// Waits for the connection that is on its way.
    static func accept(from listener: Listener, tls: TLSContext?) throws -> Connection {
        let poller = try Poller()
        try poller.add(descriptor: listener.descriptor, id: 0, interest: .read)
        while true {
            if let connection = try listener.accept(tls: tls) { return connection }
            try #require(try poller.wait(timeoutNanoseconds: patience) > 0, "nobody connected")
        }
    }

    /// Takes both handshakes to their end.
    static func shakeHands(_ client: Connection, _ server: Connection) throws {
        let poller = try Poller()
        let ends = [client, server]
        for (id, end) in ends.enumerated() {
            try poller.add(descriptor: end.descriptor, id: UInt64(id), interest: [])
        }
        while true {
            var isDone = true
            for (id, end) in ends.enumerated() {
                let interest: Poller.Interest
                switch try end.advanceHandshake() {
                case .established: interest = []
                case .wantsRead: interest = .read
                case .wantsWrite: interest = .write
                }
                isDone = isDone && interest.isEmpty
                try poller.modify(descriptor: end.descriptor, id: UInt64(id), interest: interest)
            }
            if isDone { return }
            try #require(
                try poller.wait(timeoutNanoseconds: patience) > 0,
                "the handshake stands still"
            )
        }
    }

    /// Sends `bytes` from one end to the other, which must get just these; returns what it got.
    static func transfer(
        _ bytes: [UInt8],
        from sender: Connection,
        to receiver: Connection,
        output: IOBuffer = IOBuffer(capacity: 65_536),
        input: IOBuffer = IOBuffer(capacity: 32_768),
        limit: Int = .max
    ) throws -> [UInt8] {
        let poller = try Poller()
        try poller.add(descriptor: receiver.descriptor, id: 0, interest: .read)
        try poller.add(descriptor: sender.descriptor, id: 1, interest: [])
        var position = 0
        var received: [UInt8] = []
        while received.count < bytes.count {
            let progress = try sender.flush(output) { free in
                let count = min(free.freeCapacity, bytes.count - position)
                free.append(contentsOf: bytes.span.bytes.extracting(position..<position + count))
                position += count
            }
            if progress == .drained { #expect(output.isEmpty && position == bytes.count) }
            try poller.modify(
                descriptor: sender.descriptor,
                id: 1,
                interest: progress == .blocked ? .write : []
            )
            var isDrained = false
            while !isDrained {
                let progress = try receiver.readAvailable(limit: limit, using: input) { piece in
                    piece.withUnsafeBytes { received.append(contentsOf: $0) }
                }
                isDrained = progress != .moreToRead
                #expect(progress != .endOfStream)
            }
            guard received.count < bytes.count else { break }
            try #require(try poller.wait(timeoutNanoseconds: patience) > 0, "no bytes come")
        }
        return received
    }

    /// Reads until the stream ends and returns what came before.
    static func readToEnd(_ receiver: Connection) throws -> [UInt8] {
        let poller = try Poller()
        try poller.add(descriptor: receiver.descriptor, id: 0, interest: .read)
        let input = IOBuffer(capacity: 32_768)
        var received: [UInt8] = []
        while true {
            let progress = try receiver.readAvailable(limit: .max, using: input) { piece in
                piece.withUnsafeBytes { received.append(contentsOf: $0) }
            }
            if progress == .endOfStream { return received }
            try #require(try poller.wait(timeoutNanoseconds: patience) > 0, "no end comes")
        }
    }
}

/// Bytes that a seed fixes.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    var words = count / 8 + 1
    // Word by word: byte by byte takes seconds in a debug build.
    return [UInt8](unsafeUninitializedCapacity: words * 8) { buffer, initialized in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        while words > 0 {
            words -= 1
            bytes.storeBytes(of: random.next(), toByteOffset: words * 8, as: UInt64.self)
        }
        initialized = count
    }
}

/// Whether the bytes are the same; `==` takes seconds for megabytes in a debug build.
func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && memcmp(left, right, left.count) == 0
}
