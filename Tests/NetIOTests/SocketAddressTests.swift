import NetIO
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:443", false), ("::1", "[::1]:443", true),
        ("[::1]", "[::1]:443", true), ("0:0:0:0:0:0:0:1", "[::1]:443", true),
        ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:443", true),
    ])
    func understandsAddresses(host: String, description: String, isIPv6: Bool) throws {
        let addresses = try SocketAddress.resolve(host: host, port: 443)
        #expect(addresses.count == 1)
        #expect(addresses[0].description == description)
        #expect(addresses[0].isIPv6 == isIPv6)
        #expect(addresses[0].port == 443)
    }

    /// Longer than a part of a name may be: no name service is asked, however it would answer.
    private static let tooLong = String(repeating: "h", count: 64) + ".invalid"

    @Test func findsLocalhost() throws {
        let addresses = try SocketAddress.resolve(host: "localhost", port: 2197)
        #expect(addresses.contains { $0.host == "127.0.0.1" || $0.host == "::1" })
        #expect(Set(addresses).count == addresses.count)
    }

    @Test(arguments: ["", "[]", "a b", "256.0.0.1", tooLong, "local\0host"])
    func saysWhichHostItCannotFind(host: String) {
        let error = #expect(throws: NetIOError.self) {
            try SocketAddress.resolve(host: host, port: 443)
        }
        guard case .cannotResolve(host, _) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test func isEqualToTheSameAddressAndPortOnly() throws {
        let first = try SocketAddress.resolve(host: "127.0.0.1", port: 1)[0]
        #expect(try first == SocketAddress.resolve(host: "127.0.0.1", port: 1)[0])
        #expect(try first != SocketAddress.resolve(host: "127.0.0.1", port: 2)[0])
        #expect(try first != SocketAddress.resolve(host: "127.0.0.2", port: 1)[0])
        #expect(try first != SocketAddress.resolve(host: "::1", port: 1)[0])
    }
}
