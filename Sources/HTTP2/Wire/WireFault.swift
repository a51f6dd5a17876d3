/// A connection error (RFC 9113 section 5.4.1): ends the session with a GOAWAY.
struct WireFault: Error, Equatable, CustomStringConvertible {
    let code: HTTP2ErrorCode
    /// What the peer did; goes out as GOAWAY's debug data.
    let reason: StaticString

    init(_ code: HTTP2ErrorCode, _ reason: StaticString) {
        self.code = code
        self.reason = reason
    }

    var description: String {
        "HTTP/2 connection error \(code.rawValue): \(reason)."
    }

    static func == (left: WireFault, right: WireFault) -> Bool {
        left.code == right.code && left.reason.description == right.reason.description
    }
}
