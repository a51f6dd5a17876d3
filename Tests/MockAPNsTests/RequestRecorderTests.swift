import CAllocCounter
import Foundation
import HTTP2
import PushModel
import Testing

@testable import MockAPNs

/// The lines that a loop makes of requests.
@Suite(.timeLimit(.minutes(5))) struct RequestRecorderTests {
    private static let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkEifQ.eyJpc3MiOiJBIiwiaWF0IjoxfQ.c2ln"

    /// What a record holds of some requests, in a file of its own.
    private func record(
        _ requests: [PushRequest],
        answer: PushDecision? = PushDecision(apnsID: .init(repeating: UInt8(ascii: "a")))
    ) throws -> String {
        try Scratch.withFile("of an earlier run") { path in
            let record = try RequestRecord(path: path) { Issue.record("\($0)") }
            try record.start()
            let recorder = RequestRecorder(record, rules: APNsRules(verification: .headers))
            for request in requests {
                request.withView {
                    recorder.record(
                        $0,
                        answer: answer.map(RecordedAnswer.init),
                        connection: 7,
                        streamID: 9
                    )
                }
                #expect(!recorder.endTurn())
            }
            record.finish()
            #expect(record.recorded == UInt64(requests.count))
            #expect(record.unrecorded == 0)
            #expect(record.failure == nil)
            return try String(contentsOfFile: path, encoding: .utf8)
        }
    }

    private func object(_ line: String) throws -> [String: Any] {
        #expect(line.hasSuffix("\n"))
        #expect(line.filter { $0 == "\n" }.count == 1)
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func aLineHasWhatIsKnownInAFixedOrder() throws {
        var answer = PushDecision(apnsID: .init(repeating: UInt8(ascii: "b")))
        answer.status = 410
        answer.reason = ReasonCode(.unregistered)
        answer.timestampMilliseconds = 1_700_000_000_123
        answer.apnsUniqueID = .init(repeating: UInt8(ascii: "c"))
        let request = PushRequest(
            token: "ab",
            [.authorization: "bearer \(Self.token)", .apnsPriority: "5", .apnsChannelID: "Q=="]
        )
        let line = try record([request], answer: answer)
        let time = try #require(line.prefixMatch(of: /\{"time":"([^"]*)",/))
        let text = try #require(
            String(time.output.1).wholeMatch(of: /(.{19})\.[0-9]{6}Z/)
        )
        let date = try Date(String(text.output.1) + "Z", strategy: .iso8601)
        #expect(abs(date.timeIntervalSinceNow) < 3600)
        let rest =
            #""connection":7,"stream":9,"method":"POST","path":"/3/device/ab","token":"ab","#
            + #""headers":{"apns-topic":"com.example.app","apns-push-type":"alert","#
            + #""apns-priority":"5","apns-channel-id":"Q=="},"bodyBytes":22,"#
            + #""body":{"aps":{"alert":"Hi"}},"status":410,"reason":"Unregistered","#
            + #""timestamp":1700000000123,"apnsId":"\#(String(repeating: "b", count: 36))","#
            + #""apnsUniqueId":"\#(String(repeating: "c", count: 36))"}"# + "\n"
        #expect(String(line[time.range.upperBound...]) == rest)
    }

    @Test func aRequestWithoutAnAnswerIsRecordedToo() throws {
        let line = try object(try record([PushRequest()], answer: nil))
        for key in ["status", "reason", "apnsId"] { #expect(line[key] is NSNull) }
    }

    /// A body, and what stands for it; nil is no member at all.
    @Test(arguments: [
        ("", nil as String?, nil as String?),
        ("[1, 2]", "[1, 2]", nil), ("7", "7", nil), (" \"a\" ", " \"a\" ", nil),
        (#"{"a":1,"a":1.50,"b":"\n\u00e9ü\/"}"#, #"{"a":1,"a":1.50,"b":"\n\u00e9ü\/"}"#, nil),
        ("{\r\n\t\"a\":\n[\r]}\n", "{  \t\"a\": [ ]} ", nil),
        ("{", nil, "ew=="), ("Hej", nil, "SGVq"), ("\u{FEFF}{}", nil, "77u/e30="),
        ("a\nb", nil, "YQpi"),
    ])
    func aBodyIsJSONOrBase64(body: String, json: String?, base64: String?) throws {
        let line = try record([PushRequest(body: body)])
        let parsed = try object(line)
        #expect(parsed["bodyBytes"] as? Int == body.utf8.count)
        if let json { #expect(line.contains(#","body":\#(json),"status""#)) }
        #expect((parsed["body"] != nil) == (json != nil))
        #expect(parsed["bodyBase64"] as? String == base64)
    }

    @Test func bytesOfAnyKindMakeAStringOfJSON() throws {
        let values = ["\"\\/", "\u{7F}\t\u{1}", "åü👋", "\u{2028}", ""]
        for value in values {
            let line = try object(try record([PushRequest(token: value, [.apnsTopic: value])]))
            #expect(line["token"] as? String == value)
            #expect((line["headers"] as? [String: String])?["apns-topic"] == value)
        }
        // No UTF-8: read as Latin-1.
        var bytes = OutputBytes()
        bytes.append(quoted: [0x61, 0xE5, 0xFF, 0x22])
        #expect(bytes.text == #""a\u00e5\u00ff\"""#)
    }

    @Test func noTokenIsWrittenWhereverItStands() throws {
        let token = Self.token
        let requests = [
            PushRequest([.authorization: "bearer \(token)"]),
            PushRequest(token: token), PushRequest(token: "ab/\(token)/cd"),
            PushRequest([.apnsTopic: "bearer \(token)", .apnsCollapseID: token]),
            PushRequest([.method: token, .path: "/\(token)?jwt=\(token)"]),
            PushRequest(body: #"{"jwt":"\#(token)","more":["bearer \#(token)"]}"#),
            PushRequest(body: token), PushRequest(body: #"{"\#(token)":1}"#),
        ]
        let text = try record(requests)
        #expect(!text.contains("eyJ"))
        // base64 of `eyJ`, `bearer `.
        #expect(!text.contains("ZXlK"))
        #expect(!text.contains("YmVhcmVy"))
        for line in text.split(separator: "\n") { _ = try object(line + "\n") }
        #expect(
            text.contains(#""body":{"jwt":"<token left out>","more":["bearer <token left out>"]}"#)
        )
    }

    @Test func aLineMayBeLongerThanAChunk() throws {
        let body = #"{"a":"\#(String(repeating: "å", count: 300_000))"}"#
        let requests = [PushRequest(), PushRequest(body: body), PushRequest(body: body + "x")]
        let lines = try record(requests + requests).split(separator: "\n")
        #expect(lines.count == 6)
        for line in lines { _ = try object(line + "\n") }
        #expect(lines[1].contains(body))
    }

    @Test func allocatesNothingForAPush() throws {
        let path = "/dev/null"
        let record = try RequestRecord(path: path) { Issue.record("\($0)") }
        let recorder = RequestRecorder(record, rules: APNsRules(verification: .headers))
        let decision = PushDecision(apnsID: .init(repeating: UInt8(ascii: "a")))
        let answer = RecordedAnswer(decision)
        let allocations = PushRequest().withView { view -> UInt64 in
            // The first one takes a chunk.
            recorder.record(view, answer: answer, connection: 1, streamID: 1)
            let before = pb_thread_allocations()
            for _ in 0..<200 {
                recorder.record(view, answer: answer, connection: 1, streamID: 1)
            }
            return pb_thread_allocations() - before
        }
        #expect(allocations == 0)
    }
}

/// Memory to write into by hand.
private struct OutputBytes {
    private(set) var text = ""

    mutating func append(quoted bytes: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        output.append(quoted: bytes.span.bytes)
        let count = output.finalize(for: memory)
        text = String(decoding: memory[..<count], as: UTF8.self)
    }
}
