@testable import HTTP2

/// RFC 9113 section 8: fields of requests.
extension WireServerConformanceTests {
    static let fields: [Rule] = [
        Rule("8.2.1 uppercase name", [with("X-Test", "ok")], .stream(1, protocolError)),
        Rule("8.2.1 space in a name", [with("x test", "ok")], .stream(1, protocolError)),
        Rule("8.2.1 colon in a name", [with("x:test", "ok")], .stream(1, protocolError)),
        Rule("8.2.1 empty name", [with("", "ok")], .stream(1, protocolError)),
        Rule(
            "8.2.1 control character in a name",
            [with("x\u{1}", "ok")],
            .stream(1, protocolError)
        ),
        Rule(
            "8.2.1 byte above 0x7e in a name",
            [with("x\u{e9}", "ok")],
            .stream(1, protocolError)
        ),
        Rule("8.2.1 NUL in a value", [with("x", "a\0b")], .stream(1, protocolError)),
        Rule(
            "8.2.1 LF in a long value",
            [with("x", "0123456789\nabcdefg")],
            .stream(1, protocolError)
        ),
        Rule("8.2.1 CR in a value", [with("x", "a\r")], .stream(1, protocolError)),
        Rule("8.2.1 space before a value", [with("x", " a")], .stream(1, protocolError)),
        Rule("8.2.1 tab behind a value", [with("x", "a\t")], .stream(1, protocolError)),
        Rule("8.2.1 tab inside a value", [with("x", "a\tb")], .fine),
        Rule("8.2.1 bytes above 0x7f in a value", [with("x", "\u{e9}")], .fine),
        Rule("8.2.2 connection", [with("connection", "keep-alive")], .stream(1, protocolError)),
        Rule(
            "8.2.2 proxy-connection",
            [with("proxy-connection", "x")],
            .stream(1, protocolError)
        ),
        Rule("8.2.2 keep-alive", [with("keep-alive", "x")], .stream(1, protocolError)),
        Rule(
            "8.2.2 transfer-encoding",
            [with("transfer-encoding", "chunked")],
            .stream(1, protocolError)
        ),
        Rule("8.2.2 upgrade", [with("upgrade", "h2c")], .stream(1, protocolError)),
        Rule(
            "8.2.2 TE of another value",
            [with("te", "trailers, deflate")],
            .stream(1, protocolError)
        ),
        Rule("8.2.2 TE trailers", [with("te", "trailers")], .fine),
        Rule(
            "8.3 unknown pseudo-field",
            [request([(":test", "ok")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 pseudo-field of a response",
            [request([(":status", "200")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 pseudo-field behind a regular one",
            [request([("x", "y")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 empty path",
            [request([(":method", "POST"), (":scheme", "https"), (":path", "")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 no method",
            [request([(":scheme", "https"), (":path", "/")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 no scheme",
            [request([(":method", "GET"), (":path", "/")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3.1 no path",
            [request([(":method", "GET"), (":scheme", "http")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 method twice",
            [request([(":method", "GET")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 scheme twice",
            [request([(":scheme", "http")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 path twice",
            [request([(":path", "/")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.3 authority twice",
            [request([(":authority", "a")] + pushFields)],
            .stream(1, protocolError)
        ),
        Rule(
            "8.5 CONNECT with a path",
            [request([(":method", "CONNECT"), (":authority", "a:1"), (":path", "/")])],
            .stream(1, protocolError)
        ),
        Rule("8.5 CONNECT", [request([(":method", "CONNECT"), (":authority", "a:1")])], .fine),
        Rule(
            "8.1.1 content-length and no body",
            [with("content-length", "1")],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 content-length not a number",
            [with("content-length", "one")],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 two content-lengths",
            [request(pushFields + [("content-length", "0"), ("content-length", "1")])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 body shorter than content-length",
            [
                request(pushFields + [("content-length", "3")], end: false),
                .data(1, [1], end: true),
            ],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 body longer than content-length",
            [request(pushFields + [("content-length", "1")], end: false), .data(1, [1, 2])],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1.1 several DATA frames of the right sum",
            [
                request(pushFields + [("content-length", "3")], end: false), .data(1, [1]),
                .data(1, [2, 3], end: true),
            ],
            .fine
        ),
    ]
}
