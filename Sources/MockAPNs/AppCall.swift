import HTTP2

/// A request that is about an app rather than a device: a broadcast, or one to manage channels
/// (contract 1.1).
///
/// Apple serves these on hosts and ports of their own; the mock has one port for all.
struct AppCall {
    enum Kind {
        /// `POST /4/broadcasts/apps/<bundle id>`.
        case broadcast
        /// `POST`, `GET` or `DELETE /1/apps/<bundle id>/channels`.
        case channels
        /// `GET /1/apps/<bundle id>/all-channels`.
        case allChannels
    }

    let kind: Kind
    /// Where in the path the bundle id stands.
    let bundle: Range<Int>

    private static let broadcasts: StaticString = "/4/broadcasts/apps/"
    private static let apps: StaticString = "/1/apps/"
    private static let channels: StaticString = "/channels"
    private static let allChannels: StaticString = "/all-channels"

    /// The call that `request` is; nil where its path is none of theirs.
    init?(_ request: borrowing RequestView) {
        let path = request.value(of: .path)
        if path.starts(with: Self.broadcasts) {
            kind = .broadcast
            bundle = Self.broadcasts.utf8CodeUnitCount..<path.byteCount
        } else {
            guard path.starts(with: Self.apps) else { return nil }
            let start = Self.apps.utf8CodeUnitCount
            let slash = (start..<path.byteCount).first {
                path.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == UInt8(ascii: "/")
            }
            guard let slash else { return nil }
            bundle = start..<slash
            let end = path.extracting(slash..<path.byteCount)
            if end.equals(Self.channels) {
                kind = .channels
            } else if end.equals(Self.allChannels) {
                kind = .allChannels
            } else {
                return nil
            }
        }
        guard !bundle.isEmpty else { return nil }
    }

    /// What is to be done; nil for a method that the path does not have.
    func action(of method: RawSpan) -> Action? {
        switch kind {
        case .broadcast: method.equals("POST") ? .broadcast : nil
        case .allChannels: method.equals("GET") ? .list : nil
        case .channels:
            if method.equals("POST") {
                .create
            } else if method.equals("GET") {
                .read
            } else if method.equals("DELETE") {
                .delete
            } else {
                nil
            }
        }
    }

    /// What a call does.
    enum Action {
        case broadcast
        case create
        case read
        case delete
        case list
    }
}
