import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// What the mock keeps of what peers name has an end.
@Suite struct BoundTests {
    @Test func channelsOfAllAppsTogetherAreBounded() {
        let registry = ChannelRegistry()
        let apps = ChannelRegistry.totalCapacity / ChannelRegistry.capacity
        var last: String?
        for app in 0..<apps {
            for _ in 0..<ChannelRegistry.capacity {
                last = registry.create(app: "app.\(app)", policy: .none)
            }
            #expect(last != nil)
            #expect(registry.create(app: "app.\(app)", policy: .none) == nil)
        }
        // Another app, as anybody may invent one, has no channel.
        #expect(registry.create(app: "one.more", policy: .none) == nil)
        #expect(registry.all(app: "one.more").isEmpty)
        #expect(registry.delete("no such channel", app: "app.0") == false)
        #expect(registry.create(app: "one.more", policy: .none) == nil)
        if let last { #expect(registry.delete(last, app: "app.\(apps - 1)")) }
        #expect(registry.create(app: "one.more", policy: .none) != nil)
        #expect(registry.create(app: "one.more", policy: .none) == nil)
        registry.removeAll()
        #expect(registry.create(app: "one.more", policy: .none) != nil)
    }

    @Test func secretsAreForgottenOnlyAfterMoreThanAGenerationOfLaterOnes() {
        let log = SecretLog(generation: 100)
        // All of one part.
        let secrets = (0..<1000 as Range<UInt64>).map { $0 << 8 }
        for (index, secret) in secrets.enumerated() {
            #expect(log.note(secret))
            #expect(!log.note(secret))
            // Fewer others than a generation hide nothing: each of them came twice in between.
            if index >= 49 { #expect(!log.note(secrets[index - 49])) }
        }
        // What lies further back than two has given way.
        #expect(log.note(secrets[0]))
        // Other parts do not take their places.
        for secret in 0..<200 as Range<UInt64> where secret & 0xFF != 0 {
            #expect(log.note(secret))
        }
        #expect(!log.note(secrets[999]))
    }

    @Test func aSecretThatComesAgainIsRememberedAnew() {
        let log = SecretLog(generation: 100)
        let secrets = (0..<250 as Range<UInt64>).map { $0 << 8 }
        for secret in secrets[..<110] { #expect(log.note(secret)) }
        // The first is of the older generation by now, which goes before long.
        #expect(!log.note(secrets[0]))
        for secret in secrets[110..<205] { #expect(log.note(secret)) }
        #expect(!log.note(secrets[0]))
    }

    @Test func aListOfChannelsTakesNothingBeforeItIsGiven() throws {
        let channels = ChannelRegistry()
        var identifiers = UUIDGenerator(seed: 1)
        var answer = AppAnswer(requestID: identifiers.next())
        answer.listedApp = "app"
        let channel = try #require(channels.create(app: "app", policy: .none))
        let pending = PendingAnswer(answer).answer
        #expect(pending.body.isEmpty)
        let body = pending.response(reasons: ReasonTable(), channels: channels).body
        #expect(String(decoding: body, as: UTF8.self).contains(channel))
    }

    @Test(arguments: [(1, 512), (2, 256), (8, 64), (16, 64), (64, 64)])
    func eachLoopHasItsShareOfWhatUnfinishedRequestsMayTake(loops: Int, mebibytes: Int) {
        var configuration = MockConfiguration()
        configuration.loops = loops
        #expect(configuration.unfinishedBytesPerLoop == mebibytes << 20)
        configuration.unfinishedByteLimit = 1000
        #expect(configuration.unfinishedBytesPerLoop == 1000)
    }
}
