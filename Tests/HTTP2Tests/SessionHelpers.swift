@testable import HTTP2

/// The token of push `tag`: 64 hex digits.
func token(for tag: UInt32) -> [UInt8] {
    let digits = String(tag, radix: 16)
    return Array((String(repeating: "0", count: 64 - digits.count) + digits).utf8)
}

/// A body whose bytes depend on `tag`, so that a mix-up shows; at most 65,536 bytes.
func body(for tag: UInt32, count: Int) -> [UInt8] {
    let start = Int(tag &* 31 & 0xFF)
    return Array(bodyPattern[start..<(start + count)])
}

private let bodyPattern = (0..<(65_536 + 256)).map { UInt8(truncatingIfNeeded: $0) }

/// Calls `body` with an output span of `capacity` bytes; the bytes that it wrote.
private func written(capacity: Int, _ body: (inout OutputRawSpan) -> Void) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(capacity, 1), alignment: 8)
    defer { buffer.deallocate() }
    var span = OutputRawSpan(
        buffer: UnsafeMutableRawBufferPointer(rebasing: buffer[..<capacity]),
        initializedCount: 0
    )
    body(&span)
    let count = span.byteCount
    return Array(buffer[..<count])
}

extension ClientSession {
    func drain(capacity: Int) -> [UInt8] {
        written(capacity: capacity) { drain(into: &$0) }
    }

    /// All there is to write.
    func drainAll() -> [UInt8] {
        var all: [UInt8] = []
        while hasOutput {
            let bytes = drain(capacity: 65_536)
            if bytes.isEmpty { break }
            all += bytes
        }
        return all
    }

    func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive($0.bytes) } }

    @discardableResult
    func submit(tag: UInt32, bodyCount: Int = 320) -> Bool {
        submit(
            token: token(for: tag).span.bytes,
            body: HTTP2Tests.body(for: tag, count: bodyCount).span.bytes,
            tag: tag
        )
    }

    /// All events that wait.
    func events() -> [ClientEvent] {
        var all: [ClientEvent] = []
        while let event = nextEvent() { all.append(event) }
        return all
    }

    func responseBody(of event: ClientEvent) -> [UInt8] {
        withResponseBody(of: event) { span in span.withUnsafeBytes { Array($0) } }
    }
}

extension ServerSession {
    func drain(capacity: Int) -> [UInt8] {
        written(capacity: capacity) { drain(into: &$0) }
    }

    /// All there is to write.
    func drainAll() -> [UInt8] {
        var all: [UInt8] = []
        while hasOutput {
            let bytes = drain(capacity: 65_536)
            if bytes.isEmpty { break }
            all += bytes
        }
        return all
    }

    func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive($0.bytes) } }

    /// The handles of all whole requests.
    func requests() -> [RequestHandle] {
        var all: [RequestHandle] = []
        while let handle = nextRequest() { all.append(handle) }
        return all
    }

    /// A copy of a request.
    func request(_ handle: RequestHandle) -> ReceivedRequest {
        withRequest(handle) { view in ReceivedRequest(view) }
    }
}

/// A request as a server saw it.
struct ReceivedRequest: Equatable {
    var fields: [RequestField: String] = [:]
    var body: [UInt8] = []
    var bodyByteCount = 0
    var duplicatedField: RequestField?

    init(_ view: borrowing RequestView) {
        for field in RequestField.allCases where view.has(field) {
            fields[field] = view.value(of: field).withUnsafeBytes {
                String(decoding: $0, as: UTF8.self)
            }
        }
        body = view.body.withUnsafeBytes { Array($0) }
        bodyByteCount = view.bodyByteCount
        duplicatedField = view.duplicatedField
    }

    /// The tag of the push, from its token.
    var tag: UInt32? {
        fields[.path].flatMap { UInt32($0.suffix(8), radix: 16) }
    }
}

extension ServerResponse {
    /// The common answer to push `tag`.
    static func accepted(_ tag: UInt32) -> ServerResponse {
        var apnsID = UUIDText(repeating: UInt8(ascii: "-"))
        for (index, byte) in "123e4567-e89b-12d3-a456-426655440000".utf8.enumerated() {
            apnsID[index] = byte
        }
        apnsID[35] = UInt8(ascii: "0") + UInt8(tag % 10)
        return ServerResponse(status: 200, apnsID: apnsID)
    }

    /// A rejection with a reason.
    static func rejected(_ status: UInt16, _ reason: String) -> ServerResponse {
        ServerResponse(status: status, body: Array("{\"reason\":\"\(reason)\"}".utf8))
    }
}
