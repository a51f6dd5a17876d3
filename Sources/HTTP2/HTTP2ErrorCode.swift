/// An HTTP/2 error code (RFC 9113 section 7); values that the RFC does not name are kept.
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code as it stands on the wire.
    public var rawValue: UInt32

    /// Makes a code from its wire value.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Not an error: a graceful end.
    public static let noError = HTTP2ErrorCode(rawValue: 0x0)
    /// The peer broke the protocol in a way no other code names.
    public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    /// This side failed.
    public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// The peer overran a flow-control window.
    public static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    /// SETTINGS were not acknowledged in time.
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    /// A frame came for a stream that is half-closed or closed.
    public static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    /// A frame has a size that its type forbids.
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    /// The stream was refused before any processing: safe to send again.
    public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    /// The stream is no longer needed.
    public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    /// The HPACK state can no longer be kept.
    public static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    /// A CONNECT tunnel was broken.
    public static let connectError = HTTP2ErrorCode(rawValue: 0xA)
    /// The peer makes too much work.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
    /// The transport's security does not suffice.
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xC)
    /// The peer wants HTTP/1.1.
    public static let http11Required = HTTP2ErrorCode(rawValue: 0xD)
}
