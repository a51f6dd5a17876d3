import CAllocCounter
import CNghttp2
import Foundation
import PushModel
import Testing

@testable import HTTP2

/// The wire engine's HPACK against nghttp2's, over random sequences of requests with the table size
/// changing in between.
///
/// `PUSHBENCH_HPACK_SEQUENCES` sets how many sequences are run of each kind (20,000 without it; the
/// full number is 100,000).
@Suite struct HPACKDifferentialTests {
    static let sequences =
        ProcessInfo.processInfo.environment["PUSHBENCH_HPACK_SEQUENCES"].flatMap(Int.init) ?? 20_000
    static let tableSizes: [UInt32] = [0, 64, 4096, 65_536]

    /// Owns nghttp2's two coders.
    final class Oracle {
        let deflater: OpaquePointer
        let inflater: OpaquePointer

        init() throws {
            var made: OpaquePointer?
            try #require(nghttp2_hd_deflate_new(&made, 4096) == 0)
            deflater = try #require(made)
            try #require(nghttp2_hd_inflate_new(&made) == 0)
            inflater = try #require(made)
        }

        deinit {
            nghttp2_hd_deflate_del(deflater)
            nghttp2_hd_inflate_del(inflater)
        }

        func deflate(_ fields: [TestField]) throws -> [UInt8] {
            var pairs: [nghttp2_nv] = []
            let storage = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
            defer { storage.deallocate() }
            var used = 0
            for index in fields.indices {
                let start = storage + used
                for byte in fields[index].name + fields[index].value {
                    storage[used] = byte
                    used += 1
                }
                pairs.append(
                    nghttp2_nv(
                        name: start,
                        value: start + fields[index].name.count,
                        namelen: fields[index].name.count,
                        valuelen: fields[index].value.count,
                        flags: 0
                    )
                )
            }
            let room = nghttp2_hd_deflate_bound(deflater, pairs, pairs.count)
            var status = 0
            let block = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                status = nghttp2_hd_deflate_hd(
                    deflater,
                    buffer.baseAddress,
                    room,
                    pairs,
                    pairs.count
                )
                count = max(0, status)
            }
            try #require(status >= 0)
            return block
        }

