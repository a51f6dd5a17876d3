import Testing

@testable import PushPayload

/// Telling a dialect by the body alone.
@Suite struct RecognitionTests {
    @Test(arguments: Dialect.allCases)
    func tellsTheSamplesApart(_ dialect: Dialect) throws {
        let payload = try #require(MessageSource(bytes: dialect.sampleMessage).compile().payload)
        for variant in 0..<payload.variantCount {
            guard
                case .value(.object(let body)) = JSONDocument.parse(payload.body(variant: variant))
            else {
                Issue.record("the body is an object")
                return
            }
            #expect(Dialect(recognising: body) == dialect)
        }
    }

    @Test(arguments: [
        (#"{"encrypted":true}"#, Dialect.salesforce), (#"{"encrypted":false}"#, .apns),
        (#"{"aps":{},"p":5}"#, .mapp), (#"{"aps":{},"apx_url":"x"}"#, .mapp),
        (#"{"aps":{},"custom":{"a":{}}}"#, .xulo), (#"{"aps":{},"custom":{"b":1}}"#, .apns),
        ("{}", .apns),
    ])
    func goesByTheKeys(_ text: String, _ dialect: Dialect) throws {
        guard case .value(.object(let body)) = JSONDocument.parse(Array(text.utf8)) else {
            Issue.record("\(text) is an object")
            return
        }
        #expect(Dialect(recognising: body) == dialect)
    }
}
