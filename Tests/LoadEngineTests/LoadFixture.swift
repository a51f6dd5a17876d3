import Glibc
import HTTP2
import MockAPNs
import NetIO
import PushCrypto
import PushInstalls
import PushModel
import PushPayload
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
