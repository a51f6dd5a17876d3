import Testing

@testable import PushPayload

@Suite struct JSONDocumentTests {
    private func parse(_ text: String) -> JSONDocument.Outcome {
        JSONDocument.parse(Array(text.utf8))
    }

    private func message(_ bytes: [UInt8]) -> String? {
        guard case .faults(let faults) = JSONDocument.parse(bytes), faults.count == 1,
            faults[0].code == .invalidJSON, faults[0].path.isEmpty
        else { return nil }
        return faults[0].message
    }

    @Test func keepsOrderAndNumbersAsWritten() {
        let expected = JSONObject([
            .init(key: "b", value: .number(.integer(-9_223_372_036_854_775_808))),
            .init(key: "a", value: .number(.unsigned(18_446_744_073_709_551_615))),
            .init(key: "", value: .number(.double(5))),
            .init(
                key: "c",
                value: .array([
                    .number(.bigInteger("18446744073709551616")), .number(.bigDouble("-1e999")),
                    .number(.integer(7)), .number(.integer(0)), .null, .bool(true),
                    .object(JSONObject()), .array([]), .number(.bigDouble("1e400")),
                    .string("å/\u{0}"),
                ])
            ),
        ])
        let text =
            #"{"b":-9223372036854775808,"a":18446744073709551615,"":5.0,"#
            + #""c":[18446744073709551616,-1e999,7,-0,null,true,{},[],1e400,"å\/\u0000"]}"#
        #expect(parse(text) == .value(.object(expected)))
        #expect(parse(" \r\n\t" + text + "\n") == .value(.object(expected)))
        #expect(parse("\u{FEFF}" + text) == .value(.object(expected)))
        let digits = times("9", 400)
        #expect(parse(digits) == .value(.number(.bigInteger(digits))))
    }

    @Test func numbersInStringsAreLeftAlone() {
        #expect(
            parse(#"["\"1e999", "1e999"]"#)
                == .value(.array([.string("\"1e999"), .string("1e999")]))
        )
    }

    @Test func keysThatOnlyLookAlikeDiffer() {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        guard case .value(.object(let object)) = parse(text) else {
            Issue.record("no object")
            return
        }
        #expect(object["\u{E9}"] == .number(.integer(1)))
        #expect(object["e\u{301}"] == .number(.integer(2)))
    }

