import Foundation
import Testing

/// Our client against servers that others wrote, with bodies of 4 KB: small windows, few streams, no
/// header table, answers before the body, and connections that end after a few requests.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InteroperationTests {
    private static let engines = ["wire", "nghttp2"]

    /// What a test of a server needs: its folder, its certificate, a message that fills APNs' limit,
    /// and the audience.
    private struct Stage {
        let folder: Folder
        let tls: SelfSigned
        let message: String
        let installs: String

        let pushes: Int

        init(pushes: Int = 400) async throws {
            self.pushes = pushes
            folder = try Folder()
            tls = try await SelfSigned(in: folder)
            let text = String(repeating: "four kilobytes ", count: 266)
            message = try folder.write(
                "message.json",
                #"{"dialect":"apns","aps":{"alert":{"title":"T","body":"\#(text)"}}}"#
            )
            installs = folder.path + "/installs.csv"
            let words = ["installs", "generate", "--count", "\(pushes)", "--out", installs]
            try #require(try await Program.pushbench(words).code == 0)
        }

        /// Sends to a server.
        func run(
            against server: ForeignServer,
            engine: String,
            _ flags: [String] = []
        ) async throws -> Program.Outcome {
            try await Program.pushbench(
                [
                    "run", "--message", message, "--installs", installs, "--engine", engine,
                    "--target", "https://127.0.0.1:\(server.port)", "--cacert", tls.cert, "--json",
                ] + flags
            )
        }

        /// Sends to a server and expects each push to be accepted, once.
        @discardableResult
        func send(
            to server: ForeignServer,
            engine: String,
            _ flags: [String] = [],
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> JSONNode {
            let outcome = try await run(against: server, engine: engine, flags)
            let said = "\(outcome.errors)\n\(server.program.errors.suffix(2000))"
            #expect(outcome.code == 0, "\(said)", sourceLocation: sourceLocation)
            let result = try outcome.json()
            let account = Account(of: result["runs"][0])
            #expect(
                account == Account(allAccepted: pushes),
                "\(said)",
                sourceLocation: sourceLocation
            )
            #expect(result["workload"]["bodyBytes"]["max"].int ?? 0 > 4000)
            return result
        }
    }

    // MARK: - nghttpd

    /// Windows are 2^N - 1 bytes there.
    @Test(
        arguments: [
            ["--max-concurrent-streams=1"],
            ["--max-concurrent-streams=100", "--window-bits=10", "--connection-window-bits=16"],
            ["--window-bits=16", "--header-table-size=0"],
            ["--window-bits=10", "--connection-window-bits=10", "--early-response"],
        ],
        engines
    )
    func nghttpdTakesEveryPush(flags: [String], engine: String) async throws {
        let stage = try await Stage()
        let root = try stage.folder.makeFolder("root")
        _ = try stage.folder.makeFolder("root/3/device")
        let lines = try String(contentsOfFile: stage.installs, encoding: .utf8)
        for line in lines.split(separator: "\n").dropFirst() {
            let token = try #require(line.split(separator: ",").first)
            try stage.folder.write("root/3/device/\(token)", "")
        }
        let server = try await ForeignServer.nghttpd(root: root, tls: stage.tls, flags)
        let result = try await stage.send(to: server, engine: engine)
        #expect(result["runs"][0]["connections"].elements.count == 1)
        try await server.stop()
    }

    // MARK: - nginx

    /// `http2_body_preread_size` is the streams' initial window.
    @Test(
        arguments: [
            ("http2_max_concurrent_streams 1;", true),
            ("http2_max_concurrent_streams 100; http2_body_preread_size 65535;", true),
            ("http2_max_concurrent_streams 100; http2_body_preread_size 1024;", true),
            ("http2_max_concurrent_streams 100; http2_body_preread_size 1024;", false),
            ("http2_max_concurrent_streams 100; http2_body_preread_size 0;", true),
        ],
        engines
    )
    func nginxTakesEveryPush(
        kind: (settings: String, readsBodies: Bool),
        engine: String
    ) async throws {
        let stage = try await Stage()
        let server = try await ForeignServer.nginx(
            in: stage.folder,
            tls: stage.tls,
            settings: kind.settings,
            readsBodies: kind.readsBodies
        )
        let result = try await stage.send(to: server, engine: engine)
        #expect(result["runs"][0]["connections"].elements.count == 1)
        try await server.stop()
    }

    @Test(arguments: engines)
    func nginxThatNegotiatesTLS12TakesEveryPush(engine: String) async throws {
        let stage = try await Stage()
        let server = try await ForeignServer.nginx(
            in: stage.folder,
            tls: stage.tls,
            settings: "ssl_protocols TLSv1.2;",
            readsBodies: true
        )
        let result = try await stage.send(to: server, engine: engine)
        #expect(result["workload"]["tls"].string == "TLSv1.2")
        try await server.stop()
    }

    /// nginx says GOAWAY after so many requests, and refuses those that were under way.
    @Test(arguments: [("keepalive_requests 50;", 2), ("keepalive_requests 20;", 1)], engines)
    func nginxThatEndsConnectionsTakesEveryPush(
        kind: (settings: String, connections: Int),
        engine: String
    ) async throws {
        // Enough that pushes at the end are refused many times.
        let stage = try await Stage(pushes: 1000)
        let server = try await ForeignServer.nginx(
            in: stage.folder,
            tls: stage.tls,
            settings: "http2_max_concurrent_streams 100; \(kind.settings)",
            readsBodies: true
        )
        let result = try await stage.send(
            to: server,
            engine: engine,
            ["--loops", "1", "--connections", "\(kind.connections)"]
        )
        #expect(result["runs"][0]["connections"].elements.count >= 20)
        try await server.stop()
    }

    // MARK: - Apache

    @Test(
        arguments: [
            "H2MaxSessionStreams 1", "H2MaxSessionStreams 100\nH2WindowSize 65535",
            "H2MaxSessionStreams 100\nH2WindowSize 1024",
            "H2MaxSessionStreams 100\nMaxKeepAliveRequests 20",
        ],
        engines
    )
    func apacheTakesEveryPush(settings: String, engine: String) async throws {
        let stage = try await Stage()
        let server = try await ForeignServer.apache(
            in: stage.folder,
            tls: stage.tls,
            settings: settings
        )
        try await stage.send(to: server, engine: engine)
        try await server.stop()
    }

    // MARK: - lighttpd, h2o, Caddy

    /// lighttpd allows 8 streams, and refuses every POST without a `content-length`.
    @Test(arguments: engines)
    func lighttpdAnswersEveryPush(engine: String) async throws {
        let stage = try await Stage(pushes: 1000)
        let server = try await ForeignServer.lighttpd(in: stage.folder, tls: stage.tls)
        let result = try await stage.send(to: server, engine: engine)
        #expect(result["runs"][0]["connections"].elements.count == 1)
        try await server.stop()
    }

    /// h2o allows 100 streams.
    @Test(arguments: engines)
    func h2oTakesEveryPush(engine: String) async throws {
        let stage = try await Stage(pushes: 1000)
        let server = try await ForeignServer.h2o(in: stage.folder, tls: stage.tls)
        let result = try await stage.send(to: server, engine: engine)
        #expect(result["runs"][0]["connections"].elements.count == 1)
        try await server.stop()
    }

    /// Caddy allows 250 streams, answers at the headers, and counts the streams on whose body it has
    /// not read; what is then over its limit it resets, which must lose nothing.
    @Test(arguments: engines)
    func caddyTakesEveryPush(engine: String) async throws {
        let stage = try await Stage(pushes: 5000)
        let server = try await ForeignServer.caddy(in: stage.folder, tls: stage.tls)
        try await stage.send(to: server, engine: engine)
        try await server.stop()
    }
}
