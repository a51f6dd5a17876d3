/// A stream of the client, in the place of the ring that its id names.
struct WireClientStream {
    enum Phase: UInt8 {
        /// The place is free; its id, if any, is of a stream that both sides ended.
        case closed
        /// The place is free; its id is of a stream that this side reset, so that the peer may
        /// still send for a while.
        case abandoned
        case awaitingHead
        case receivingBody
    }

    var id: UInt32 = 0
    var tag: UInt32 = 0
    var phase = Phase.closed
    var hasRetryAfter = false
    /// Whether the stream is in the list of those whose body waits.
    var isWaiting = false
    var status: UInt16 = 0
    var retryAfter: UInt32 = 0
    /// Neighbours in the list of waiting streams; -1 for none.
    var previous: Int32 = -1
    var next: Int32 = -1
    var sendWindow = 0
    /// What the peer may still send on the stream.
    var receiveWindow = 0
    /// Response bytes received.
    var received = 0
    /// `content-length` of the response; -1 where it has none.
    var expected = -1
    /// Where the request begins in the output, if it is in one piece and taught the peer nothing;
    /// else -1.
    var outputStart = -1
    /// Where the request ends in the output, counted from the first byte ever written.
    var outputEnd = 0

    var isOpen: Bool { phase == .awaitingHead || phase == .receivingBody }
}

/// What a client stream may have to keep: allocated when first needed, reused by later streams.
struct WireClientStreamBytes {
    /// The request body that the windows have no room for.
    var request = WireHeldBytes()
    /// The response body so far.
    var response = WireHeldBytes()
}

/// The fields of a response that matter to a push.
struct WireResponseHead: HPACKSink {
    var status: UInt16 = 0
    var retryAfter: UInt32?
    var expected = -1
    var listSize = 0
    private var hasRegular = false
    private var hasPseudo = false
    private(set) var isMalformed = false

    @inline(__always)
    mutating func take(_ field: HPACKField) {
        listSize += field.listSize
        if !field.isValueWellFormed { isMalformed = true }
        switch field.name {
        case .status:
            if hasPseudo || hasRegular { isMalformed = true }
            hasPseudo = true
            takeStatus(field.value)
        case .method, .scheme, .authority, .path, .unknownPseudo, .malformed, .connectionSpecific:
            isMalformed = true
        case .retryAfter:
            hasRegular = true
            retryAfter = Self.number(field.value, limit: Int(UInt32.max)).map(UInt32.init)
        case .contentLength:
            hasRegular = true
            guard let length = Self.number(field.value, limit: 1 << 60),
                expected == -1 || expected == length
            else {
                isMalformed = true
                return
            }
            expected = length
        default:
            hasRegular = true
        }
    }

    /// Whether the block is a response's head, final or interim.
    var isHead: Bool { !isMalformed && hasPseudo }
    /// Whether the block can stand behind a body.
    var isTrailer: Bool { !isMalformed && !hasPseudo }

    private mutating func takeStatus(_ value: UnsafeRawBufferPointer) {
        guard value.count == 3, let number = Self.number(value, limit: 999), number >= 100,
            number != 101
        else {
            isMalformed = true
            return
        }
        status = UInt16(number)
    }

    /// The number that `digits` write; nil for anything else.
    static func number(_ digits: UnsafeRawBufferPointer, limit: Int) -> Int? {
        guard !digits.isEmpty, digits.count <= 19 else { return nil }
        var number = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            guard !overflow, tens <= limit else { return nil }
            number = tens + Int(digit - 0x30)
        }
        return number <= limit ? number : nil
    }
}