    @Test(arguments: [
        ("", "line 1, column 1: expected a value, found the end of the text; the file is empty"),
        (
            "{",
            "line 1, column 2: expected a key in double quotes or }, found the end of the text; the text is cut off"
        ),
        (
            #"{"a":1"#,
            "line 1, column 7: expected , or }, found the end of the text; close the object with }"
        ),
        (
            "[1",
            "line 1, column 3: expected , or ], found the end of the text; close the array with ]"
        ),
        (
            #"{"a":1,}"#,
            "line 1, column 8: expected a key in double quotes, found }; remove the comma before it"
        ),
        ("[1,2,\n]", "line 2, column 1: expected a value, found ]; remove the comma before it"),
        (#"{"a":}"#, "line 1, column 6: expected a value, found }; write a value behind the colon"),
        (
            #"{"a":1,,"b":2}"#,
            "line 1, column 8: expected a key in double quotes, found ,; remove one comma"
        ),
        (
            "{\"a\":1\n \"b\":2}",
            "line 2, column 2: expected , or }, found \"; put a comma before it"
        ),
        (#"["é" "b"]"#, "line 1, column 6: expected , or ], found \"; put a comma before it"),
        (
            #"{"a" 1}"#,
            "line 1, column 6: expected : behind the key, found 1; put a colon between the key and its value"
        ),
        (#"{"a"=1}"#, "line 1, column 5: expected : behind the key, found =; write : instead of ="),
        (
            "{\"a\":1\r\n// no\r\n}",
            "line 2, column 1: expected , or }, found /; remove the comment, JSON has none"
        ),
        (
            "{ /* no */ }",
            "line 1, column 3: expected a key in double quotes or }, found /; remove the comment, JSON has none"
        ),
        (
            "# no\n{}",
            "line 1, column 1: expected a value, found #; remove the comment, JSON has none"
        ),
        (
            "{“a”:1}",
            "line 1, column 2: expected a key in double quotes or }, found “; write a straight \" instead of the curly quote “"
        ),
        (
            #"{"a”:1, "b":2}"#,
            "line 1, column 10: expected : behind the key, found b; write a straight \" instead of the curly quote ”"
        ),
        (
            #"{"a":"x”, "b":2}"#,
            "line 1, column 12: expected , or }, found b; write a straight \" instead of the curly quote ”"
        ),
        (
            #"{"a":"x”}"#,
            "line 1, column 10: expected the closing \" of a string, found the end of the text; write a straight \" instead of the curly quote ”"
        ),
        (
            #"{"a":"“x”" "b":2}"#,
            "line 1, column 12: expected , or }, found \"; put a comma before it"
        ),
        (
            "{'a':1}",
            "line 1, column 2: expected a key in double quotes or }, found '; write double quotes instead of single ones"
        ),
        (
            "{a:1}",
            "line 1, column 2: expected a key in double quotes or }, found a; put the key in double quotes"
        ),
        (
            #"{"a":True}"#,
            "line 1, column 6: expected a value, found True; the only words are true, false and null"
        ),
        (
            #"{"a":hello}"#,
            "line 1, column 6: expected a value, found hello; put text in double quotes"
        ),
        (
            #"{"a":NaN}"#,
            "line 1, column 6: expected a value, found NaN; the only words are true, false and null"
        ),
        (
            #"{"a":+1}"#,
            "line 1, column 6: expected a value, found +; a number starts with a digit or -"
        ),
        (
            #"{"a":01}"#,
            "line 1, column 7: expected , or }, found 1; a number does not start with 0"
        ),
        (#"{"a":1.}"#, "line 1, column 6: expected digit after '.', found 1"),
        (
            "{\"a\":\"x\ny\"}",
            "line 1, column 8: expected the closing \" of a string, found a line break; close the string, or write \\n for a line break and \\t for a tab in it"
        ),
        (
            #"{"a":"C:\x"}"#,
            "line 1, column 10: expected one of \" \\ / b f n r t u after a backslash, found x; write \\\\ for a backslash"
        ),
        (#"{"a":"\u12"}"#, "line 1, column 11: expected four hex digits after \\u, found \""),
        (
            "{} {}",
            "line 1, column 4: expected the end of the text, found {; a text holds one object"
        ),
        (
            "{}}",
            "line 1, column 3: expected the end of the text, found }; remove it, everything is closed already"
        ),
        ("{}\u{0}", "line 1, column 3: expected the end of the text, found the byte 0"),
    ])
    func saysWhereAndWhatWasExpected(_ text: String, _ expected: String) {
        #expect(message(Array(text.utf8)) == expected)
    }

    @Test func refusesBytesThatAreNoUTF8OutsideAString() {
        let expected = "line 1, column 6: expected a value, found the byte 255"
        #expect(message(Array(#"{"a":"#.utf8) + [0xFF] + Array("}".utf8)) == expected)
        #expect(message([0xEF, 0xBB]) != nil)
        #expect(message([0xC0]) != nil)
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], ""), ([0x22, 0xC3, 0x22], ""),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], ""),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], ""),
        ] as [([UInt8], String)]
    )
    func refusesBytesThatAreNoUTF8InAString(_ string: [UInt8], _: String) {
        let text = Array(#"{"a":{"b":[1,"#.utf8) + string + Array("]}}".utf8)
        guard case .faults(let faults) = JSONDocument.parse(text) else {
            Issue.record("accepted")
            return
        }
        #expect(faults.map(\.code) == [.invalidUnicode])
        #expect(faults.map(\.path) == ["a.b[1]"])
        #expect(faults[0].message.hasSuffix("save the file as UTF-8"))
    }

    @Test(arguments: [
        (#"{"a":["x","\ud800"]}"#, "a[1]"), (#"{"a":{"b":"\udc00"}}"#, "a.b"),
        (#"{"a":"\ud83c\u0041"}"#, "a"), (#"{"a":{"\ud83cx":1}}"#, "a"), (#"{"\udfff":1}"#, ""),
        (#""\ud800""#, ""),
    ])
    func refusesLoneSurrogates(_ text: String, _ path: String) {
        guard case .faults(let faults) = parse(text) else {
            Issue.record("accepted")
            return
        }
        #expect(faults.map(\.code) == [.invalidUnicode])
        #expect(faults.map(\.path) == [path])
    }

    @Test func namesEachKeyThatStandsTwiceOnce() {
        guard
            case .faults(let faults) = parse(
                #"{"a":{"b":1,"b":2,"b":3},"c":[{"d":1,"d":1}],"a":4}"#
            )
        else {
            Issue.record("accepted")
            return
        }
        #expect(faults.map(\.code) == [.duplicateKey, .duplicateKey, .duplicateKey])
        #expect(faults.map(\.path) == ["a.b", "c[0].d", "a"])
        #expect(
            faults[0].message == "the key a.b stands here twice; remove one (line 1, column 15)"
        )
    }

    @Test func takes512LevelsAndNoMore() {
        #expect(message(Array((times("[", 512) + times("]", 512)).utf8)) == nil)
        let expected =
            "line 1, column 513: expected at most 512 objects and arrays in one another; nest the "
            + "values less deeply"
        #expect(message(Array((times("[", 513) + times("]", 513)).utf8)) == expected)
        #expect(message(Array(times("[", 1_000_000).utf8)) == expected)
        #expect(message(Array(times(#"{"a":"#, 600).utf8))?.contains("at most 512") == true)
    }

    /// Texts near JSON: parts of it, cut and joined at random.
    @Test func survivesWhatIsNotJSON() {
        var random = SeededRandom(seed: 4)
        let parts: [[UInt8]] =
            [
                "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "d800", "\\ud83c\\udf89", "1", "-",
                "0",
                ".", "e", "1e999", "true", "nul", " ", "\n", "//", "“", "”", "é", "\u{FEFF}",
                "\u{0}",
                "\"a\"", "\"a\":", "'", "99999999999999999999",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80]]
        var accepted = 0
        for _ in 0..<5_000 {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                text += parts[Int.random(in: parts.indices, using: &random)]
            }
            switch JSONDocument.parse(text) {
            case .value(let value):
                accepted += 1
                // What was read is JSON, so it can be written and read again.
                var written: [UInt8] = []
                JSONText.append(value, to: &written)
                #expect(JSONDocument.parse(written) == .value(value.asWritten))
            case .faults(let faults):
                #expect(!faults.isEmpty && faults.allSatisfy { !$0.message.isEmpty })
            }
            // Messages are read from the same bytes; whatever they are, nothing traps.
            _ = MessageSource(bytes: text).render()
            _ = MessageSource(bytes: text, isSimulatorFile: true).render(install: text)
        }
        #expect(accepted > 50)
    }

    @Test func survivesRandomBytes() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<40, using: &random)
            let text = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = MessageSource(bytes: text).render(install: text)
        }
    }
}

extension JSONValue {
    /// The value that its own text has: a double without fraction is written as an integer.
    fileprivate var asWritten: JSONValue {
        switch self {
        case .number(.double(let value)):
            if let integer = Int64(JSONNumber.double(value).text) {
                .number(.integer(integer))
            } else {
                self
            }
        case .array(let elements): .array(elements.map(\.asWritten))
        case .object(let object):
            .object(
                JSONObject(object.members.map { .init(key: $0.key, value: $0.value.asWritten) })
            )
        default: self
        }
    }
}
