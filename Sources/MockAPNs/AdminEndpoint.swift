import HTTP2
import PushModel

/// What is asked of the mock itself, under `/_pushbench/`; not counted as pushes, and not subject to
/// the rules.
enum AdminRequest {
    /// `GET /_pushbench/stats`.
    case statistics
    /// `POST /_pushbench/reset`.
    case reset
    /// A path under `/_pushbench/` that does not exist.
    case unknownPath
    /// One that exists, with another method.
    case wrongMethod

    private static let prefix: StaticString = "/_pushbench/"

    /// The admin request that `request` is; nil where it is a push.
    init?(_ request: borrowing RequestView) {
        let path = request.value(of: .path)
        // One byte tells it from a push.
        guard path.byteCount > 1,
            path.unsafeLoad(fromByteOffset: 1, as: UInt8.self) == UInt8(ascii: "_"),
            path.starts(with: Self.prefix)
        else { return nil }
        let method = request.value(of: .method)
        if path.equals("/_pushbench/stats") {
            self = method.equals("GET") ? .statistics : .wrongMethod
        } else if path.equals("/_pushbench/reset") {
            self = method.equals("POST") ? .reset : .wrongMethod
        } else {
            self = .unknownPath
        }
    }

    /// Does what is asked and gives the answer.
    func response(statistics: MockStatistics, reasons: ReasonTable) -> ServerResponse {
        switch self {
        case .statistics:
            return ServerResponse(status: 200, body: Array(statistics.counts().json.utf8))
        case .reset:
            statistics.reset()
            return ServerResponse(status: 200, body: Array("{}".utf8))
        case .unknownPath:
            return Self.refusal(ReasonCode(.badPath), reasons: reasons)
        case .wrongMethod:
            return Self.refusal(ReasonCode(.methodNotAllowed), reasons: reasons)
        }
    }

    private static func refusal(_ reason: ReasonCode, reasons: ReasonTable) -> ServerResponse {
        ServerResponse(
            status: reasons.status(of: reason),
            body: reasons.body(of: reason, timestampMilliseconds: nil)
        )
    }
}
