import CAllocCounter
import CJSON
import PushModel
import PushPayload
import Testing

/// The fast half of the JSON shim: well-formedness, and flat objects.
@Suite struct JSONShimTests {
    private func isWellFormed(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { cps_json_is_well_formed($0.baseAddress, $0.count) }
    }

    private struct Member: Equatable {
        var kind: cps_json_member_kind
        var isRepeated = false
        var text: String?
        var integer: Int64 = 0
    }

    private func read(_ text: String) -> (cps_json_object_status, [Member]) {
        let names = ["token", "badge", "x"].map { StaticName($0) }
        defer { names.forEach { $0.free() } }
        var members = [cps_json_member](repeating: cps_json_member(), count: names.count)
        let bytes = Array(text.utf8)
        let status = bytes.withUnsafeBytes { buffer in
            cps_json_object_read(
                buffer.baseAddress,
                buffer.count,
                names.map(\.name),
                names.count,
                &members
            )
        }
        return (
            status,
            members.map { member in
                Member(
                    kind: member.kind,
                    isRepeated: member.is_repeated,
                    text: member.text.map {
                        let buffer = UnsafeRawBufferPointer(start: $0, count: member.length)
                        return String(decoding: buffer, as: UTF8.self)
                    },
                    integer: member.integer
                )
            }
        )
    }

    /// A name in memory that outlives a call.
    private struct StaticName {
        let name: cps_json_name

        init(_ text: String) {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count)
            for (index, byte) in text.utf8.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            name = cps_json_name(text: buffer, length: text.utf8.count)
        }

        func free() { name.text.deallocate() }
    }

    @Test func readsTheMembersThatAreLookedFor() {
        let (status, members) = read(#"{"other":{"x":1},"badge":-7,"token":"a\u00e9","x":null}"#)
        #expect(status == CPS_JSON_OBJECT_OK)
        #expect(
            members == [
                Member(kind: CPS_JSON_MEMBER_STRING, text: "aé"),
                Member(kind: CPS_JSON_MEMBER_INTEGER, integer: -7),
                Member(kind: CPS_JSON_MEMBER_NULL),
            ]
        )
    }

    @Test func tellsAbsentRepeatedBigAndOtherMembersApart() {
        var (status, members) = read(#"{"badge":1,"x":true,"badge":2}"#)
        #expect(status == CPS_JSON_OBJECT_OK)
        #expect(
            members == [
                Member(kind: CPS_JSON_MEMBER_ABSENT),
                Member(kind: CPS_JSON_MEMBER_INTEGER, isRepeated: true, integer: 1),
                Member(kind: CPS_JSON_MEMBER_OTHER),
            ]
        )
        for (number, kind) in [
            ("9223372036854775807", CPS_JSON_MEMBER_INTEGER),
            ("9223372036854775808", CPS_JSON_MEMBER_BIG_INTEGER),
            ("18446744073709551616", CPS_JSON_MEMBER_BIG_INTEGER), ("1e999", CPS_JSON_MEMBER_OTHER),
            ("1.0", CPS_JSON_MEMBER_DOUBLE), ("[1]", CPS_JSON_MEMBER_OTHER),
        ] {
            (status, members) = read(#"{"token":"ab","badge":\#(number)}"#)
            #expect(status == CPS_JSON_OBJECT_OK)
            #expect(members[1].kind == kind, "\(number)")
            #expect(members[0].text == "ab")
        }
    }

    @Test(arguments: [
        ("[1]", CPS_JSON_OBJECT_NOT_AN_OBJECT), ("1e999", CPS_JSON_OBJECT_NOT_AN_OBJECT),
        ("", CPS_JSON_OBJECT_NOT_JSON), ("{", CPS_JSON_OBJECT_NOT_JSON),
        (#"{"badge":01}"#, CPS_JSON_OBJECT_NOT_JSON), ("{} {}", CPS_JSON_OBJECT_NOT_JSON),
        (#"{"badge":1e999,}"#, CPS_JSON_OBJECT_NOT_JSON),
    ])
    func saysWhyALineIsNoObject(_ line: String, _ status: cps_json_object_status) {
        #expect(read(line).0 == status)
    }

    @Test func readsNothingBehindTheText() {
        // A whole text stands in the buffer, but the length says where to stop.
        let bytes = Array(#"{"a":1}"#.utf8)
        #expect(isWellFormed(bytes))
        for length in 0..<bytes.count { #expect(!isWellFormed(Array(bytes[..<length]))) }
        bytes.withUnsafeBytes { buffer in
            for length in 0..<buffer.count {
                #expect(!cps_json_is_well_formed(buffer.baseAddress, length))
            }
        }
        #expect(!cps_json_is_well_formed(nil, 0))
    }

    @Test func agreesWithTheOtherParserOnRandomTexts() {
        var random = SplitMix64(seed: 11)
        let parts: [[UInt8]] =
            [
                "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u00e9", "1", "-", "0", ".", "e",
                "1e999",
                "true", "nul", " ", "\n", "é", "\u{0}", "\"a\"", "\"a\":", "99999999999999999999",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3]]
        var accepted = 0
        for _ in 0..<20_000 {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<9, using: &random) {
                text += parts[Int.random(in: parts.indices, using: &random)]
            }
            let isJSON =
                switch JSONDocument.parse(text) {
                case .value: true
                // An object with a key twice is JSON all the same.
                case .faults(let faults): faults.allSatisfy { $0.code == .duplicateKey }
                }
            #expect(isWellFormed(text) == isJSON, "\(String(decoding: text, as: UTF8.self))")
            accepted += isJSON ? 1 : 0
        }
        #expect(accepted > 500)
    }

    @Test func allocatesNothingOnceWarm() {
        let long = Dialect.apns.sampleMessage
        let short = Array(#"{"a":[1,2.5,"x"]}"#.utf8)
        long.withUnsafeBytes { long in
            short.withUnsafeBytes { short in
                #expect(cps_json_is_well_formed(long.baseAddress, long.count))
                var count = 0
                let before = pb_thread_allocations()
                for _ in 0..<100 {
                    count += cps_json_is_well_formed(short.baseAddress, short.count) ? 1 : 0
                    count += cps_json_is_well_formed(long.baseAddress, long.count) ? 1 : 0
                }
                let allocations = pb_thread_allocations() - before
                #expect(allocations == 0)
                #expect(count == 200)
            }
        }
    }
}
