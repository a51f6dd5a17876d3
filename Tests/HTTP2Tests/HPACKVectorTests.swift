import Testing

@testable import HTTP2

/// RFC 7541 appendix C, sequence by sequence: block, fields, and the table's size after it.
@Suite struct HPACKVectorTests {
    struct Step {
        var block: String
        var fields: [(String, String)]
        var tableSize: Int

        init(_ block: String, _ fields: [(String, String)], _ tableSize: Int) {
            self.block = block
            self.fields = fields
            self.tableSize = tableSize
        }
    }

    struct Sequence: CustomTestStringConvertible {
        var name: String
        var limit: Int
        var steps: [Step]
        var testDescription: String { name }
    }

    static let single: [Sequence] = [
        Sequence(
            name: "C.2.1",
            limit: 4096,
            steps: [
                Step(
                    "400a637573746f6d2d6b65790d637573746f6d2d686561646572",
                    [("custom-key", "custom-header")],
                    55
                )
            ]
        ),
        Sequence(
            name: "C.2.2",
            limit: 4096,
            steps: [Step("040c2f73616d706c652f70617468", [(":path", "/sample/path")], 0)]
        ),
        Sequence(
            name: "C.2.3",
            limit: 4096,
            steps: [Step("100870617373776f726406736563726574", [("password", "secret")], 0)]
        ),
        Sequence(name: "C.2.4", limit: 4096, steps: [Step("82", [(":method", "GET")], 0)]),
    ]

    static let firstRequest = [
        (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com"),
    ]
    static let secondRequest = firstRequest + [("cache-control", "no-cache")]
    static let thirdRequest = [
        (":method", "GET"), (":scheme", "https"), (":path", "/index.html"),
        (":authority", "www.example.com"), ("custom-key", "custom-value"),
    ]

    static let firstResponse = [
        (":status", "302"), ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:21 GMT"), ("location", "https://www.example.com"),
    ]
    static let secondResponse = [
        (":status", "307"), ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:21 GMT"), ("location", "https://www.example.com"),
    ]
    static let thirdResponse = [
        (":status", "200"), ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:22 GMT"), ("location", "https://www.example.com"),
        ("content-encoding", "gzip"),
        ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"),
    ]

    static let sequences: [Sequence] = [
        Sequence(
            name: "C.3",
            limit: 4096,
            steps: [
                Step("828684410f7777772e6578616d706c652e636f6d", firstRequest, 57),
                Step("828684be58086e6f2d6361636865", secondRequest, 110),
                Step(
                    "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
                    thirdRequest,
                    164
                ),
            ]
        ),
        Sequence(
            name: "C.4",
            limit: 4096,
            steps: [
                Step("828684418cf1e3c2e5f23a6ba0ab90f4ff", firstRequest, 57),
                Step("828684be5886a8eb10649cbf", secondRequest, 110),
                Step("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf", thirdRequest, 164),
            ]
        ),
        Sequence(
            name: "C.5",
            limit: 256,
            steps: [
                Step(
                    """
                    4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a3231
                    20474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d
                    """,
                    firstResponse,
                    222
                ),
                Step("4803333037c1c0bf", secondResponse, 222),
                Step(
                    """
                    88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a6970
                    7738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d61
                    67653d333630303b2076657273696f6e3d31
                    """,
                    thirdResponse,
                    215
                ),
            ]
        ),
        Sequence(
            name: "C.6",
            limit: 256,
            steps: [
                Step(
                    """
                    488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad
                    171863c78f0b97c8e9ae82ae43d3
                    """,
                    firstResponse,
                    222
                ),
                Step("4883640effc1c0bf", secondResponse, 222),
                Step(
                    """
                    88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2
                    e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007
                    """,
                    thirdResponse,
                    215
                ),
            ]
        ),
    ]

    @Test(arguments: single + sequences)
    func decodesAppendixC(_ sequence: Sequence) throws {
        let decoder = TestDecoder(limit: sequence.limit)
        for step in sequence.steps {
            let fields = try decoder.decode(hex(step.block))
            #expect(fields == step.fields.map { TestField($0.0, $0.1) })
            #expect(decoder.tableSize == step.tableSize)
        }
    }

    /// C.1: 10 with a prefix of 5 bits, 1337 with one of 5, 42 at an octet boundary.
    @Test(arguments: [(10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a")])
    func encodesTheIntegersOfAppendixC(_ value: Int, _ prefix: Int, _ bytes: String) {
        var buffer = WireBuffer(capacity: 16)
        buffer.appendInteger(value, prefix: prefix, first: 0)
        let written = Array(UnsafeRawBufferPointer(start: buffer.first, count: buffer.count))
        #expect(written == hex(bytes))
    }

    @Test func huffmanCodeFillsTheCodeSpaceExactly() {
        let code = HPACKHuffman.Canonical()
        #expect(code.symbols.count == 257)
        var used = 0
        for length in 1...HPACKHuffman.longestCode {
            used += code.counts[length] << (HPACKHuffman.longestCode - length)
        }
        #expect(used == 1 << HPACKHuffman.longestCode)
        #expect(code.symbols.last == HPACKHuffman.endOfString)
    }
}
