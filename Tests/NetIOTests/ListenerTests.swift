import Glibc
import NetIO
import Testing

@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    /// An address of this machine where no other test takes ports.
    private static let ownHost = "127.0.0.28"

    @Test func portZeroTakesAFreePort() throws {
        let first = try Listener(host: "127.0.0.1", port: 0)
        let second = try Listener(host: "127.0.0.1", port: 0)
        #expect(first.port != 0)
        #expect(first.port != second.port)
        #expect(first.address.description == "127.0.0.1:\(first.port)")
    }

    @Test func aPortInUseIsNamed() throws {
        let first = try Listener(host: "127.0.0.1", port: 0)
        let address = first.address.description
        let error = #expect(throws: NetIOError.portInUse(address: address)) {
            try Listener(host: "127.0.0.1", port: first.port)
        }
        #expect(error?.description.contains("another port") == true)
    }

    @Test func anAddressOfAnotherMachineIsRefused() {
        let error = #expect(throws: NetIOError.self) { try Listener(host: "192.0.2.1", port: 0) }
        #expect(error == .cannotListen(address: "192.0.2.1:0", errno: EADDRNOTAVAIL))
    }

    @Test func aPortIsFreeAgainWhenTheListenerIsGone() throws {
        var first: Listener? = try Listener(host: Self.ownHost, port: 0)
        let port = try #require(first?.port)
        // A connection that this side closes first lingers on the port.
        do {
            let address = try SocketAddress.resolve(host: Self.ownHost, port: port)[0]
            let client = try Connection.connect(to: address, tls: nil, serverName: nil)
            let server = try Loopback.accept(from: #require(first), tls: nil)
            try Loopback.shakeHands(client, server)
            server.close()
            #expect(try Loopback.readToEnd(client) == [])
        }
        first = nil
        #expect(try Listener(host: Self.ownHost, port: port).port == port)
    }

    @Test func aPortIsFreeAgainWhileAChildThatIsJustStartingHoldsACopy() throws {
        var first: Listener? = try Listener(host: Self.ownHost, port: 0)
        let port = try #require(first?.port)
        // What fork makes, until exec closes it.
        let copy = dup(try #require(first?.descriptor))
        defer { close(copy) }
        first = nil
        #expect(try Listener(host: Self.ownHost, port: port).port == port)
    }

    @Test func acceptsNothingWhileNobodyWaits() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        #expect(try listener.accept(tls: nil) == nil)
    }

    @Test func acceptsAllThatWait() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: listener.port)[0]
        let clients = try (0..<20).map { _ in
            try Connection.connect(to: address, tls: nil, serverName: nil)
        }
        var servers: [Connection] = []
        while servers.count < clients.count {
            servers.append(try Loopback.accept(from: listener, tls: nil))
        }
        #expect(try listener.accept(tls: nil) == nil)
        #expect(Set(servers.map(\.peerAddress)).count == clients.count)
    }

    @Test func runningOutOfDescriptorsIsNamed() async {
        await #expect(processExitsWith: .success) {
            let listener = try Listener(host: "127.0.0.1", port: 0)
            let address = try SocketAddress.resolve(host: "127.0.0.1", port: listener.port)[0]
            let client = try Connection.connect(to: address, tls: nil, serverName: nil)
            let poller = try Poller()
            try poller.add(descriptor: listener.descriptor, id: 0, interest: .read)
            while try poller.wait(timeoutNanoseconds: Loopback.patience) == 0 {}
            let next = dup(client.descriptor)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = rlim_t(next) + 5
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let error = NetIOError.tooManyOpenFiles(limit: UInt64(next) + 5)
            // Each time anew: what Dispatch had open for a moment it may have closed again.
            func takeAllDescriptors() { while dup(client.descriptor) >= 0 {} }
            takeAllDescriptors()
            #expect(throws: error) { try listener.accept(tls: nil) }
            takeAllDescriptors()
            #expect(throws: error) {
                try Connection.connect(to: address, tls: nil, serverName: nil)
            }
            takeAllDescriptors()
            #expect(throws: error) { try Poller() }
            takeAllDescriptors()
            #expect(throws: error) { try WakeUp() }
        }
    }
}
