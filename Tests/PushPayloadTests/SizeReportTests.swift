import PushPayload
import Testing

/// What bodies take of the limit, before anything is sent (contract 6.1).
@Suite struct SizeReportTests {
    private func report(_ message: String) throws -> SizeReport {
        let source = MessageSource(bytes: Array(message.utf8))
        return try #require(source.compile().payload).sizeReport(shapes: .plain)
    }

    @Test func namesTheLargestLanguageAndItsHeadroom() throws {
        let report = try report(.xulo(#""contents":{"en":"Hi","tr":"\#(times("a", 2000))"}"#))
        #expect(report.limit == 4096)
        #expect(report.bodies.map(\.language) == ["en", "tr"])
        #expect(report.bodies.map(\.bytes) == [119, 2117])
        #expect(report.largest.language == "tr")
        #expect(report.headroom == 1979)
        #expect(
            report.lines == [
                "Largest body (tr): 2117 of 4096 bytes, 1979 bytes left.", "  tr: 2117 bytes",
                "  en: 119 bytes",
            ]
        )
        #expect(
            report.json
                == #"{"limit":4096,"largest":"tr","bytes":2117,"headroom":1979,"bodies":["#
                + #"{"language":"en","bytes":119,"headroom":3977},"#
                + #"{"language":"tr","bytes":2117,"headroom":1979}]}"#
        )
    }

    @Test func aMessageWithoutLanguagesIsOneLine() throws {
        let report = try report(.apns(#"{"alert":"\#(times("a", 4100))"}"#))
        #expect(report.headroom == -24)
        #expect(report.lines == ["Largest body: 4120 of 4096 bytes, 24 bytes too many."])
        #expect(report.json.contains(#""largest":null"#))
    }

    @Test func hasAtMostEightLines() throws {
        let texts = (0..<26).map { #""a\#(Character(UnicodeScalar(UInt8(97 + $0))))":"x""# }
        let report = try report(.xulo(#""contents":{\#(texts.joined(separator: ","))}"#))
        #expect(report.bodies.count == 26)
        #expect(report.lines.count == 8)
        #expect(report.lines.last == "  and 20 smaller ones")
    }

    @Test func countsTheShapesThatTheAudienceGets() throws {
        let source = MessageSource(bytes: Dialect.salesforce.sampleMessage)
        let payload = try #require(source.compile().payload)
        let plain = payload.sizeReport(longestUID: 18, shapes: .plain)
        let sealed = payload.sizeReport(longestUID: 18, shapes: .sealed)
        #expect(plain.largest.bytes < sealed.largest.bytes)
        #expect(payload.sizeReport(longestUID: 18) == sealed)
        let other = MessageSource(bytes: Dialect.mapp.sampleMessage)
        let mapp = try #require(other.compile().payload)
        #expect(mapp.sizeReport(shapes: .sealed) == mapp.sizeReport(shapes: .plain))
    }
}
