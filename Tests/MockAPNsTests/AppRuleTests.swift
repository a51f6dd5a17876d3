import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// Broadcasts and channels by the rules alone.
@Suite struct AppRuleTests {
    @Test func answersAnyBytesWithAKnownReason() {
        var numbers = SplitMix64(seed: 5)
        let paths = [
            "/4/broadcasts/apps/com.example.app", "/1/apps/com.example.app/channels",
            "/1/apps/com.example.app/all-channels", "/1/apps/", "/4/",
        ]
        let alphabet = Array("/1234channels.-_=AZaz{}[]:,\"\u{0}ş".utf8)
        let bodies = [#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#, ""]
        let rules = APNsRules(authentication: .any)
        let channels = ChannelRegistry()
        var identifiers = UUIDGenerator(seed: 1)
        var answers = 0
        for _ in 0..<5000 {
            func noise(upTo count: Int) -> [UInt8] {
                let length = Int.random(in: 0...count, using: &numbers)
                return (0..<length).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
            }
            var request = PushRequest()
            for field in RequestField.allCases where Bool.random(using: &numbers) {
                request.fields[field] = String(decoding: noise(upTo: 70), as: UTF8.self)
            }
            let tail = Bool.random(using: &numbers) ? noise(upTo: 9) : []
            request.fields[.path] =
                (paths.randomElement(using: &numbers) ?? "") + String(decoding: tail, as: UTF8.self)
            request.fields[.method] = ["POST", "GET", "DELETE"].randomElement(using: &numbers)
            request.body = Array((bodies.randomElement(using: &numbers) ?? "").utf8)
            if Bool.random(using: &numbers) { request.body.removeLast(request.body.count / 2) }
            // A certificate lets the other checks have their turn.
            var state = ConnectionRuleState(
                certificate: Bool.random(using: &numbers) ? ClientCertificate() : nil
            )
            let answer = request.withView { view -> AppAnswer? in
                guard let call = AppCall(view) else { return nil }
                return rules.answer(
                    call,
                    view,
                    connection: &state,
                    channels: channels,
                    now: 1_700_000_000,
                    identifiers: &identifiers
                )
            }
            guard let answer else { continue }
            answers += 1
            #expect((answer.reason == nil) == (200...204).contains(answer.status))
            guard let reason = answer.reason else { continue }
            #expect(answer.status == rules.reasons.status(of: reason))
        }
        #expect(answers > 1000)
    }

    @Test(arguments: [
        ("/4/broadcasts/apps/a", "a"), ("/4/broadcasts/apps/a/b", "a/b"),
        ("/1/apps/com.example.app/channels", "com.example.app"), ("/1/apps/a/all-channels", "a"),
        ("/4/broadcasts/apps/", nil), ("/1/apps/a", nil), ("/1/apps//channels", nil),
        ("/1/apps/a/channels/", nil), ("/1/apps/a/b/channels", nil), ("/3/device/ab", nil),
        ("", nil), ("/", nil),
    ])
    func findsTheBundleIDInThePath(_ path: String, _ bundle: String?) {
        let found = PushRequest([.path: path]).withView { view -> String? in
            guard let call = AppCall(view) else { return nil }
            return APNsRules.text(view.value(of: .path).extracting(call.bundle))
        }
        #expect(found == bundle)
    }

    @Test(arguments: VerificationLevel.allCases, [255, 256, 7000])
    func longBundleIDsGetNoChannel(_ verification: VerificationLevel, _ count: Int) throws {
        let rules = APNsRules(authentication: .off, verification: verification)
        let channels = ChannelRegistry()
        let app = String(repeating: "a", count: count)
        var request = PushRequest()
        request.fields = [.method: "POST", .path: "/1/apps/\(app)/channels"]
        request.body = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)
        var state = ConnectionRuleState()
        var identifiers = UUIDGenerator(seed: 1)
        let answer = try #require(
            request.withView { view -> AppAnswer? in
                guard let call = AppCall(view) else { return nil }
                return rules.answer(
                    call,
                    view,
                    connection: &state,
                    channels: channels,
                    now: 1_700_000_000,
                    identifiers: &identifiers
                )
            }
        )
        #expect(answer.reason == (count > 255 ? ReasonCode(.badTopic) : nil))
        #expect(channels.all(app: app).count == (count > 255 ? 0 : 1))
    }

    @Test func writesIDsOf16BytesAsBase64() {
        #expect(ChannelID.text(high: 0, low: 0) == "AAAAAAAAAAAAAAAAAAAAAA==")
        #expect(ChannelID.text(high: .max, low: .max) == "/////////////////////w==")
        #expect(
            ChannelID.text(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
                == "AAECAwQFBgcICQoLDA0ODw=="
        )
    }
}
