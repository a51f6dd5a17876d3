/// What a client asked for, once its head has come.
enum MetricsRequest: Equatable {
    /// More bytes are needed.
    case incomplete
    /// `GET /metrics`; `HEAD` wants no body.
    case metrics(isHead: Bool)
    /// To be refused with this status; 405 of a known path, 404 of another.
    case refused(MetricsRefusal)

    /// The most bytes of a head; scrapers send some hundred.
    static let mostBytes = 8192

    /// Reads the head of an HTTP/1 request (RFC 9112, 2 to 3).
    init(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes) else {
            self = bytes.count >= Self.mostBytes ? .refused(.tooLarge) : .incomplete
            return
        }
        guard end <= Self.mostBytes else {
            self = .refused(.tooLarge)
            return
        }
        // Empty lines before a request are no fault.
        let head = bytes[..<end].drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        guard let text = String(validating: head, as: UTF8.self) else {
            self = .refused(.malformed)
            return
        }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        self = Self.read(lines[0], fields: lines.dropFirst())
    }

    private static func read(_ line: Substring, fields: ArraySlice<Substring>) -> Self {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty else {
            return .refused(.malformed)
        }
        switch words[2] {
        case "HTTP/1.0": break
        case "HTTP/1.1":
            guard fields.count(where: { $0.prefix(5).lowercased() == "host:" }) == 1 else {
                return .refused(.malformed)
            }
        case let version where version.hasPrefix("HTTP/"): return .refused(.otherVersion)
        default: return .refused(.malformed)
        }
        guard path(of: words[1]) == "/metrics" else { return .refused(.notFound) }
        switch words[0] {
        case "GET": return .metrics(isHead: false)
        case "HEAD": return .metrics(isHead: true)
        default: return .refused(.otherMethod)
        }
    }

    /// The path of a target: what comes before a query, without a proxy's scheme and authority.
    private static func path(of target: Substring) -> Substring {
        var path = target
        for scheme in ["http://", "https://"] where path.lowercased().hasPrefix(scheme) {
            let rest = path.dropFirst(scheme.count)
            path = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        return path.prefix { $0 != "?" && $0 != "#" }
    }

    /// The place after the empty line that ends a head; a bare line feed will do (RFC 9112, 2.2).
    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var lineIsEmpty = true
        var hasLine = false
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"):
                if lineIsEmpty, hasLine { return index + 1 }
                lineIsEmpty = true
            case UInt8(ascii: "\r"): break
            default:
                lineIsEmpty = false
                hasLine = true
            }
        }
        return nil
    }
}

/// Why a request gets no metrics.
enum MetricsRefusal: String, Equatable {
    case malformed = "400 Bad Request"
    case notFound = "404 Not Found"
    case otherMethod = "405 Method Not Allowed"
    case tooLarge = "431 Request Header Fields Too Large"
    case otherVersion = "505 HTTP Version Not Supported"

    /// A sentence for whoever looks at the answer.
    var sentence: String {
        switch self {
        case .malformed: "This is no HTTP request: ask GET /metrics with a Host field."
        case .notFound: "There is nothing here: the metrics are at /metrics."
        case .otherMethod: "The metrics are only to be read: ask with GET."
        case .tooLarge: "The request is too large: \(MetricsRequest.mostBytes) bytes are the most."
        case .otherVersion: "Only HTTP/1.0 and HTTP/1.1 are spoken here."
        }
    }
}
