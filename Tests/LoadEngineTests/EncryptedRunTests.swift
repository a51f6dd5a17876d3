import HTTP2
import MockAPNs
import NetIO
import PushBuffers
import PushCrypto
import PushInstalls
import PushModel
import PushPayload
import Testing

@testable import LoadEngine

/// Runs whose bodies are encrypted on the render queues, in the send or before it.
@Suite(.timeLimit(.minutes(5)), .serialized, .ownThreads) struct EncryptedRunTests {
    /// An audience of which two in three have a key, and a message for it.
    private struct Fixture {
        let base: LoadFixture
        let payload: CompiledPayload
        let installs = InstallTable()
        let keys = PublicKeyStore()
        let pair: RSAKeyPair

        init(installs count: Int) throws {
            base = try LoadFixture(installs: 1)
            let compilation = MessageSource(bytes: Dialect.salesforce.sampleMessage).compile()
            payload = try #require(compilation.payload)
            pair = try RSAKeyPair.generate()
            let index = keys.add(pair.publicKey)
            let language = try installs.intern(language: "en")
            for number in 0..<count {
                let token = Array("ab\(1_000_000 + number)0".utf8)
                let uid = Array("uid\(number)".utf8)
                try installs.append(
                    token: token.span.bytes,
                    languageIndex: language,
                    environment: .production,
                    badge: number % 2 == 0 ? 7 : nil,
                    uid: uid.span.bytes,
                    key: number % 3 == 0
                        ? nil
                        : SealingKey(index: index, padding: number % 5 == 0 ? .pkcs1 : .oaepSHA256)
                )
            }
        }

        func configuration(port: UInt16, goal: PushGoal) throws -> RunConfiguration {
            var configuration = try base.configuration(port: port, goal: goal)
            configuration.renderQueues = 2
            return configuration
        }
    }

    @Test(arguments: [false, true]) func everyPushIsAccepted(isPrepared: Bool) throws {
        let fixture = try Fixture(installs: 900)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        // The audience twice: each push has a secret of its own.
        let configuration = try fixture.configuration(port: mock.port, goal: .pushes(1_800))
        let preparation =
            isPrepared
            ? try SecretPreparation(
                installs: fixture.installs,
                keys: fixture.keys,
                configuration: configuration
            ) : nil
        let report = try LoadRun(
            payload: fixture.payload,
            installs: fixture.installs,
            keys: fixture.keys,
            preparation: preparation,
            configuration: configuration
        ).finish()
        #expect(report.account.accepted == 1_800)
        #expect(report.account.addsUp)
        #expect(report.firstFailure == nil)
        #expect((report.preparation != nil) == isPrepared)
        if isPrepared {
            let made = try #require(report.preparation)
            #expect(made.secrets == 1_200)
            #expect(made.nanoseconds > 0)
            #expect(made.cpuNanoseconds > 0)
            #expect(made.bytes == 1_800 * PreparedSecrets.bytesPerPush)
        }
    }

    @Test(arguments: [false, true]) func bodiesOpenAndNoSecretComesTwice(isPrepared: Bool) throws {
        let fixture = try Fixture(installs: 60)
        let configuration = try fixture.configuration(port: 1, goal: .pushes(120))
        let preparation = try SecretPreparation(
            installs: fixture.installs,
            keys: fixture.keys,
            configuration: configuration
        )
        #expect(preparation.finish().secrets == 80)
        #expect(preparation.isOver)
        #expect(preparation.progress == (120, 120))
        let fanOut = FanOut(
            installs: fixture.installs,
            payload: fixture.payload,
            keys: fixture.keys,
            prepared: isPrepared ? preparation.secrets : nil,
            configuration: configuration
        )
        let renderer = try PushRenderer(fanOut)
        let opener = ContentOpener(keys: [fixture.pair])
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
        defer { room.deallocate() }
        var fingerprints: Set<UInt64> = []
        // Each push twice, as one that goes out again: also with another secret.
        for sequence in (0..<120).flatMap({ [$0, $0] }) {
            let record = fixture.installs.record(at: fanOut.order.installIndex(of: sequence))
            var output = OutputRawSpan(buffer: room, initializedCount: 0)
            try renderer.render(record, sequence: sequence, into: &output)
            let count = output.finalize(for: room)
            #expect(count <= fanOut.bytesPerPush)
            let body = String(decoding: room[..<count], as: UTF8.self)
            guard record.key != nil else {
                #expect(!body.contains("secret"))
                continue
            }
            let opened = try opener.open(
                secret: Array(Self.value(of: "secret", in: body).utf8).span.bytes,
                content: Array(Self.value(of: "content", in: body).utf8).span.bytes
            )
            let text = String(decoding: opened.plaintext, as: UTF8.self)
            #expect(text.contains("\"uid\":\"uid\(sequence % 60)\""))
            fingerprints.insert(opened.secretFingerprint)
        }
        #expect(fingerprints.count == 160)
    }

    private static func value(of key: String, in body: String) -> Substring {
        guard let start = body.firstRange(of: "\"\(key)\":\"")?.upperBound else { return "" }
        return body[start...].prefix { $0 != "\"" }
    }

    @Test func preparationIsBoundedAndCounted() throws {
        let fixture = try Fixture(installs: 10)
        var configuration = try fixture.configuration(
            port: 1,
            goal: .duration(nanoseconds: 1_000_000)
        )
        #expect(throws: LoadError.preparationNeedsCount) {
            try SecretPreparation(
                installs: fixture.installs,
                keys: fixture.keys,
                configuration: configuration
            )
        }
        configuration.goal = .pushes(1_000)
        configuration.preparedMemoryLimit = 1_000
        let bytes = 1_000 * PreparedSecrets.bytesPerPush
        let error = LoadError.preparationTooLarge(pushes: 1_000, bytes: bytes, limit: 1_000)
        #expect(throws: error) {
            try SecretPreparation(
                installs: fixture.installs,
                keys: fixture.keys,
                configuration: configuration
            )
        }
        #expect(error.description.hasSuffix("."))
    }

    @Test func whatAStoppedPreparationLeftOutIsMadeInTheSend() throws {
        let fixture = try Fixture(installs: 300)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        let configuration = try fixture.configuration(port: mock.port, goal: .pushes(300))
        let preparation = try SecretPreparation(
            installs: fixture.installs,
            keys: fixture.keys,
            configuration: configuration
        )
        preparation.stop()
        let report = try LoadRun(
            payload: fixture.payload,
            installs: fixture.installs,
            keys: fixture.keys,
            preparation: preparation,
            configuration: configuration
        ).finish()
        #expect(report.account.accepted == 300)
        #expect(try #require(report.preparation).secrets <= 200)
    }
}
