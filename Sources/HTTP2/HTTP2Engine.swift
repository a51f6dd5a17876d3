/// The implementation of HTTP/2 that a connection runs on.
///
/// All engines behave alike at ``ClientSession`` and ``ServerSession``; they differ in speed.
public enum HTTP2Engine: String, CaseIterable, Sendable {
    /// libnghttp2: the yardstick that the others are tested against.
    case nghttp2
    /// This package's own frames and HPACK: the fast one.
    case wire

    /// Makes the client's end of a new connection.
    ///
    /// - Parameters:
    ///   - profile: What all requests of the connection share.
    ///   - settings: What is announced to the peer.
    ///   - maxStreams: Most streams in flight, whatever the peer allows; at least 1.
    /// - Returns: A session whose output starts with the connection preface.
    public func makeClientSession(
        profile: RequestProfile,
        settings: SessionSettings = SessionSettings(),
        maxStreams: Int
    ) -> any ClientSession {
        switch self {
        case .nghttp2:
            NGHTTP2ClientSession(profile: profile, settings: settings, maxStreams: maxStreams)
        case .wire:
            WireClientSession(profile: profile, settings: settings, maxStreams: maxStreams)
        }
    }
}
