@testable import HTTP2

/// RFC 9113 sections 4 and 6: frames.
extension WireServerConformanceTests {
    static let framing: [Rule] = [
        Rule("4.1 unknown frame type", [TestFrame(0x16, flags: 0xFF, 0, [1, 2, 3])], .fine),
        Rule("4.1 unknown flags", [TestFrame(6, flags: 0x16, 0, [UInt8](0..<8))], .fine),
        Rule("4.1 reserved bit", [TestFrame(6, 0x8000_0000, [UInt8](0..<8))], .fine),
        Rule(
            "4.2 DATA of the largest size",
            [open, .data(1, [UInt8](repeating: 0, count: 16_384), end: true)],
            .fine
        ),
        Rule(
            "4.2 DATA too large",
            [open, .data(1, [UInt8](repeating: 0, count: 16_385))],
            .connection(frameSizeError)
        ),
        Rule(
            "4.2 HEADERS too large",
            [.headers(1, [UInt8](repeating: 0, count: 16_385))],
            .connection(frameSizeError)
        ),
        Rule(
            "4.3 broken block",
            [.headers(1, hex("80"), end: true)],
            .connection(compressionError)
        ),
        Rule(
            "4.3 PRIORITY inside a block",
            [
                .headers(1, pushBlock, endHeaders: false),
                TestFrame(2, 1, bigEndian(0) + [1]),
            ],
            .connection(protocolError)
        ),
        Rule(
            "4.3 other stream inside a block",
            [.headers(1, pushBlock, endHeaders: false), .headers(3, pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "5.5 unknown frame inside a block",
            [.headers(1, pushBlock, endHeaders: false), TestFrame(0x16, 0)],
            .connection(protocolError)
        ),
        Rule(
            "6.1 DATA on stream 0",
            [.data(0, [1])],
            .connection(protocolError)
        ),
        Rule(
            "6.1 padding longer than DATA",
            [open, TestFrame(0, flags: 9, 1, [6, 1, 2, 3])],
            .connection(protocolError)
        ),
        Rule(
            "6.1 padding as long as DATA",
            [open, TestFrame(0, flags: 9, 1, [3, 1, 2])],
            .connection(protocolError)
        ),
        Rule(
            "6.1 DATA of padding alone",
            [open, TestFrame(0, flags: 9, 1, [2, 0, 0])],
            .fine
        ),
        Rule(
            "6.1 padded DATA without length",
            [open, TestFrame(0, flags: 9, 1)],
            .connection(frameSizeError)
        ),
        Rule("6.2 HEADERS on stream 0", [.headers(0, pushBlock)], .connection(protocolError)),
        Rule(
            "6.2 padding longer than HEADERS",
            [TestFrame(1, flags: 0xD, 1, [200] + pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "6.2 HEADERS with padding and priority",
            [
                TestFrame(
                    1,
                    flags: 0x2D,
                    1,
                    [2] + bigEndian(0x8000_0000) + [7] + pushBlock + [0, 0]
                )
            ],
            .fine
        ),
        Rule(
            "6.2 HEADERS too short for priority",
            [TestFrame(1, flags: 0x25, 1, [0, 0])],
            .connection(frameSizeError)
        ),
        Rule(
            "6.3 PRIORITY on stream 0",
            [TestFrame(2, 0, bigEndian(1) + [1])],
            .connection(protocolError)
        ),
        Rule(
            "6.3 PRIORITY of 4 bytes",
            [open, TestFrame(2, 1, bigEndian(0))],
            .stream(1, frameSizeError)
        ),
        Rule("6.3 PRIORITY on an idle stream", [TestFrame(2, 5, bigEndian(1) + [1])], .fine),
        Rule("6.4 RST_STREAM on stream 0", [.reset(0, 8)], .connection(protocolError)),
        Rule(
            "6.4 RST_STREAM of 3 bytes",
            [open, TestFrame(3, 1, [0, 0, 0])],
            .connection(frameSizeError)
        ),
        Rule(
            "6.6 PUSH_PROMISE",
            [open, TestFrame(5, flags: 4, 1, bigEndian(2) + pushBlock)],
            .connection(protocolError)
        ),
        Rule("6.7 PING on a stream", [TestFrame(6, 1, [UInt8](0..<8))], .connection(protocolError)),
        Rule("6.7 PING of 6 bytes", [TestFrame(6, 0, [UInt8](0..<6))], .connection(frameSizeError)),
        Rule(
            "6.8 GOAWAY on a stream",
            [TestFrame(7, 1, bigEndian(0) + bigEndian(0))],
            .connection(protocolError)
        ),
        Rule("6.8 GOAWAY of 4 bytes", [TestFrame(7, 0, bigEndian(0))], .connection(frameSizeError)),
        Rule(
            "6.10 CONTINUATION without HEADERS",
            [open, TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "6.10 CONTINUATION on stream 0",
            [.headers(1, pushBlock, endHeaders: false), TestFrame(9, flags: 4, 0, [])],
            .connection(protocolError)
        ),
        Rule(
            "6.10 CONTINUATION behind DATA",
            [open, .data(1, [1], end: true), TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule(
            "6.10 several CONTINUATIONs",
            [
                .headers(1, Array(pushBlock.prefix(3)), end: true, endHeaders: false),
                TestFrame(9, 1, Array(pushBlock[3..<10])), TestFrame(9, 1),
                TestFrame(9, flags: 4, 1, Array(pushBlock[10...])),
            ],
            .fine
        ),
    ]
}
