/// How a push ended, as a journal holds it.
enum PushEnd: Equatable, Sendable {
    case accepted
    case unknown
    case rejected(reason: String)
    /// Rejected because its token is bad; `timestamp` in milliseconds since 1970, nil where not told.
    case badToken(reason: String, timestamp: Int64?)

    /// The reason of a rejection; nil for other ends.
    var reason: String? {
        switch self {
        case .accepted, .unknown: nil
        case .rejected(let reason), .badToken(let reason, _): reason
        }
    }
}
