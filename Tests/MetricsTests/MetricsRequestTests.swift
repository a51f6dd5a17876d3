import Testing

@testable import Metrics

@Suite struct MetricsRequestTests {
    private static let host = "Host: localhost\r\n\r\n"

    @Test(arguments: [
        ("GET /metrics HTTP/1.1\r\n\(host)", MetricsRequest.metrics(isHead: false)),
        ("HEAD /metrics HTTP/1.1\r\n\(host)", .metrics(isHead: true)),
        ("GET /metrics?name[]=up HTTP/1.1\r\n\(host)", .metrics(isHead: false)),
        ("GET /metrics HTTP/1.0\r\n\r\n", .metrics(isHead: false)),
        ("GET /metrics HTTP/1.1\nHost: a\n\n", .metrics(isHead: false)),
        ("\r\nGET /metrics HTTP/1.1\r\n\(host)", .metrics(isHead: false)),
        ("GET http://a:1/metrics HTTP/1.1\r\n\(host)", .metrics(isHead: false)),
        ("GET /metrics HTTP/1.1\r\nHOST: a\r\nAccept: */*\r\n\r\n", .metrics(isHead: false)),
        ("POST /metrics HTTP/1.1\r\n\(host)", .refused(.otherMethod)),
        ("GET / HTTP/1.1\r\n\(host)", .refused(.notFound)),
        ("GET /metrics/ HTTP/1.1\r\n\(host)", .refused(.notFound)),
        ("DELETE /x HTTP/1.1\r\n\(host)", .refused(.notFound)),
        ("GET /metrics HTTP/1.1\r\n\r\n", .refused(.malformed)),
        ("GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .refused(.malformed)),
        ("GET /metrics\r\n\r\n", .refused(.malformed)),
        ("GET  /metrics HTTP/1.1\r\n\(host)", .refused(.malformed)),
        ("\u{16}\u{3}\u{1}\n\n", .refused(.malformed)),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refused(.otherVersion)),
        ("GET /metrics HTTP/1.1\r\nHost: a", .incomplete),
        ("", .incomplete),
        ("\r\n\r\n", .incomplete),
    ])
    func requestIsReadAsHTTPSays(text: String, expected: MetricsRequest) {
        #expect(MetricsRequest(Array(text.utf8)) == expected)
    }

    @Test func aHeadThatDoesNotEndIsTooLarge() {
        let start = Array("GET /metrics HTTP/1.1\r\nX: ".utf8)
        let filler = [UInt8](repeating: 0x61, count: MetricsRequest.mostBytes - start.count)
        #expect(MetricsRequest(start + filler.dropLast()) == .incomplete)
        #expect(MetricsRequest(start + filler) == .refused(.tooLarge))
    }

    @Test func bytesThatAreNoTextAreRefused() {
        let head: [UInt8] = [0xFF, 0xFE, 0x0A, 0x0A]
        #expect(MetricsRequest(head) == .refused(.malformed))
    }
}