        func inflate(_ block: [UInt8]) throws -> [TestField] {
            var found: [TestField] = []
            var offset = 0
            while true {
                var pair = nghttp2_nv()
                var flags: CInt = 0
                let count = block.withUnsafeBufferPointer {
                    nghttp2_hd_inflate_hd2(
                        inflater,
                        &pair,
                        &flags,
                        $0.baseAddress.map { $0 + offset },
                        block.count - offset,
                        1
                    )
                }
                try #require(count >= 0, "nghttp2 refuses the block: \(count)")
                offset += count
                if flags & CInt(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                    found.append(
                        TestField(
                            name: Array(UnsafeBufferPointer(start: pair.name, count: pair.namelen)),
                            value: Array(
                                UnsafeBufferPointer(start: pair.value, count: pair.valuelen)
                            )
                        )
                    )
                }
                if flags & CInt(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                    nghttp2_hd_inflate_end_headers(inflater)
                    return found
                }
            }
        }
    }

    static func randomValue(_ generator: inout SplitMix64) -> [UInt8] {
        let count = Int.random(in: 0...40, using: &generator)
        // Mostly text, sometimes any byte that has a code.
        let isText = Int.random(in: 0..<4, using: &generator) > 0
        return (0..<count).map { _ in
            UInt8.random(in: isText ? 0x21...0x7E : 0...255, using: &generator)
        }
    }

    static func randomFields(_ generator: inout SplitMix64) -> [TestField] {
        let names = [
            ":method", ":path", ":authority", "authorization", "apns-topic", "apns-id", "x", "via",
            "apns-push-type", "a-rather-long-name-that-nobody-indexes", "content-length",
        ]
        return (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            var field = TestField(names.randomElement(using: &generator) ?? "x", "")
            field.value =
                Bool.random(using: &generator)
                ? Array("v\(Int.random(in: 0..<6, using: &generator))".utf8)
                : randomValue(&generator)
            if Int.random(in: 0..<50, using: &generator) == 0 {
                field.value = [UInt8](repeating: 0x61, count: 5000)
            }
            return field
        }
    }

    @Test func decodesWhatNghttp2Encodes() throws {
        var generator = SplitMix64(seed: 7541)
        for _ in 0..<Self.sequences {
            let oracle = try Oracle()
            let decoder = TestDecoder()
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                if Int.random(in: 0..<3, using: &generator) == 0,
                    let size = Self.tableSizes.randomElement(using: &generator)
                {
                    decoder.setLimit(Int(size))
                    try #require(
                        nghttp2_hd_deflate_change_table_size(oracle.deflater, Int(size)) == 0
                    )
                }
                let fields = Self.randomFields(&generator)
                let block = try oracle.deflate(fields)
                let decoded = try decoder.decode(block)
                try #require(decoded == fields)
                try #require(
                    decoder.tableSize
                        == nghttp2_hd_deflate_get_dynamic_table_size(oracle.deflater)
                )
            }
        }
    }

    static func randomProfile(_ generator: inout SplitMix64) -> RequestProfile {
        var fields: [RequestProfile.Field] = []
        for name in ["apns-topic", "apns-push-type", "apns-expiration", "apns-id", "x-extra"]
        where Bool.random(using: &generator) {
            let count = Int.random(in: 1...60, using: &generator)
            fields.append(
                RequestProfile.Field(name: name, value: String(repeating: "v", count: count))
            )
        }
        return RequestProfile(
            scheme: Bool.random(using: &generator) ? "https" : "http",
            authority: Bool.random(using: &generator) ? "api.push.apple.com" : "localhost:8443",
            fields: fields,
            authorization: randomAuthorization(&generator),
            indexing: Bool.random(using: &generator) ? .strict : .indexedAuth
        )
    }

    static func randomAuthorization(_ generator: inout SplitMix64) -> String? {
        guard Int.random(in: 0..<4, using: &generator) > 0 else { return nil }
        let letter = Bool.random(using: &generator) ? "a" : "b"
        let count = Int.random(
            in: 1...(Bool.random(using: &generator) ? 300 : 4100),
            using: &generator
        )
        return "bearer " + String(repeating: letter, count: count)
    }

    @Test func nghttp2DecodesWhatTheTemplateEncodes() throws {
        var generator = SplitMix64(seed: 9113)
        for _ in 0..<Self.sequences {
            let oracle = try Oracle()
            var profile = Self.randomProfile(&generator)
            var template = WireRequestTemplate(profile: profile)
            var table = HPACKEncoderTable()
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    for _ in 0..<Int.random(in: 1...2, using: &generator) {
                        let size = Self.tableSizes.randomElement(using: &generator) ?? 0
                        table.obey(limit: size)
                        try #require(
                            nghttp2_hd_inflate_change_table_size(oracle.inflater, Int(size)) == 0
                        )
                    }
                    template.unsettle()
                }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    profile.authorization = Self.randomAuthorization(&generator)
                    template.setAuthorization(profile.authorization)
                }
                let token = String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 16)
                var block = WireBuffer(capacity: 1024)
                let isReady = template.isSettled
                let bodyCount = Int.random(in: 0...5000, using: &generator)
                if isReady {
                    let path = WireRequestTemplate.pathStart.description + token
                    block.append(template.prefix.first, count: template.prefix.count)
                    block.append(UInt8(path.utf8.count))
                    Array(path.utf8).withUnsafeBytes { block.append($0) }
                    block.append(template.suffix.first, count: template.suffix.count)
                    let length = WireContentLength(bodyCount)
                    length.write(to: block.reserve(WireContentLength.room))
                    block.commit(length.count)
                } else {
                    Array(token.utf8).withUnsafeBytes {
                        template.write(
                            token: $0,
                            bodyCount: bodyCount,
                            to: &block,
                            table: &table
                        )
                    }
                }
                let bytes = Array(UnsafeRawBufferPointer(start: block.first, count: block.count))
                let decoded = try oracle.inflate(bytes)
                let length = TestField("content-length", String(bodyCount))
                try #require(decoded == Self.expected(profile, token) + [length])
            }
        }
    }

    static func expected(_ profile: RequestProfile, _ token: String) -> [TestField] {
        var fields = [
            TestField(":method", "POST"), TestField(":scheme", profile.scheme),
            TestField(":path", "/3/device/\(token)"), TestField(":authority", profile.authority),
        ]
        if let value = profile.authorization { fields.append(TestField("authorization", value)) }
        return fields + profile.fields.map { TestField($0.name, $0.value) }
    }

    /// Every symbol of the Huffman code, alone and beside others.
    @Test func decodesEverySymbolOfTheHuffmanCode() throws {
        let oracle = try Oracle()
        let decoder = TestDecoder()
        for first in UInt8.min...UInt8.max {
            // nghttp2 codes a string where that makes it shorter, so the symbol stands among digits.
            let value = [first] + [UInt8](repeating: 0x30, count: 40) + [first]
            let fields = [TestField(name: Array("x".utf8), value: value)]
            #expect(try decoder.decode(try oracle.deflate(fields)) == fields)
        }
    }

    @Test func teachesOnceAndThenSendsIndices() throws {
        let profile = RequestProfile(
            scheme: "https",
            authority: "api.push.apple.com",
            fields: [RequestProfile.Field(name: "apns-topic", value: "com.example.app")],
            authorization: "bearer token"
        )
        var template = WireRequestTemplate(profile: profile)
        var table = HPACKEncoderTable()
        var block = WireBuffer(capacity: 512)
        Array("ab".utf8).withUnsafeBytes {
            template.write(token: $0, bodyCount: 2, to: &block, table: &table)
        }
        let isSettled = template.isSettled
        #expect(isSettled)
        let prefix = UnsafeRawBufferPointer(
            start: template.prefix.first,
            count: template.prefix.count
        )
        #expect(Array(prefix) == [0x83, 0x87, 0x04])
        let suffix = UnsafeRawBufferPointer(
            start: template.suffix.first,
            count: template.suffix.count
        )
        #expect(Array(suffix) == [0xC0, 0xBF, 0xBE])
    }

    @Test(arguments: [0, 1, 9, 10, 322, 4096, 5120, 65_535, 99_999])
    func contentLengthIsALiteralUnderItsStaticName(length: Int) {
        let digits = Array(String(length).utf8)
        let expected = [0x0F, 0x0D, UInt8(digits.count)] + digits
        let field = WireContentLength(length)
        var block = WireBuffer(capacity: 16)
        field.write(to: block.reserve(WireContentLength.room))
        block.commit(field.count)
        #expect(Array(UnsafeRawBufferPointer(start: block.first, count: block.count)) == expected)
        block.removeAll()
        WireContentLength.append(length, to: &block)
        #expect(Array(UnsafeRawBufferPointer(start: block.first, count: block.count)) == expected)
    }

    @Test(arguments: [100_000, 1_234_567, .max])
    func contentLengthOfAnyBodyIsWrittenWithoutAnAllocation(length: Int) {
        let digits = Array(String(length).utf8)
        var block = WireBuffer(capacity: 4096)
        let before = pb_thread_allocations()
        for _ in 0..<100 {
            block.removeAll()
            WireContentLength.append(length, to: &block)
        }
        #expect(pb_thread_allocations() - before == 0)
        let written = Array(UnsafeRawBufferPointer(start: block.first, count: block.count))
        #expect(written == [0x0F, 0x0D, UInt8(digits.count)] + digits)
    }

    @Test func strictProfileWritesAuthorizationAsALiteralEachTime() throws {
        let profile = RequestProfile(
            scheme: "https",
            authority: "api.push.apple.com",
            fields: [RequestProfile.Field(name: "apns-expiration", value: "0")],
            authorization: "bearer token",
            indexing: .strict
        )
        var template = WireRequestTemplate(profile: profile)
        var table = HPACKEncoderTable()
        var block = WireBuffer(capacity: 512)
        Array("ab".utf8).withUnsafeBytes {
            template.write(token: $0, bodyCount: 2, to: &block, table: &table)
        }
        let suffix = UnsafeRawBufferPointer(
            start: template.suffix.first,
            count: template.suffix.count
        )
        // Literals without indexing: the names from entry 23 and the newest dynamic entry.
        #expect(
            Array(suffix) == [0xBF, 0x0F, 0x08, 12] + Array("bearer token".utf8)
                + [0x0F, 0x2F, 1] + Array("0".utf8)
        )
    }
}
