import Testing

@testable import HTTP2

/// Broken and unusual blocks (RFC 7541 sections 2.3.3, 4.2, 5, 6).
@Suite struct HPACKDecoderTests {
    @Test(
        arguments: [
            ("index 0", "80"),
            ("index past the static table with an empty dynamic one", "be"),
            ("name index past the table", "7f000161"),
            ("integer of six octets", "ff808080808000"),
            ("integer over 2^28", "ffffffffff0f"),
            ("integer cut off", "ff"),
            ("string longer than the block", "000a6162"),
            ("literal without a value", "000161"),
            ("literal without anything", "00"),
            ("size update above the limit", "3fe21f"),
            ("size update behind a field", "8220"),
            ("padding of 11 ones", "000161 82 1fff"),
            ("padding of zeros", "000161 81 18"),
            ("end-of-string symbol", "000161 84 ffffffff"),
            ("whole octet of padding alone", "000161 81 ff"),
            ("code cut off in a long symbol", "000161 82 fffe"),
        ]
    )
    func refuses(_ name: String, _ block: String) throws {
        let error = #expect(throws: WireFault.self) { try TestDecoder().decode(hex(block)) }
        #expect(error?.code == .compressionError)
    }

    @Test(
        arguments: [
            ("two size updates in front", "203fe11f82", [TestField(":method", "GET")]),
            (
                "an index written longer than need be", "0f000161",
                [TestField("accept-charset", "a")]
            ),
            ("an empty Huffman string", "00016180", [TestField("a", "")]),
            ("a Huffman string padded by 3 ones", "00016181 1f", [TestField("a", "a")]),
            ("never indexed", "10016101 62", [TestField("a", "b")]),
            ("an empty block", "", []),
        ]
    )
    func takesUnusualBlocks(_ name: String, _ block: String, _ fields: [TestField]) throws {
        #expect(try TestDecoder().decode(hex(block)) == fields)
    }

    @Test func wantsASizeUpdateAfterTheLimitWasLowered() throws {
        let decoder = TestDecoder()
        decoder.setLimit(64)
        #expect(throws: WireFault.self) { try decoder.decode(hex("82")) }
        let second = TestDecoder()
        second.setLimit(64)
        #expect(try second.decode(hex("3f2182")) == [TestField(":method", "GET")])
        #expect(try second.decode(hex("82")) == [TestField(":method", "GET")])
    }

    @Test func takesTheTableDownAndUpAgain() throws {
        let decoder = TestDecoder()
        _ = try decoder.decode(hex("400a637573746f6d2d6b65790d637573746f6d2d686561646572"))
        #expect(decoder.tableCount == 1)
        _ = try decoder.decode(hex("20"))
        #expect(decoder.tableCount == 0)
        #expect(throws: WireFault.self) { try decoder.decode(hex("be")) }
    }

    @Test func anEntryLargerThanTheTableEmptiesIt() throws {
        let decoder = TestDecoder(limit: 64)
        _ = try decoder.decode([0x40, 1, 0x61, 1, 0x62])
        #expect(decoder.tableCount == 1)
        _ = try decoder.decode([0x40, 1, 0x61, 60] + [UInt8](repeating: 0x63, count: 60))
        #expect(decoder.tableCount == 0)
        #expect(decoder.tableSize == 0)
    }

    @Test func namesComeFromEntriesThatTheInsertionEvicts() throws {
        let decoder = TestDecoder(limit: 80)
        let name = Array("a-long-name-of-an-entry".utf8)
        _ = try decoder.decode([0x40, UInt8(name.count)] + name + [4] + Array("past".utf8))
        for round in 0..<20 {
            let value = Array("value-\(round)".utf8)
            let fields = try decoder.decode([0x7E, UInt8(value.count)] + value)
            #expect(fields == [TestField(name: name, value: value)])
        }
    }
}
