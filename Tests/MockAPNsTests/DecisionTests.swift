import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// Ids, scripted tokens and reasons (contract 1.6, 7 T8, T12 to T14).
@Suite struct DecisionTests {
    @Test func echoesTheMessageIDByteForByte() {
        let connection = RuleConnection()
        for id in [
            "123e4567-e89b-12d3-a456-4266554400a0", "123E4567-E89B-12D3-A456-4266554400A0",
        ] {
            #expect(connection.decide(PushRequest([.apnsID: id])).apnsIDText == id)
            let refused = connection.decide(PushRequest([.apnsID: id, .apnsTopic: nil]))
            #expect(refused.apnsIDText == id)
        }
    }

    @Test func makesALowercaseVersion4UUIDWhereNoneCame() {
        let connection = RuleConnection()
        var seen: Set<String> = []
        for _ in 0..<1000 {
            let id = connection.decide(PushRequest()).apnsIDText
            #expect(
                id.wholeMatch(
                    of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
                ) != nil
            )
            seen.insert(id)
        }
        #expect(seen.count == 1000)
        let refused = connection.decide(PushRequest([.apnsID: "nonsense"]))
        #expect(!seen.contains(refused.apnsIDText))
    }

    @Test func writesTheNumbersOfSplitMix64AsHex() {
        // The published first outputs for seed 0 are e220a8397b1dcdaf and 6e789e6aa1b965f4; version
        // and variant take six bits.
        var generator = UUIDGenerator(seed: 0)
        let id = String(uuid: generator.next())
        #expect(id == "e220a839-7b1d-4daf-ae78-9e6aa1b965f4")
    }

    @Test(arguments: [(APNsEnvironment.production, false), (.sandbox, true)])
    func sendsAUniqueIDInTheSandboxAlone(_ environment: APNsEnvironment, _ isSent: Bool) {
        let connection = RuleConnection(APNsRules(authentication: .off, environment: environment))
        let accepted = connection.decide(PushRequest())
        #expect((accepted.apnsUniqueID != nil) == isSent)
        #expect(connection.decide(PushRequest([.apnsTopic: nil])).apnsUniqueID == nil)
    }

    @Test(arguments: [
        (APNsReason.unregistered, UInt64(1_700_000_000_123), "410 Unregistered"),
        (.expiredToken, 1, "410 ExpiredToken"),
    ])
    func answersATokenThatIsGone(_ reason: APNsReason, _ time: UInt64, _ answer: String) {
        var rules = APNsRules(authentication: .off)
        rules.script.setFate(
            .init(reason: ReasonCode(reason), timestampMilliseconds: time),
            ofToken: PushRequest.token
        )
        let connection = RuleConnection(rules)
        let request = PushRequest(token: PushRequest.token.uppercased(), body: "")
        #expect(connection.answer(request) == answer)
        let decision = connection.decide(request)
        let body = rules.reasons.body(
            of: ReasonCode(reason),
            timestampMilliseconds: decision.timestampMilliseconds
        )
        let expected = #"{"reason":"\#(reason.rawValue)","timestamp":\#(time)}"#
        #expect(String(decoding: body, as: UTF8.self) == expected)
        #expect(connection.answer(PushRequest(token: "ab")) == "200")
    }

    @Test func answersATokenOfAnotherTopic() {
        var rules = APNsRules(authentication: .off)
        rules.script.setFate(.init(reason: ReasonCode(.deviceTokenNotForTopic)), ofToken: "ab")
        let connection = RuleConnection(rules)
        #expect(
            connection.answer(PushRequest(token: "ab", body: "")) == "400 DeviceTokenNotForTopic"
        )
        #expect(
            connection.answer(PushRequest(token: "ab", [.apnsTopic: nil])) == "400 MissingTopic"
        )
    }

    @Test func answersAnyDocumentedReasonFromAScriptAfterTheBody() {
        for reason in APNsReason.allCases {
            var rules = APNsRules(authentication: .off)
            rules.script.setFate(.init(reason: ReasonCode(reason)), ofToken: "ab")
            let connection = RuleConnection(rules)
            #expect(
                connection.answer(PushRequest(token: "ab")) == "\(reason.status) \(reason.rawValue)"
            )
        }
    }

    @Test func answersAReasonThatAppleDoesNotDocument() throws {
        var rules = APNsRules(authentication: .off)
        let added = rules.reasons.add(name: "BrandNew", status: 400)
        let brandNew = try #require(added)
        rules.script.setFate(.init(reason: brandNew), ofToken: "ab")
        let connection = RuleConnection(rules)
        #expect(connection.answer(PushRequest(token: "ab")) == "400 BrandNew")
        #expect(connection.answer(PushRequest(token: "ab", body: "")) == "400 PayloadEmpty")
        let body = rules.reasons.body(of: brandNew, timestampMilliseconds: nil)
        #expect(String(decoding: body, as: UTF8.self) == #"{"reason":"BrandNew"}"#)
    }

    @Test func knowsEveryDocumentedReasonUnderItsOwnNameAndStatus() {
        let table = ReasonTable()
        for reason in APNsReason.allCases {
            let code = ReasonCode(reason)
            #expect(table.name(of: code) == reason.rawValue)
            #expect(Int(table.status(of: code)) == reason.status)
            #expect(table.code(named: reason.rawValue) == code)
        }
        for reason in BroadcastReason.allCases {
            let code = ReasonCode(reason)
            #expect(table.name(of: code) == reason.rawValue)
            #expect(Int(table.status(of: code)) == reason.status)
            #expect(table.code(named: reason.rawValue) == code)
        }
        #expect(table.name(of: .payloadInvalidJSON) == ReasonTable.invalidJSONName)
        #expect(table.count == 32 + 9 + 1)
    }

    @Test func holdsAsManyReasonsAsItSays() {
        var table = ReasonTable()
        for number in table.count..<ReasonTable.capacity {
            let added = table.add(name: "Reason\(number)", status: 500)
            #expect(added != nil)
        }
        let refused = table.add(name: "OneTooMany", status: 500)
        #expect(refused == nil)
        let known = table.add(name: "BadTopic", status: 500)
        #expect(known == ReasonCode(.badTopic))
        #expect(table.status(of: ReasonCode(.badTopic)) == 400)
    }

    @Test func answersAnyBytesWithAKnownReason() {
        var numbers = SplitMix64(seed: 11)
        let alphabet = Array("/3/devicebearer .-_0159afAF{}\"\u{0}ş".utf8)
        let connection = RuleConnection(APNsRules(authentication: .any))
        for _ in 0..<5000 {
            var request = PushRequest()
            for field in RequestField.allCases where Bool.random(using: &numbers) {
                let length = Int.random(in: 0...70, using: &numbers)
                let bytes = (0..<length).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
                request.fields[field] = String(decoding: bytes, as: UTF8.self)
            }
            if Bool.random(using: &numbers) { request.fields[.method] = "POST" }
            let decision = connection.decide(request)
            guard let reason = decision.reason else { continue }
            #expect(decision.status == connection.rules.reasons.status(of: reason))
            #expect(decision.status >= 400)
        }
    }
}
