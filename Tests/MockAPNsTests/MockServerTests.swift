import Foundation
import HTTP2
import NetIO
import PushModel
import Testing

@testable import MockAPNs

/// The mock as a server, over loopback in this process, with our own client.
@Suite(.timeLimit(.minutes(5))) struct MockServerTests {
    private func start(
        _ transport: MockConfiguration.Transport = .plain,
        engine: HTTP2Engine = .wire,
        authentication: AuthenticationPolicy = .off,
        _ change: (inout MockConfiguration) -> Void = { _ in }
    ) throws -> MockServer {
        var configuration = MockConfiguration()
        configuration.transport = transport
        configuration.engine = engine
        configuration.rules.authentication = authentication
        change(&configuration)
        return try MockServer(configuration)
    }

    private static let now = Int64(Date().timeIntervalSince1970)

    @Test(arguments: [false, true], HTTP2Engine.allCases)
    func answersManyPushesOnSeveralConnectionsAndLoops(
        _ isTLS: Bool,
        _ engine: HTTP2Engine
    ) throws {
        let server = try start(isTLS ? .tls(nil) : .plain, engine: engine) { $0.loops = 3 }
        let clients = try (0..<6).map { _ in try PushClient(server) }
        for client in clients {
            var sent: UInt32 = 0
            var answered: Set<UInt32> = []
            while answered.count < 500 {
                while sent < 500, client.submit(body: #"{"n":\#(sent)}"#, tag: sent) { sent += 1 }
                let event = try client.nextEvent()
                #expect(event.kind == .responded)
                #expect(event.status == 200)
                answered.insert(event.tag)
            }
        }
        server.stop()
        let counts = server.statistics.counts()
        #expect(counts.requests == 3000)
        #expect(counts.accepted == 3000)
        #expect(counts.refused == 0)
        #expect(counts.connectionsOpened == 6)
        #expect(counts.connectionsClosed == 6)
        #expect(counts.protocolErrors == 0)
        #expect(counts.cpuNanoseconds > 0)
        // Dealt out in turn.
        for block in server.statistics.blocks {
            #expect(block.value(of: .connectionsClosed) == 2)
        }
    }

    @Test(arguments: HTTP2Engine.allCases)
    func refusesWithReasonAndTimestampAndGoesOn(_ engine: HTTP2Engine) throws {
        let server = try start(engine: engine) {
            $0.rules.script.setFate(
                .init(reason: ReasonCode(.unregistered), timestampMilliseconds: 1_700_000_000_123),
                ofToken: "dead"
            )
        }
        let client = try PushClient(server)
        #expect(try client.push(token: "abc") == #"400 {"reason":"BadDeviceToken"}"#)
        #expect(
            try client.push(token: "dead")
                == #"410 {"reason":"Unregistered","timestamp":1700000000123}"#
        )
        #expect(try client.push(body: "[") == #"400 {"reason":"PayloadInvalidJSON"}"#)
        let long = #"{"a":"\#(String(repeating: "x", count: 4096))"}"#
        #expect(try client.push(body: long) == #"413 {"reason":"PayloadTooLarge"}"#)
        let huge = #"{"a":"\#(String(repeating: "x", count: 300_000))"}"#
        #expect(try client.push(body: huge) == #"413 {"reason":"PayloadTooLarge"}"#)
        #expect(try client.push() == "200")
        let counts = server.statistics.counts()
        #expect(counts.requests == 6)
        #expect(counts.accepted == 1)
        #expect(counts.refused == 5)
        #expect(counts.refusals(named: "PayloadTooLarge") == 2)
    }

    @Test(arguments: RequestProfile.Indexing.allCases, HTTP2Engine.allCases)
    func readsTheAuthorizationHoweverItIsWritten(
        _ indexing: RequestProfile.Indexing,
        _ engine: HTTP2Engine
    ) throws {
        let tokens = try ProviderTokens()
        let server = try start(engine: engine, authentication: tokens.policy())
        // nghttp2 writes it as never indexed, our engine indexes it or not, as told.
        for clientEngine in HTTP2Engine.allCases {
            let client = try PushClient(
                server,
                authorization: tokens.authorization(issuedAt: Self.now),
                indexing: indexing,
                engine: clientEngine
            )
            for _ in 0..<3 { #expect(try client.push() == "200") }
        }
        let stranger = try PushClient(
            server,
            authorization: ProviderTokens().authorization(issuedAt: Self.now),
            indexing: indexing,
            engine: .wire
        )
        for _ in 0..<3 {
            #expect(try stranger.push() == #"403 {"reason":"InvalidProviderToken"}"#)
        }
    }

    @Test func remembersTheTokenOfEachConnectionApart() throws {
        let tokens = try ProviderTokens()
        let server = try start(authentication: .any)
        let client = try PushClient(server, authorization: tokens.authorization(issuedAt: Self.now))
        #expect(try client.push() == "200")
        client.session.setAuthorization(try tokens.authorization(issuedAt: Self.now - 1))
        #expect(try client.push() == #"429 {"reason":"TooManyProviderTokenUpdates"}"#)
        let other = try PushClient(
            server,
            authorization: tokens.authorization(issuedAt: Self.now - 1)
        )
        #expect(try other.push() == "200")
        let without = try PushClient(server)
        #expect(try without.push() == #"403 {"reason":"MissingProviderToken"}"#)
    }

    @Test func takesAClientCertificateInPlaceOfAToken() throws {
        let identity = try TLSIdentity.selfSigned(names: ["com.example.app"])
        let server = try Scratch.withFile(identity.certificatePEM) { path in
            try start(.tls(nil), authentication: .any) { $0.clientCAFile = path }
        }
        let client = try PushClient(server, identity: identity)
        #expect(try client.push() == "200")
        let without = try PushClient(server)
        #expect(try without.push() == #"403 {"reason":"MissingProviderToken"}"#)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func saysGoAwayWhenItStopsAndStopsTwice(_ engine: HTTP2Engine) throws {
        // On a host where no other test takes the port when it is free again.
        let server = try start(.tls(nil), engine: engine) { $0.host = "127.0.0.29" }
        let client = try PushClient(server)
        #expect(try client.push() == "200")
        server.stop()
        #expect(try client.nextAnswer() == #"GOAWAY {"reason":"Shutdown"}"#)
        try client.waitForEnd()
        server.stop()
        #expect(server.statistics.counts().connectionsClosed == 1)
        #expect(throws: (any Error).self) { try PushClient(server) }
    }

    @Test(arguments: HTTP2Engine.allCases)
    func closesAnIdleConnectionWithAReason(_ engine: HTTP2Engine) throws {
        let server = try start(engine: engine) { $0.idleTimeoutNanoseconds = 300_000_000 }
        let client = try PushClient(server)
        #expect(try client.nextAnswer() == #"GOAWAY {"reason":"IdleTimeout"}"#)
        try client.waitForEnd()
        server.stop()
        let counts = server.statistics.counts()
        #expect(counts[.connectionsIdledOut] == 1)
        #expect(counts.connectionsClosed == 1)
    }

    @Test func closesAConnectionWhoseHandshakeNeverComes() throws {
        let server = try start(.tls(nil)) { $0.handshakeTimeoutNanoseconds = 20_000_000 }
        let silent = try RawSocket(port: server.port)
        #expect(silent.readToEnd().isEmpty)
        server.stop()
        #expect(server.statistics.counts()[.handshakesTimedOut] == 1)
    }

    /// What a peer may begin and never finish; each takes a byte now and then at best.
    @Test(
        arguments: HTTP2Engine.allCases,
        [
            "",
            "50524920",
            // No SETTINGS behind the preface.
            "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a",
            // HEADERS of one field, and CONTINUATION never comes.
            "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a 000000040000000000 000001010000000001 83",
            // A request whose body never ends.
            "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a 000000040000000000 000006010400000001 838784410178 00000100000000000120",
        ]
    )
    func closesAConnectionThatNeverFinishesARequest(_ engine: HTTP2Engine, _ begun: String) throws {
        // Within which our client begins on a busy machine too.
        let server = try start(engine: engine) { $0.requestTimeoutNanoseconds = 1_000_000_000 }
        let client = try PushClient(server)
        let slow = try RawSocket(port: server.port)
        let digits = Array(begun.filter { $0 != " " })
        slow.send(
            try stride(from: 0, to: digits.count, by: 2).map {
                try #require(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
            }
        )
        _ = slow.readToEnd()
        // A connection without anything midway stays.
        #expect(try client.push() == "200")
        server.stop()
        let counts = server.statistics.counts()
        #expect(counts[.connectionsStalled] == 1)
        #expect(counts.protocolErrors == 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func closesAConnectionThatNeverReads(_ engine: HTTP2Engine) throws {
        let server = try start(engine: engine) {
            $0.requestTimeoutNanoseconds = 40_000_000
            // Answers without a body, which no window holds back.
            $0.rules.verification = .off
            // More than one turn reads: refusals that nobody reads end a connection by themselves.
            $0.settings.maxConcurrentStreams = 5000
        }
        let deaf = try RawSocket(port: server.port)
        deaf.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
        // HEADs without end; padded, so that one turn brings no
        // more than may be open at once.
        var streamID: UInt32 = 1
        var isTaken = true
        while isTaken {
            var frames: [UInt8] = []
            for _ in 0..<500 {
                frames += [0, 0, 112, 1, 0xD]
                frames += withUnsafeBytes(of: streamID.bigEndian) { Array($0) }
                frames += [100, 0x02, 4, 0x48, 0x45, 0x41, 0x44, 0x87, 0x84, 0x41, 1, 0x78]
                frames += [UInt8](repeating: 0, count: 100)
                streamID += 2
            }
            isTaken = deaf.send(frames)
        }
        server.stop()
        let counts = server.statistics.counts()
        #expect(counts[.connectionsStalled] == 1, "\(counts.json)")
    }

    @Test(arguments: HTTP2Engine.allCases)
    func closesAConnectionThatDoesNotSpeakHTTP2(_ engine: HTTP2Engine) throws {
        let server = try start(engine: engine)
        var generator = SplitMix64(seed: 7)
        let malformed: [[UInt8]] = [
            Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8),
            Array("POST /3/device/ab HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}".utf8),
            (0..<100).map { _ in UInt8.random(in: 0...255, using: &generator) },
            (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
            // A right preface, then noise.
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [UInt8](repeating: 0xFF, count: 200),
        ]
        for bytes in malformed {
            let socket = try RawSocket(port: server.port)
            socket.send(bytes)
            _ = socket.readToEnd()
        }
        // The others are served as before.
        #expect(try PushClient(server).push() == "200")
        server.stop()
        let counts = server.statistics.counts()
        #expect(counts.protocolErrors == UInt64(malformed.count))
        #expect(counts.connectionsClosed == counts.connectionsOpened)
        #expect(counts.requests == 1)
    }

    @Test func closesAConnectionWhoseHandshakeIsNoTLS() throws {
        let server = try start(.tls(nil))
        for bytes in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 0, count: 64)] {
            let socket = try RawSocket(port: server.port)
            socket.send(bytes)
            _ = socket.readToEnd()
        }
        #expect(try PushClient(server).push() == "200")
        server.stop()
        #expect(server.statistics.counts().handshakesFailed == 2)
        #expect(server.statistics.counts().connectionsClosed == 3)
    }

    @Test func refusesAPortThatIsTaken() throws {
        let server = try start()
        let address = "127.0.0.1:\(server.port)"
        #expect(throws: NetIOError.portInUse(address: address)) {
            _ = try start { $0.port = server.port }
        }
    }

    @Test func writesAReadyFileWithTheCertificateBesideIt() throws {
        let server = try start(.tls(nil))
        let path = Scratch.directory + "/pushbench-ready-\(UUID().uuidString)"
        try Data("leftover".utf8).write(to: URL(fileURLWithPath: path))
        ReadyFile.removeLeftover(at: path)
        #expect(!FileManager.default.fileExists(atPath: path))
        let readyFile = try ReadyFile(at: path, for: server)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(json["host"] as? String == "127.0.0.1")
        #expect(json["port"] as? Int == Int(server.port))
        let caFile = try #require(json["caFile"] as? String)
        #expect(try String(contentsOfFile: caFile, encoding: .utf8) == server.certificatePEM)
        let leftover = try FileManager.default.contentsOfDirectory(atPath: Scratch.directory)
            .filter { $0.hasPrefix(URL(fileURLWithPath: path).lastPathComponent) }
        #expect(leftover.count == 2)
        // Another mock's by now.
        try Data("other".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        readyFile.remove()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "other")
        #expect(!FileManager.default.fileExists(atPath: caFile))
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func readyFileNamesACertificateThatIsWrittenElsewhere() throws {
        let server = try start(.tls(nil))
        let path = Scratch.directory + "/pushbench-ready-\(UUID().uuidString)"
        try Scratch.withFile("") { caFile in
            try ReadyFile.writeCertificate(of: server, to: caFile)
            let readyFile = try ReadyFile(at: path, for: server, caFile: caFile)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let name = URL(fileURLWithPath: caFile).lastPathComponent
            #expect(text.contains(#"/\#(name)""#))
            #expect(!FileManager.default.fileExists(atPath: path + ".ca.pem"))
            readyFile.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(FileManager.default.fileExists(atPath: caFile))
        }
    }

    @Test func readyFileThatIsADeviceIsWrittenInPlace() throws {
        let server = try start()
        let readyFile = try ReadyFile(at: "/dev/null", for: server)
        readyFile.remove()
        ReadyFile.removeLeftover(at: "/dev/null")
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }

    @Test func leavesNoCertificateBesideAReadyFileThatCannotBeWritten() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString
        )
        let path = folder.appendingPathComponent("ready")
        // A folder in the file's place.
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try MockServer(MockConfiguration())
        defer { server.stop() }
        #expect(throws: ReadyFileError.self) {
            _ = try ReadyFile(at: path.path, for: server)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == ["ready"])
    }

    @Test func namesTheReadyFileThatCannotBeWritten() throws {
        let server = try start()
        let path = Scratch.directory + "/no-such-directory-\(UUID().uuidString)/ready"
        #expect(throws: ReadyFileError(path: path, errno: ENOENT)) {
            _ = try ReadyFile(at: path, for: server)
        }
    }
}
