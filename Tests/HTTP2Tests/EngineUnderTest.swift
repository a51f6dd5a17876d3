import Testing

@testable import HTTP2

/// A client engine; every test of client behaviour runs on each row of ``all``.
struct ClientEngine: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Makes a client from profile, settings, most streams and first stream id.
    var make: @Sendable (RequestProfile, SessionSettings, Int, Int32) -> any ClientSession

    static let all = [
        ClientEngine(testDescription: "nghttp2") { profile, settings, maxStreams, firstStreamID in
            NGHTTP2ClientSession(
                profile: profile,
                settings: settings,
                maxStreams: maxStreams,
                firstStreamID: firstStreamID
            )
        },
        ClientEngine(testDescription: "wire") { profile, settings, maxStreams, firstStreamID in
            WireClientSession(
                profile: profile,
                settings: settings,
                maxStreams: maxStreams,
                firstStreamID: UInt32(firstStreamID)
            )
        },
    ]

    func make(
        _ profile: RequestProfile = .forTests,
        settings: SessionSettings = SessionSettings(),
        maxStreams: Int = 1000,
        firstStreamID: Int32 = 1
    ) -> any ClientSession {
        make(profile, settings, maxStreams, firstStreamID)
    }
}

/// A server engine; every test of server behaviour runs on each row of ``all``.
struct ServerEngine: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var make: @Sendable (SessionSettings) -> any ServerSession

    static let all = [
        ServerEngine(testDescription: "nghttp2") { NGHTTP2ServerSession(settings: $0) },
        ServerEngine(testDescription: "wire") { WireServerSession(settings: $0) },
    ]
}

/// A client engine against a server engine.
struct Pairing: Sendable, CustomTestStringConvertible {
    var client: ClientEngine
    var server: ServerEngine

    var testDescription: String {
        "\(client.testDescription) client, \(server.testDescription) server"
    }

    static let all = ClientEngine.all.flatMap { client in
        ServerEngine.all.map { Pairing(client: client, server: $0) }
    }
}

extension RequestProfile {
    /// What a token-authenticated alert push sends.
    static let forTests = RequestProfile(
        scheme: "https",
        authority: "api.push.apple.com",
        fields: [
            Field(name: "apns-topic", value: "com.example.app"),
            Field(name: "apns-push-type", value: "alert"),
            Field(name: "apns-priority", value: "10"),
            Field(name: "apns-expiration", value: "0"),
        ],
        authorization: "bearer " + String(repeating: "aB3", count: 80)
    )
}

extension SessionSettings {
    /// The defaults with some values replaced.
    static func with(_ change: (inout SessionSettings) -> Void) -> SessionSettings {
        var settings = SessionSettings()
        change(&settings)
        return settings
    }
}

/// A small seeded generator (SplitMix64), so that a failing seed can be run again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
