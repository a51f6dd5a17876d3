import COpenSSL
@testable import NetIO
import PushBuffers
import Testing

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    private let identity: TLSIdentity
    private let caFile: TemporaryFile

    init() throws {
        identity = try TLSIdentity.selfSigned(names: ["localhost", "127.0.0.1", "::1"])
        caFile = try TemporaryFile(identity.certificatePEM)
    }

    @Test func agreesOnTheNewestVersionAndH2() throws {
        let pair = try establish()
        #expect(pair.client.tlsVersion == "TLSv1.3")
        #expect(pair.server.tlsVersion == "TLSv1.3")
        #expect(pair.client.tlsCipher?.contains("GCM") == true)
    }

    @Test func aPlainConnectionHasNoTLS() throws {
        let pair = try Loopback.establish()
        #expect(pair.client.tlsVersion == nil)
        #expect(pair.client.tlsCipher == nil)
        #expect(pair.server.peerCertificate == nil)
    }

    @Test func speaksTLS12WithAnOlderClient() throws {
        let (client, server) = try transport(serverTLS: serverContext())
        let peer = try BarePeer(
            clientOver: client,
            protocols: ["h2"],
            maximumVersion: TLS1_2_VERSION
        )
        try peer.shakeHands(with: server)
        #expect(server.tlsVersion == "TLSv1.2")
    }

    @Test func refusesAClientOfAnEarlierVersion() throws {
        let (client, server) = try transport(serverTLS: serverContext())
        let peer = try BarePeer(
            clientOver: client,
            protocols: ["h2"],
            maximumVersion: TLS1_1_VERSION
        )
        #expect(throws: NetIOError.self) { try peer.shakeHands(with: server) }
    }

    // MARK: - ALPN

    @Test(arguments: [["http/1.1"], ["http/1.0", "http/1.1"]])
    func serverRefusesAClientWithoutH2(protocols: [String]) throws {
        let (client, server) = try transport(serverTLS: serverContext())
        let peer = try BarePeer(clientOver: client, protocols: protocols)
        #expect(throws: NetIOError.noHTTP2(address: "\(server.peerAddress)")) {
            try peer.shakeHands(with: server)
        }
    }

    @Test(arguments: [["http/1.1", "h2"], []])
    func serverTakesH2FromALongerListAndAClientThatOffersNothing(protocols: [String]) throws {
        let (client, server) = try transport(serverTLS: serverContext())
        let peer = try BarePeer(clientOver: client, protocols: protocols)
        try peer.shakeHands(with: server)
        #expect(server.isEstablished)
    }

    @Test(arguments: [false, true])
    func clientRefusesAServerWithoutH2(refusesProtocols: Bool) throws {
        let (client, server) = try transport(
            clientTLS: .client(.init(insecure: true)),
            serverTLS: nil
        )
        let keyFile = try TemporaryFile(TestIdentities.serverKey)
        let certificateFile = try TemporaryFile(TestIdentities.serverCertificate)
        let peer = try BarePeer(
            serverOver: server,
            certificateFile: certificateFile.path,
            keyFile: keyFile.path,
            refusesProtocols: refusesProtocols
        )
        #expect(throws: NetIOError.noHTTP2(address: "\(client.peerAddress)")) {
            try peer.shakeHands(with: client)
        }
    }

    // MARK: - The server's certificate

    private static let hostsAndNames: [(host: String, serverName: String?)] = [
        ("127.0.0.1", nil), ("::1", nil), ("127.0.0.1", "localhost"), ("::1", "localhost"),
        ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "[::1]"), ("127.0.0.1", "localhost."),
        ("::1", "::1%lo"),
    ]

    @Test(arguments: hostsAndNames.filter { $0.host != "::1" || Loopback.hasIPv6 })
    func acceptsAnyNameOfTheCertificate(host: String, serverName: String?) throws {
        let pair = try establish(host: host, serverName: serverName)
        #expect(pair.client.isEstablished)
        #expect(pair.client.peerCertificate?.subject == "CN=localhost")
    }

    @Test(arguments: [
        ("push.example.com", X509_V_ERR_HOSTNAME_MISMATCH),
        ("127.0.0.2", X509_V_ERR_IP_ADDRESS_MISMATCH),
        ("::2", X509_V_ERR_IP_ADDRESS_MISMATCH),
    ])
    func refusesAnotherName(name: String, code: CInt) throws {
        let error = #expect(throws: NetIOError.self) { try establish(serverName: name) }
        guard case .certificateRejected(_, name, Int(code), let reason) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(reason.contains("mismatch"))
        #expect(error?.description.contains("a name or address that the certificate holds") == true)
    }

    @Test func refusesACertificateOfAnUnknownAuthority() throws {
        let other = try TLSIdentity.selfSigned(names: ["127.0.0.1"])
        let otherFile = try TemporaryFile(other.certificatePEM)
        for caFile in [otherFile.path, nil] {
            let error = #expect(throws: NetIOError.self) {
                try Loopback.establish(
                    clientTLS: .client(.init(caFile: caFile)),
                    serverTLS: serverContext()
                )
            }
            guard case .certificateRejected(_, "127.0.0.1", _, _) = error else {
                Issue.record("unexpected: \(String(describing: error))")
                return
            }
            #expect(error?.description.contains("--cacert") == true)
        }
    }

    @Test func theServerLearnsThatItsCertificateWasRefused() throws {
        let (client, server) = try transport(
            clientTLS: .client(.init()),
            serverTLS: serverContext()
        )
        #expect(throws: NetIOError.self) { try Loopback.shakeHands(client, server) }
        client.close()
        let error = #expect(throws: NetIOError.self) {
            try advanceToTheEnd(server)
        }
        guard case .tls(_, let detail) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(detail.contains("alert unknown ca"))
    }

    @Test func insecureAcceptsEveryCertificate() throws {
        let pair = try Loopback.establish(
            clientTLS: .client(.init(insecure: true)),
            serverTLS: serverContext(),
            serverName: "push.example.com"
        )
        #expect(pair.client.isEstablished)
    }

    // MARK: - The client's certificate

    @Test func serverSeesTheClientsCertificate() throws {
        let client = try TLSIdentity.selfSigned(names: ["client.example.com"])
        let clientFile = try TemporaryFile(client.certificatePEM)
        let pair = try Loopback.establish(
            clientTLS: .client(.init(caFile: caFile.path, identity: client)),
            serverTLS: .server(identity: identity, clientCAFile: clientFile.path)
        )
        let seen = try #require(pair.server.peerCertificate)
        #expect(seen.subject == "CN=client.example.com")
        #expect(seen.userID == nil)
        #expect(seen.topics == [])
        #expect(seen.der.starts(with: [0x30, 0x82]))
    }

    @Test func aClientMayShowNoCertificate() throws {
        let pair = try Loopback.establish(
            clientTLS: .client(.init(caFile: caFile.path)),
            serverTLS: .server(identity: identity, clientCAFile: caFile.path)
        )
        #expect(pair.server.peerCertificate == nil)
    }

    @Test func aServerThatAsksForNoneGetsNone() throws {
        let pair = try Loopback.establish(
            clientTLS: .client(.init(caFile: caFile.path, identity: identity)),
            serverTLS: serverContext()
        )
        #expect(pair.server.peerCertificate == nil)
    }

    @Test func serverRefusesAClientCertificateOfAnUnknownAuthority() throws {
        let stranger = try TLSIdentity.selfSigned(names: ["client.example.com"])
        let (client, server) = try transport(
            clientTLS: .client(.init(caFile: caFile.path, identity: stranger)),
            serverTLS: .server(identity: identity, clientCAFile: caFile.path)
        )
        let error = #expect(throws: NetIOError.self) { try Loopback.shakeHands(client, server) }
        guard case .certificateRejected = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test func serverTellsWhyAClientCertificateThatItLetPassIsNotTrusted() throws {
        let known = try TLSIdentity.selfSigned(names: ["known.example.com"])
        let stranger = try TLSIdentity.selfSigned(names: ["client.example.com"])
        let old = try TLSIdentity.selfSigned(names: ["old.example.com"], validDays: -3 ..< -1)
        let trusted = try TemporaryFile(known.certificatePEM + old.certificatePEM)
        for (client, reason) in [
            (known, nil), (old, "certificate has expired"), (stranger, "self-signed certificate"),
        ] {
            let pair = try Loopback.establish(
                clientTLS: .client(.init(caFile: caFile.path, identity: client)),
                serverTLS: .server(
                    identity: identity,
                    clientCAFile: trusted.path,
                    refusesUntrustedClients: false
                )
            )
            let seen = try #require(pair.server.peerCertificate)
            #expect(seen.rejection == reason)
        }
    }

    @Test func readsTopicsOfAnApplePushCertificate() throws {
        let client = try identityFiles(
            certificate: TestIdentities.pushCertificate,
            key: TestIdentities.pushKey
        )
        let clientCA = try TemporaryFile(TestIdentities.pushCertificate)
        let pair = try Loopback.establish(
            clientTLS: .client(.init(caFile: caFile.path, identity: client)),
            serverTLS: .server(identity: identity, clientCAFile: clientCA.path)
        )
        let seen = try #require(pair.server.peerCertificate)
        #expect(seen.userID == "com.example.app")
        #expect(seen.topics == ["com.example.app", "com.example.app.voip"])
        #expect(seen.subject == "CN=Push Ü,UID=com.example.app")
        #expect(!seen.isForDevelopment)
        #expect(!seen.isForProduction)
        #expect(seen.rejection == nil)
    }

    // MARK: - Peers that do not play along

    @Test func aPeerThatIsNotTLSIsAnError() throws {
        let (client, server) = try transport(
            clientTLS: .client(.init(insecure: true)),
            serverTLS: nil
        )
        let text = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        #expect(try server.write(text.span.bytes) == .bytes(text.count))
        let error = #expect(throws: NetIOError.self) { try advanceToTheEnd(client) }
        guard case .noTLS = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test func aPeerThatLeavesDuringTheHandshakeIsAnError() throws {
        let (client, server) = try transport(
            clientTLS: .client(.init(insecure: true)),
            serverTLS: nil
        )
        #expect(try client.advanceHandshake() == .wantsRead)
        let input = IOBuffer(capacity: 4096)
        let poller = try Poller()
        try poller.add(descriptor: server.descriptor, id: 0, interest: .read)
        _ = try poller.wait(timeoutNanoseconds: Loopback.patience)
        // Read first: closing with unread bytes would reset the connection.
        _ = try server.readAvailable(limit: 4096, using: input) { _ in }
        server.close()
        #expect(throws: NetIOError.closedDuringHandshake(address: "\(client.peerAddress)")) {
            try advanceToTheEnd(client)
        }
    }

    // MARK: - Helpers

    private func serverContext() throws -> TLSContext { try .server(identity: identity) }

    @discardableResult
    private func establish(
        host: String = "127.0.0.1",
        serverName: String? = nil
    ) throws -> Loopback {
        try Loopback.establish(
            clientTLS: .client(.init(caFile: caFile.path)),
            serverTLS: serverContext(),
            host: host,
            serverName: serverName
        )
    }

    /// Both ends with TCP connected and no TLS byte exchanged.
    private func transport(
        clientTLS: TLSContext? = nil,
        serverTLS: TLSContext?
    ) throws -> (Connection, Connection) {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: listener.port)[0]
        let client = try Connection.connect(to: address, tls: clientTLS, serverName: nil)
        let server = try Loopback.accept(from: listener, tls: serverTLS)
        if clientTLS == nil { #expect(try client.advanceHandshake() == .established) }
        return (client, server)
    }

    private func advanceToTheEnd(_ connection: Connection) throws {
        let poller = try Poller()
        try poller.add(descriptor: connection.descriptor, id: 0, interest: .read)
        while try connection.advanceHandshake() != .established {
            try #require(try poller.wait(timeoutNanoseconds: Loopback.patience) > 0)
        }
        // Under TLS 1.3 a server is done before it learns what its client thinks of it.
        _ = try Loopback.readToEnd(connection)
    }

    private func identityFiles(certificate: String, key: String) throws -> TLSIdentity {
        let certificateFile = try TemporaryFile(certificate)
        let keyFile = try TemporaryFile(key)
        return try .load(certificateFile: certificateFile.path, keyFile: keyFile.path)
    }
}
