import Foundation
import Testing

/// What a server learns of the name that it is called by: `:authority`, and SNI.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AddressTests {
    private static let names = [
        ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]"), ("127.0.0.1", "localhost"),
    ]

    @Test(arguments: names.filter { $0.0 != "::1" || hasIPv6 })
    func authorityIsTheTargetAsGiven(address: String, name: String) async throws {
        let folder = try Folder()
        let tls = try await SelfSigned(in: folder)
        let root = try folder.makeFolder("root")
        let server = try await ForeignServer.nghttpd(
            root: root,
            tls: tls,
            address: address,
            ["--verbose"]
        )
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "3",
            "--json",
            "--target",
            "https://\(name):\(server.port)",
            "--cacert",
            tls.cert
        )
        #expect(try outcome.account().rejected == ["HTTP 404": 3], "\(outcome.errors)")
        try await server.stop()
        let authority = ":authority: \(name):\(server.port)\n"
        #expect(server.program.text.contains(authority), "\(server.program.text)")
    }

    /// RFC 6066 section 3: names alone.
    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1", false), ("[::1]", "[::1]", false),
            ("127.0.0.1", "localhost", true),
        ].filter { $0.0 != "[::1]" || hasIPv6 }
    )
    func serverNameIsIndicatedOnlyWhereItIsAName(
        address: String,
        name: String,
        isIndicated: Bool
    ) async throws {
        let folder = try Folder()
        let tls = try await SelfSigned(in: folder)
        let server = try await ForeignServer(
            "openssl",
            [
                "s_server", "-accept", "\(address):0", "-cert", tls.cert, "-key", tls.key, "-www",
                "-alpn", "h2", "-tlsextdebug",
            ],
            package: "openssl"
        )
        let run = try Program(
            path: Program.binary(),
            [
                "run", "--installs", "3", "--target", "https://\(name):\(server.port)", "--cacert",
                tls.cert,
            ]
        )
        // The last extension of the hello.
        try await run.wait { server.program.text.contains("\"key share\"") }
        run.signal(SIGKILL)
        _ = try await run.finish()
        #expect(server.program.text.contains("\"server name\"") == isIndicated)
        try await server.stop()
    }

    @Test func systemsAuthoritiesAreTrusted() async throws {
        let folder = try Folder()
        let tls = try await SelfSigned(in: folder)
        let mock = try await RunningMock("--tls-cert", tls.cert, "--tls-key", tls.key)
        let words = ["run", "--installs", "20", "--target", mock.target, "--json"]
        let trusted = try await Program.pushbench(words, environment: ["SSL_CERT_FILE": tls.cert])
        #expect(trusted.code == 0, "\(trusted.errors)")
        #expect(try trusted.account() == Account(allAccepted: 20))
        expectSentence(
            try await Program.pushbench(words),
            code: 1,
            naming: ["certificate", "--cacert"]
        )
        _ = try await mock.stop()
    }

    @Test func certificateOfAnotherNameIsRefused() async throws {
        let folder = try Folder()
        let tls = try await SelfSigned(in: folder, names: "DNS:push.example.com")
        let mock = try await RunningMock("--tls-cert", tls.cert, "--tls-key", tls.key)
        expectSentence(
            try await Program.pushbench(
                ["run", "--installs", "20", "--target", mock.target, "--cacert", tls.cert]
            ),
            code: 1,
            naming: ["127.0.0.1", "a name or address that the certificate holds"]
        )
        _ = try await mock.stop()
    }
}
