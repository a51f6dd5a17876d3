import CAllocCounter
import Glibc
import NetIO
import PushBuffers
import PushModel
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    /// The ways in which two ends can be connected.
    enum Kind: CaseIterable {
        case plain
        case tls
        case tlsReleasingBuffers

        func establish() throws -> Loopback {
            switch self {
            case .plain: try .establish()
            case .tls: try .establishTLS()
            case .tlsReleasingBuffers: try .establishTLS(releasesIdleBuffers: true)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func carriesBytesBothWays(kind: Kind) throws {
        let pair = try kind.establish()
        let request = pattern(1000, seed: 1)
        let answer = pattern(500, seed: 2)
        #expect(try Loopback.transfer(request, from: pair.client, to: pair.server) == request)
        #expect(try Loopback.transfer(answer, from: pair.server, to: pair.client) == answer)
    }

    @Test(arguments: Kind.allCases)
    func carriesMoreThanTheSocketHolds(kind: Kind) throws {
        let pair = try kind.establish()
        let bytes = pattern(16_000_000)
        let received = try Loopback.transfer(bytes, from: pair.client, to: pair.server)
        #expect(areSame(received, bytes))
    }

    @Test(arguments: Kind.allCases, [1 as UInt64, 2, 3])
    func carriesAnyAmountThroughBuffersOfAnySize(kind: Kind, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pair = try kind.establish()
        for round in 0..<40 {
            let bytes = pattern(Int.random(in: 1...100_000, using: &random), seed: UInt64(round))
            let received = try Loopback.transfer(
                bytes,
                from: pair.client,
                to: pair.server,
                output: IOBuffer(capacity: Int.random(in: 1000...70_000, using: &random)),
                input: IOBuffer(capacity: Int.random(in: 100...40_000, using: &random)),
                limit: Int.random(in: 1...50_000, using: &random)
            )
            #expect(areSame(received, bytes))
        }
    }

    @Test(arguments: Kind.allCases)
    func readsNothingWhileNothingCame(kind: Kind) throws {
        let pair = try kind.establish()
        let input = IOBuffer(capacity: 100)
        let progress = try pair.client.readAvailable(limit: 100, using: input) { _ in
            Issue.record("nothing was sent")
        }
        #expect(progress == .drained)
        #expect(try readOnce(pair.client) == .wouldBlock)
    }

    @Test(arguments: Kind.allCases)
    func stopsReadingAtTheLimitAndSaysSo(kind: Kind) throws {
        let pair = try kind.establish()
        try send(pattern(10_000), from: pair.client)
        try waitUntilReadable(pair.server)
        let input = IOBuffer(capacity: 100)
        var count = 0
        let progress = try pair.server.readAvailable(limit: 250, using: input) {
            count += $0.byteCount
        }
        #expect(progress == .moreToRead)
        // The limit is looked at before each read of at most 100.
        #expect(count == 300)
        #expect(input.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func keepsWhatTheSocketDoesNotTake(kind: Kind) throws {
        let pair = try kind.establish()
        let bytes = pattern(16_000_000)
        let output = IOBuffer(capacity: 65_536)
        var position = 0
        let refill: (inout OutputRawSpan) -> Void = { free in
            let count = min(free.freeCapacity, bytes.count - position)
            free.append(contentsOf: bytes.span.bytes.extracting(position..<position + count))
            position += count
        }
        #expect(try pair.client.flush(output, refill: refill) == .blocked)
        #expect(position < bytes.count)
        #expect(!output.isEmpty)
        #expect(try pair.client.flush(output, refill: refill) == .blocked)
        var received: [UInt8] = []
        let input = IOBuffer(capacity: 32_768)
        while received.count < bytes.count {
            _ = try pair.server.readAvailable(limit: 1 << 20, using: input) { piece in
                piece.withUnsafeBytes { received.append(contentsOf: $0) }
            }
            _ = try pair.client.flush(output, refill: refill)
        }
        #expect(areSame(received, bytes))
        #expect(try pair.client.flush(output, refill: refill) == .drained)
    }

    /// A segment that waits for more would go out only after a fifth of a second.
    @Test(arguments: Kind.allCases, [1, 16_384, 16_385, 20_000, 50_000, 60_000])
    func holdsNothingBackAfterAFlush(kind: Kind, count: Int) throws {
        let pair = try kind.establish()
        try send(pattern(count), from: pair.client, capacity: 33_000)
        var unsent: CInt = -1
        let outputQueueNotSent: CUnsignedLong = 0x894B
        #expect(ioctl(pair.client.descriptor, outputQueueNotSent, &unsent) == 0)
        #expect(unsent == 0)
    }

    @Test(arguments: Kind.allCases)
    func tellsTheEndOfTheStreamAfterTheLastByte(kind: Kind) throws {
        let pair = try kind.establish()
        let bytes = pattern(5000)
        try send(bytes, from: pair.client)
        pair.client.shutdownTLS()
        pair.client.close()
        #expect(try Loopback.readToEnd(pair.server) == bytes)
    }

    /// Many HTTP/2 peers leave TLS's goodbye out.
    @Test(arguments: Kind.allCases)
    func takesAMissingGoodbyeForTheEndOfTheStream(kind: Kind) throws {
        let pair = try kind.establish()
        let bytes = pattern(5000)
        try send(bytes, from: pair.client)
        pair.client.close()
        #expect(try Loopback.readToEnd(pair.server) == bytes)
    }

    @Test(arguments: Kind.allCases)
    func partsWellFromAPeerThatIsStillSending(kind: Kind) throws {
        let pair = try kind.establish()
        let bytes = pattern(5000)
        try send(pattern(3000), from: pair.client)
        try send(bytes, from: pair.server)
        pair.server.shutdownWriting()
        try send(pattern(3000), from: pair.client)
        #expect(try Loopback.readToEnd(pair.client) == bytes)
        pair.client.close()
        #expect(try Loopback.readToEnd(pair.server).count == 6000)
    }

    @Test(arguments: Kind.allCases)
    func aResetIsAnErrorForThePeer(kind: Kind) throws {
        let pair = try kind.establish()
        pair.client.closeWithReset()
        let error = #expect(throws: NetIOError.self) { try Loopback.readToEnd(pair.server) }
        guard case .connectionBroken(_, ECONNRESET) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: Kind.allCases)
    func writingToAGonePeerIsAnErrorAndNoSignal(kind: Kind) throws {
        let pair = try kind.establish()
        pair.server.closeWithReset()
        let error = #expect(throws: NetIOError.self) {
            let byte: [UInt8] = [1]
            // The first writes may go into the void before the reset has come.
            while true { _ = try pair.client.write(byte.span.bytes) }
        }
        guard case .connectionBroken = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: Kind.allCases)
    func aClosedConnectionRefusesEverything(kind: Kind) throws {
        let pair = try kind.establish()
        pair.client.close()
        pair.client.close()
        pair.client.closeWithReset()
        pair.client.shutdownTLS()
        #expect(pair.client.descriptor == -1)
        #expect(!pair.client.isEstablished)
        #expect(throws: NetIOError.closed) { try send([1], from: pair.client) }
        #expect(throws: NetIOError.closed) { try readOnce(pair.client) }
        #expect(throws: NetIOError.closed) { try pair.client.advanceHandshake() }
    }

    @Test func isClosedWhenItIsGone() throws {
        let server: Connection
        do {
            let pair = try Loopback.establish()
            server = pair.server
        }
        #expect(try Loopback.readToEnd(server) == [])
    }

    @Test func refusedConnectionSaysSo() throws {
        // Bound but not listening, so that nobody else gets the port meanwhile.
        let holder = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { _ = Glibc.close(holder) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(holder, $0, length) == 0)
                #expect(getsockname(holder, $0, &length) == 0)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        #expect(throws: NetIOError.connectionRefused(address: "127.0.0.1:\(port)")) {
            let target = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
            let client = try Connection.connect(to: target, tls: nil, serverName: nil)
            let poller = try Poller()
            try poller.add(descriptor: client.descriptor, id: 0, interest: .write)
            while try client.advanceHandshake() != .established {
                _ = try poller.wait(timeoutNanoseconds: Loopback.patience)
            }
        }
    }

    @Test(.enabled(if: Loopback.hasIPv6, "this machine has no IPv6"))
    func connectsOverIPv6() throws {
        let pair = try Loopback.establish(host: "::1")
        #expect(pair.client.peerAddress.isIPv6)
        let bytes = pattern(100)
        #expect(try Loopback.transfer(bytes, from: pair.client, to: pair.server) == bytes)
    }

    @Test func countsTheBytesOfTheWire() throws {
        let plain = try Loopback.establish()
        try send(pattern(1000), from: plain.client)
        #expect(plain.client.bytesSent == 1000)
        let tls = try Loopback.establishTLS()
        let before = tls.client.bytesSent
        try send(pattern(1000), from: tls.client)
        // A record's header is 5 bytes, TLS 1.3's type and tag are 17.
        #expect(tls.client.bytesSent - before == 1022)
    }

    @Test(arguments: Kind.allCases)
    func transfersWithoutAllocating(kind: Kind) throws {
        let pair = try kind.establish()
        let bytes = pattern(10_000)
        let output = IOBuffer(capacity: 65_536)
        let input = IOBuffer(capacity: 65_536)
        var received = 0
        func round() throws {
            var isWritten = false
            _ = try pair.client.flush(output) { free in
                guard !isWritten else { return }
                isWritten = true
                free.append(contentsOf: bytes.span.bytes)
            }
            _ = try pair.server.readAvailable(limit: .max, using: input) {
                received += $0.byteCount
            }
        }
        for _ in 0..<10 { try round() }
        let before = pb_thread_allocations()
        for _ in 0..<100 { try round() }
        let allocations = pb_thread_allocations() - before
        switch kind {
        case .plain: #expect(allocations == 0)
        // OpenSSL's own: two for each record at either end.
        case .tls: #expect(allocations <= 400)
        // And a buffer for each record.
        case .tlsReleasingBuffers: #expect(allocations <= 600)
        }
    }

    private func send(_ bytes: [UInt8], from connection: Connection, capacity: Int = 65_536) throws
    {
        var position = 0
        let output = IOBuffer(capacity: capacity)
        let progress = try connection.flush(output) { free in
            let count = min(free.freeCapacity, bytes.count - position)
            free.append(contentsOf: bytes.span.bytes.extracting(position..<position + count))
            position += count
        }
        #expect(progress == .drained)
    }

    @discardableResult
    private func readOnce(_ connection: Connection) throws -> ReadResult {
        let input = IOBuffer(capacity: 100)
        var result = ReadResult.wouldBlock
        try input.append { (free: inout OutputRawSpan) throws(NetIOError) in
            result = try connection.read(into: &free)
        }
        return result
    }

    private func waitUntilReadable(_ connection: Connection) throws {
        let poller = try Poller()
        try poller.add(descriptor: connection.descriptor, id: 0, interest: .read)
        try #require(try poller.wait(timeoutNanoseconds: Loopback.patience) > 0)
    }
}
