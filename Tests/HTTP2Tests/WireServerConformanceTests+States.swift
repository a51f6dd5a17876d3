@testable import HTTP2

/// RFC 9113 sections 5, 6.5, 6.9 and 8.1: settings, windows and stream states.
extension WireServerConformanceTests {
    static let settings: [Rule] = [
        Rule("6.5 SETTINGS on a stream", [TestFrame(4, 1)], .connection(protocolError)),
        Rule("6.5 SETTINGS of 3 bytes", [TestFrame(4, 0, [0, 3, 0])], .connection(frameSizeError)),
        Rule(
            "6.5 ACK with a payload",
            [TestFrame(4, flags: 1, 0, [0, 0, 0, 0, 0, 0])],
            .connection(frameSizeError)
        ),
        Rule("6.5.2 ENABLE_PUSH of 2", [.settings([(2, 2)])], .connection(protocolError)),
        Rule("6.5.2 ENABLE_PUSH of 1", [.settings([(2, 1)])], .fine),
        Rule(
            "6.5.2 INITIAL_WINDOW_SIZE of 2^31",
            [.settings([(4, 0x8000_0000)])],
            .connection(flowControlError)
        ),
        Rule("6.5.2 INITIAL_WINDOW_SIZE of 2^31-1", [.settings([(4, 0x7FFF_FFFF)])], .fine),
        Rule(
            "6.5.2 MAX_FRAME_SIZE of 16383",
            [.settings([(5, 16_383)])],
            .connection(protocolError)
        ),
        Rule(
            "6.5.2 MAX_FRAME_SIZE of 2^24",
            [.settings([(5, 1 << 24)])],
            .connection(protocolError)
        ),
        Rule("6.5.2 unknown setting", [.settings([(0xAA, 7)])], .fine),
        Rule("6.5.3 several values of one setting", [.settings([(4, 100), (4, 1)])], .fine),
        Rule(
            "6.9 WINDOW_UPDATE of 0 on the connection",
            [.windowUpdate(0, 0)],
            .connection(protocolError)
        ),
        Rule(
            "6.9 WINDOW_UPDATE of 0 on a stream",
            [open, .windowUpdate(1, 0)],
            .stream(1, protocolError)
        ),
        Rule(
            "6.9 WINDOW_UPDATE of 3 bytes",
            [open, TestFrame(8, 1, [0, 0, 1])],
            .connection(frameSizeError)
        ),
        Rule(
            "6.9.1 connection window over 2^31-1",
            [.windowUpdate(0, 0x7FFF_FFFF)],
            .connection(flowControlError)
        ),
        Rule(
            "6.9.1 stream window over 2^31-1",
            [open, .windowUpdate(1, 0x7FFF_FFFF)],
            .stream(1, flowControlError)
        ),
        Rule(
            "6.9.2 SETTINGS push a window over 2^31-1",
            [open, .windowUpdate(1, 0x7FFF_0000), .settings([(4, 0x7FFF_FFFF)])],
            .connection(flowControlError)
        ),
    ]

    static let states: [Rule] = [
        Rule("5.1 idle DATA", [.data(1, [1], end: true)], .connection(protocolError)),
        Rule("5.1 idle RST_STREAM", [cancel], .connection(protocolError)),
        Rule("5.1 idle WINDOW_UPDATE", [.windowUpdate(1, 100)], .connection(protocolError)),
        Rule(
            "5.1 idle CONTINUATION",
            [TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule("5.1 half-closed DATA", [whole, .data(1, [1])], .stream(1, streamClosed)),
        Rule("5.1 half-closed HEADERS", [whole, whole], .stream(1, streamClosed)),
        Rule(
            "5.1 half-closed CONTINUATION",
            [whole, TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule("5.1 half-closed WINDOW_UPDATE", [whole, .windowUpdate(1, 1)], .fine),
        Rule("5.1 half-closed PRIORITY", [whole, TestFrame(2, 1, bigEndian(0) + [1])], .fine),
        Rule("5.1 half-closed RST_STREAM", [whole, cancel], .fine),
        Rule(
            "5.1 DATA behind RST_STREAM",
            [open, cancel, .data(1, [1])],
            .stream(1, streamClosed)
        ),
        Rule("5.1 HEADERS behind RST_STREAM", [open, cancel, whole], .stream(1, streamClosed)),
        Rule(
            "5.1 CONTINUATION behind RST_STREAM",
            [open, cancel, TestFrame(9, flags: 4, 1, pushBlock)],
            .connection(protocolError)
        ),
        Rule("5.1 WINDOW_UPDATE behind RST_STREAM", [open, cancel, .windowUpdate(1, 1)], .fine),
        Rule(
            "5.1 PRIORITY behind RST_STREAM",
            [open, cancel, TestFrame(2, 1, bigEndian(0) + [1])],
            .fine
        ),
        Rule("5.1.1 even id", [.headers(2, pushBlock, end: true)], .connection(protocolError)),
        Rule(
            "5.1.1 smaller id",
            [.headers(5, pushBlock, end: true), .headers(3, pushBlock, end: true)],
            .connection(protocolError)
        ),
        Rule(
            "5.3.1 HEADERS depend on their own stream",
            [TestFrame(1, flags: 0x25, 1, bigEndian(1) + [1] + pushBlock)],
            .stream(1, protocolError)
        ),
        Rule(
            "5.3.1 PRIORITY depends on its own stream",
            [open, TestFrame(2, 1, bigEndian(1) + [1])],
            .stream(1, protocolError)
        ),
        Rule("8.1 HEADERS twice without end", [open, open], .stream(1, protocolError)),
        Rule(
            "8.1 trailers",
            [open, .data(1, [1]), .headers(1, plainBlock([("x", "y")]), end: true)],
            .fine
        ),
        Rule(
            "8.1 trailers without end",
            [open, .data(1, [1]), .headers(1, plainBlock([("x", "y")]))],
            .stream(1, protocolError)
        ),
        Rule(
            "8.1 pseudo-field in trailers",
            [open, .data(1, [1]), .headers(1, plainBlock([(":path", "/")]), end: true)],
            .stream(1, protocolError)
        ),
    ]
}
