import Glibc
import HTTP2
import MockAPNs
import NetIO
import PushCrypto
import PushInstalls
import PushModel
import PushPayload
import Synchronization
import Testing

@testable import LoadEngine

/// What a run against a mock in this process needs.
struct LoadFixture {
    let payload: CompiledPayload
    let installs: InstallTable

    init(installs count: Int) throws {
        let compilation = MessageSource(bytes: Dialect.xulo.sampleMessage).compile()
        payload = try #require(compilation.payload)
        installs = InstallTable()
        let mix = try LanguageMix("en=50,tr=30,de-DE=10,none=10")
        try SyntheticPopulation(count: count, seed: 3, languages: mix).fill(installs)
    }

    /// A mock without TLS; the caller stops it.
    static func mock(_ change: (inout MockConfiguration) -> Void = { _ in }) throws -> MockServer {
        var configuration = MockConfiguration()
        configuration.transport = .plain
        change(&configuration)
        return try MockServer(configuration)
    }

    /// An address that refuses connections, on a host where no other test takes its port.
    static func addressOfNobody() throws -> SocketAddress {
        try Listener(host: "127.0.0.28", port: 0).address
    }

    func configuration(
        port: UInt16,
        topic: String? = "com.example.app",
        tls: TLSContext? = nil,
        goal: PushGoal? = nil
    ) throws -> RunConfiguration {
        let signer = try ProviderTokenSigner.generate(keyID: "ABCDEFGHIJ", teamID: "TEAMTEAM00")
        var seconds = timespec()
        clock_gettime(CLOCK_REALTIME, &seconds)
        var fields = [
            RequestProfile.Field(name: "apns-push-type", value: "alert"),
            RequestProfile.Field(name: "apns-priority", value: "10"),
        ]
        if let topic { fields.append(RequestProfile.Field(name: "apns-topic", value: topic)) }
        return RunConfiguration(
            target: RunConfiguration.Target(
                host: "127.0.0.1",
                addresses: try SocketAddress.resolve(host: "127.0.0.1", port: port)
            ),
            profile: RequestProfile(
                scheme: tls == nil ? "http" : "https",
                authority: "127.0.0.1:\(port)",
                fields: fields,
                authorization: "bearer \(try signer.makeToken(issuedAt: Int64(seconds.tv_sec)))"
            ),
            tls: tls,
            goal: goal ?? .pushes(installs.count)
        )
    }

    func run(_ configuration: RunConfiguration) throws -> RunReport {
        try LoadRun(payload: payload, installs: installs, configuration: configuration).finish()
    }
}

extension LoadFixture {
    /// Makes a run against a target that does what `script` says, and checks its account.
    ///
    /// Limits on waiting are so long that no busy machine comes near them: a test of a target that is
    /// silent sets the one that ends the silence.
    ///
    /// - Parameters:
    ///   - script: What the target does.
    ///   - engine: The client's engine.
    ///   - pushes: The size of the audience; each install gets one push.
    ///   - change: What the configuration has instead of quick retries and long limits.
    /// - Returns: The report, and how many connections the target accepted.
    /// - Throws: What keeps the run from being made.
    static func run(
        _ script: ScriptedTarget.Script,
        engine: HTTP2Engine,
        pushes: Int,
        _ change: (inout RunConfiguration) throws -> Void = { _ in }
    ) throws -> (report: RunReport, connections: Int) {
        let fixture = try LoadFixture(installs: pushes)
        let target = try ScriptedTarget(script)
        defer { target.stop() }
        var configuration = try fixture.configuration(port: target.port)
        configuration.engine = engine
        configuration.streams = 100
        configuration.timeouts.answer = 60_000_000_000
        configuration.timeouts.connect = 60_000_000_000
        configuration.retries.delay = 1_000_000
        try change(&configuration)
        let report = try fixture.run(configuration)
        #expect(report.account.addsUp, "\(report.account)")
        return (report, target.connectionCount.load(ordering: .relaxed))
    }
}

extension ScriptedTarget.Script {
    /// A script that answers requests by `requested`.
    static func answering(
        _ requested:
            @escaping @Sendable (Int, RequestHandle, WireServerSession) -> ScriptedTarget.After
    ) -> ScriptedTarget.Script {
        var script = ScriptedTarget.Script()
        script.requested = requested
        return script
    }
}

extension WireServerSession {
    /// The text of one of a request's fields.
    func text(_ field: RequestField, of handle: RequestHandle) -> String {
        withRequest(handle) { request in
            request.value(of: field).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Answers with a refusal as APNs words it.
    func refuse(
        _ handle: RequestHandle,
        _ reason: APNsReason,
        timestamp: Int64? = nil,
        retryAfter: Int? = nil
    ) {
        let more = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
        let body = "{\"reason\":\"\(reason.rawValue)\"\(more)}"
        let fields = retryAfter.map { [RequestProfile.Field(name: "retry-after", value: "\($0)")] }
        respond(
            to: handle,
            with: ServerResponse(
                status: UInt16(reason.status),
                fields: fields ?? [],
                body: Array(body.utf8)
            )
        )
    }

    /// Answers with 200.
    func accept(_ handle: RequestHandle) { respond(to: handle, with: ServerResponse(status: 200)) }
}

/// What a target's script remembers, by token or anything else.
final class Notes: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Counts `key` and gives its new count.
    @discardableResult
    func count(_ key: String) -> Int {
        counts.withLock { counts in
            counts[key, default: 0] += 1
            return counts[key] ?? 0
        }
    }

    /// All keys with their counts.
    var all: [String: Int] { counts.withLock { $0 } }
}
