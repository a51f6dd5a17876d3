import Testing

@testable import pushbench

/// How a target is called in requests, port 443 included, on which no test can listen.
@Suite struct TargetNameTests {
    @Test(arguments: [
        ("https://api.example.com", "api.example.com"),
        ("https://api.example.com:443", "api.example.com"),
        ("https://api.example.com:443/", "api.example.com"),
        ("https://api.example.com:2197", "api.example.com:2197"),
        ("http://api.example.com:80", "api.example.com"),
        ("http://api.example.com:443", "api.example.com:443"),
        ("https://127.0.0.1", "127.0.0.1"),
        ("https://[::1]", "[::1]"),
        ("https://[::1]:443", "[::1]"),
        ("https://[2001:db8::7]:8443", "[2001:db8::7]:8443"),
        ("https://[fe80::1%25eth0]:8443", "[fe80::1]:8443"),
    ])
    func authority(text: String, authority: String) throws {
        guard case .server(let endpoint) = try Target(text) else {
            Issue.record("\(text) is no server")
            return
        }
        #expect(endpoint.authority == authority)
        #expect(!endpoint.host.contains("["))
    }

    @Test(arguments: ["https://::1", "https://[::1", "https://", "ftp://a", "https://a:0", "a:443"])
    func whatIsNoTargetIsRefused(text: String) {
        #expect(throws: UsageError.self) { try Target(text) }
    }
}
