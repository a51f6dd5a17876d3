import Foundation
import HTTP2
import Metrics
import MockAPNs
import NetIO
import PushModel
import Results

/// `pushbench mock`: a local APNs.
enum MockCommand {
    static let spec = CommandSpec(
        name: "mock",
        summary:
            "Answers like APNs, on loopback, until SIGINT or SIGTERM; then prints its counters.",
        flags: [
            .init(name: "port", value: "P", help: "Port; 0 is any free one (default 0)."),
            .init(name: "host", value: "H", help: "Address to listen on (default 127.0.0.1)."),
            .init(name: "plain", value: nil, help: "HTTP/2 without TLS, by prior knowledge (h2c)."),
            .init(
                name: "tls-cert",
                value: "FILE",
                help: "Certificate chain, PEM; else a self-signed one is made."
            ),
            .init(name: "tls-key", value: "FILE", help: "Its private key, PEM."),
            .init(
                name: "ready-file",
                value: "FILE",
                help: "Write host, port and CA file there, as JSON, once it listens; removed at "
                    + "the end."
            ),
            .init(
                name: "ca-out",
                value: "FILE",
                help: "Write the certificate to trust there, PEM (default: beside the ready file)."
            ),
            .init(
                name: "record",
                value: "FILE",
                help: "Write every request and its answer there, one JSON object a line, without "
                    + "its authorization; - is stdout, and the counters go to stderr then."
            ),
            .init(
                name: "auth",
                value: "off|any|FILE.pem",
                help: SenderFlags.authHelp,
                isRepeatable: true
            ),
            .init(
                name: "client-ca",
                value: "FILE",
                help:
                    "CA whose client certificates are taken, PEM; a push may go to the topics that "
                    + "its certificate names."
            ),
            .init(
                name: "broadcast-app",
                value: "B",
                help: "Bundle id that may broadcast; give it once for each (default: all may).",
                isRepeatable: true
            ),
            .init(
                name: "verify",
                value: "LEVEL",
                help: "What is checked: off, headers, full (default): headers, size, JSON, or "
                    + "content: also what is in the body, which changes no answer and is counted."
            ),
            .init(
                name: "private-keys",
                value: "FILE",
                help: "With --verify content: private keys for encrypted bodies, PEM."
            ),
            .init(
                name: "dialect",
                value: "D",
                help: "With --verify content: the SDK that reads the bodies (default: told by "
                    + "each body's keys)."
            ),
            .init(
                name: "expect",
                value: "SCENARIO.json",
                help: "With --verify content: the scenario of the sender. Each install must get "
                    + "its text and language, under its key, and once. run gives it by itself."
            ),
            .init(name: "environment", value: "E", help: "production (default) or sandbox."),
            .init(
                name: "personality",
                value: "P",
                help: "How it behaves beyond its rules: accept-all (default), apple, flaky, slow, "
                    + "throttling or a JSON file; then, or alone, changes of single keys, all with "
                    + "commas between: apple,delay=5ms or BadDeviceToken=2%,Unregistered=5%."
            ),
            .init(name: "engine", value: "E", help: "HTTP/2 engine."),
            .init(
                name: "streams",
                value: "N",
                help: "Most concurrent streams per connection that it announces (default 1000)."
            ),
            .init(
                name: "idle-timeout",
                value: "T",
                help: "Close a connection that sends nothing for so long (default 1h)."
            ),
            .init(name: "loops", value: "N", help: "Event loops (default: half the processors)."),
            MetricsFlag.flag,
            .init(name: "quiet", value: nil, help: "Do not say on stderr where it listens."),
        ],
        notes:
            "GET /_pushbench/stats gives the counters as JSON, POST /_pushbench/reset clears them."
    )

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StandardOutput.check(
            arguments,
            claimants: ["record"],
            files: [
                "ready-file": "its reader waits for it", "ca-out": "senders read it by its name",
            ]
        )
        var configuration = try configuration(arguments)
        configuration.content = try ContentFlags.check(arguments)
        // A pipe waits here for its reader, and signals end that.
        let record = try MockOutput.openRecord(arguments)
        configuration.record = record
        // Before the first thread, so that every one of them leaves the signals alone.
        let announcement = MockOutput.Announcement()
        let signals = Signals(
            [SIGINT, SIGTERM],
            onFirst: { if announcement.isUnderWay { _exit(ExitCode.interrupted.rawValue) } },
            onLater: { _exit(ExitCode.interrupted.rawValue) }
        )
        defer { withExtendedLifetime(signals) {} }
        DescriptorLimit.raise()
        arguments["ready-file"].map(ReadyFile.removeLeftover)
        let server: MockServer
        do {
            server = try MockServer(configuration)
        } catch {
            var code = ExitCode.runFailed
            if case .unusableFile = error { code = .invalidInput }
            throw CommandFault(code, error.description)
        }
        let readyFile: ReadyFile?
        do {
            readyFile = try announcement.make(server, arguments)
        } catch {
            server.stop()
            throw CommandFault(.runFailed, error.description)
        }
        if !arguments.has("quiet") {
            let scheme = arguments.has("plain") ? "http" : "https"
            let host = server.host.contains(":") ? "[\(server.host)]" : server.host
            Terminal.complain("The mock listens on \(scheme)://\(host):\(server.port)")
        }
        let statistics = server.statistics
        let metrics: MetricsServer?
        do {
            metrics = try MetricsFlag.serve(arguments) {
                MockMetrics.write(statistics.counts(), to: &$0)
            }
        } catch {
            readyFile?.remove()
            server.stop()
            throw error
        }
        signals.wait()
        readyFile?.remove()
        metrics?.stop()
        server.stop()
        return MockOutput.conclude(server, record)
    }

    /// The mock that the flags ask for, but for the content check, which takes longer to make.
    static func configuration(_ arguments: Arguments) throws -> MockConfiguration {
        var configuration = MockConfiguration()
        configuration.host = arguments["host"] ?? configuration.host
        configuration.port = UInt16(try arguments.integer("port", in: 0...65_535) ?? 0)
        configuration.transport = try transport(arguments)
        if arguments.has("ca-out"), arguments.has("plain") {
            throw UsageError("--plain goes without TLS: leave --ca-out out.")
        }
        try MockOutput.checkRecord(arguments)
        try InputFile.check(arguments["client-ca"], what: "CA file")
        configuration.clientCAFile = arguments["client-ca"]
        configuration.rules.authentication = try SenderFlags.policy(arguments.all("auth"))
        if arguments.has("broadcast-app") {
            configuration.rules.broadcastApps = arguments.all("broadcast-app")
        }
        configuration.rules.verification =
            try arguments.choice("verify", of: VerificationLevel.self) ?? .full
        try ContentFlags.validate(arguments, level: configuration.rules.verification)
        configuration.rules.environment =
            try arguments.choice("environment", of: APNsEnvironment.self) ?? .production
        configuration.engine =
            try arguments.choice("engine", of: HTTP2Engine.self) ?? configuration.engine
        if let streams = try arguments.integer("streams", in: 1...1_000_000) {
            configuration.settings.maxConcurrentStreams = UInt32(streams)
        }
        if let idle = try arguments.duration("idle-timeout") {
            configuration.idleTimeoutNanoseconds = idle
        }
        try PersonalityFlag.apply(arguments["personality"], to: &configuration)
        configuration.loops = try arguments.integer("loops", in: 1...1024) ?? Processors.half
        configuration.report = { Terminal.complain("pushbench mock: \($0)") }
        return configuration
    }

    private static func transport(
        _ arguments: Arguments
    ) throws
        -> MockConfiguration.Transport
    {
        switch (arguments["tls-cert"], arguments["tls-key"]) {
        case (nil, nil):
            return arguments.has("plain") ? .plain : .tls(nil)
        case (let certificate?, let key?):
            if arguments.has("plain") {
                throw UsageError("--plain goes without TLS: leave --tls-cert and --tls-key out.")
            }
            try InputFile.check(certificate, what: "certificate file")
            try InputFile.check(key, what: "key file")
            do {
                return .tls(try TLSIdentity.load(certificateFile: certificate, keyFile: key))
            } catch { throw CommandFault(.invalidInput, error.description) }
        default:
            throw UsageError("--tls-cert and --tls-key go together: give both.")
        }
    }
}
