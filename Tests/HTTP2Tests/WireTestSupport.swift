@testable import HTTP2

/// Bytes written in hexadecimal, blanks ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] * 16 + digits[$0 + 1])
    }
}

struct TestField: Hashable, CustomStringConvertible {
    var name: [UInt8]
    var value: [UInt8]

    init(_ name: String, _ value: String) {
        self.name = Array(name.utf8)
        self.value = Array(value.utf8)
    }

    init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }

    var description: String {
        "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))"
    }
}

/// Collects the fields of a block.
struct CollectingSink: HPACKSink {
    var fields: [TestField] = []

    mutating func take(_ field: HPACKField) {
        let name = UnsafeRawBufferPointer(start: field.nameBytes, count: field.nameCount)
        fields.append(TestField(name: Array(name), value: Array(field.value)))
    }
}

/// An HPACK decoder for tests.
final class TestDecoder {
    private var decoder: HPACKDecoder

    init(limit: Int = 4096) { decoder = HPACKDecoder(limit: limit) }

    var tableSize: Int { decoder.table.size }
    var tableCount: Int { decoder.table.count }

    func setLimit(_ limit: Int) { decoder.setLimit(limit) }

    func decode(_ block: [UInt8]) throws(WireFault) -> [TestField] {
        var sink = CollectingSink()
        var copy = block
        copy.append(0xEE)
        var fault: WireFault?
        copy.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            do throws(WireFault) {
                try decoder.decode(start, count: block.count, into: &sink)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return sink.fields
    }
}

// MARK: - Frames

/// A frame in a test.
struct TestFrame: Equatable {
    var kind: UInt8
    var flags: UInt8
    var streamID: UInt32
    var payload: [UInt8]

    init(_ kind: UInt8, flags: UInt8 = 0, _ streamID: UInt32, _ payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.streamID = streamID
        self.payload = payload
    }

    var bytes: [UInt8] {
        let count = payload.count
        return [
            UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), kind, flags,
        ] + bigEndian(streamID) + payload
    }

    /// The error code of RST_STREAM or GOAWAY.
    var errorCode: UInt32? {
        switch kind {
        case 3 where payload.count == 4: number(at: 0)
        case 7 where payload.count >= 8: number(at: 4)
        default: nil
        }
    }

    func number(at offset: Int) -> UInt32 {
        payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func data(_ id: UInt32, _ payload: [UInt8], end: Bool = false) -> TestFrame {
        TestFrame(0, flags: end ? 1 : 0, id, payload)
    }

    static func headers(
        _ id: UInt32,
        _ block: [UInt8],
        end: Bool = false,
        endHeaders: Bool = true
    ) -> TestFrame {
        TestFrame(1, flags: (end ? 1 : 0) | (endHeaders ? 4 : 0), id, block)
    }

    static func reset(_ id: UInt32, _ code: UInt32) -> TestFrame {
        TestFrame(3, id, bigEndian(code))
    }

    static func settings(_ values: [(UInt16, UInt32)] = []) -> TestFrame {
        TestFrame(
            4,
            0,
            values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + bigEndian($0.1) }
        )
    }

    static let settingsAck = TestFrame(4, flags: 1, 0)

    static func goAway(last: UInt32, code: UInt32, _ debug: [UInt8] = []) -> TestFrame {
        TestFrame(7, 0, bigEndian(last) + bigEndian(code) + debug)
    }

    static func windowUpdate(_ id: UInt32, _ increment: UInt32) -> TestFrame {
        TestFrame(8, id, bigEndian(increment))
    }
}

func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// Cuts whole frames off `bytes`.
func frames(_ bytes: [UInt8]) -> [TestFrame] {
    var found: [TestFrame] = []
    var rest = bytes[...]
    while rest.count >= 9 {
        let head = Array(rest.prefix(9))
        let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard rest.count >= 9 + count else { break }
        let id = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
        found.append(
            TestFrame(head[3], flags: head[4], id, Array(rest.dropFirst(9).prefix(count)))
        )
        rest = rest.dropFirst(9 + count)
    }
    return found
}

let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

/// Literals without indexing and without Huffman coding.
func plainBlock(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in fields {
        block.append(0)
        for text in [name, value] {
            let bytes = Array(text.utf8)
            if bytes.count < 127 {
                block.append(UInt8(bytes.count))
            } else {
                block.append(127)
                var rest = bytes.count - 127
                while rest >= 128 {
                    block.append(UInt8(rest & 0x7F | 0x80))
                    rest >>= 7
                }
                block.append(UInt8(rest))
            }
            block += bytes
        }
    }
    return block
}

let pushFields = [
    (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00"),
    (":authority", "localhost"),
]
let pushBlock = plainBlock(pushFields)

extension ClientSession {
    func feed(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive(RawSpan(_unsafeBytes: $0)) } }

    func feed(_ frames: TestFrame...) { feed(frames.flatMap(\.bytes)) }

    func drainAll(limit: Int = 1 << 20) -> [UInt8] {
        Array(capacity: limit) { drain(into: &$0) }
    }

    func send(_ token: String, _ body: [UInt8], tag: UInt32) -> Bool {
        Array(token.utf8).withUnsafeBytes { token in
            body.withUnsafeBytes { body in
                submit(
                    token: RawSpan(_unsafeBytes: token),
                    body: RawSpan(_unsafeBytes: body),
                    tag: tag
                )
            }
        }
    }

    func allEvents() -> [ClientEvent] {
        var found: [ClientEvent] = []
        while let event = nextEvent() { found.append(event) }
        return found
    }
}

extension ServerSession {
    func feed(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive(RawSpan(_unsafeBytes: $0)) } }

    func feed(_ frames: TestFrame...) { feed(frames.flatMap(\.bytes)) }

    func drainAll(limit: Int = 1 << 20) -> [UInt8] {
        Array(capacity: limit) { drain(into: &$0) }
    }
}

extension Array where Element == UInt8 {
    /// What `fill` writes into room for `capacity` bytes.
    init(capacity: Int, fill: (inout OutputRawSpan) -> Void) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        fill(&output)
        let count = output.finalize(for: memory)
        self = Array(memory[..<count])
    }
}

extension RawSpan {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
