/// What one side of a connection announces in SETTINGS, and the connection's receive window.
public struct SessionSettings: Equatable, Sendable {
    /// SETTINGS_HEADER_TABLE_SIZE: the HPACK table this side's decoder keeps, in bytes.
    public var headerTableSize: UInt32 = 4096
    /// SETTINGS_MAX_CONCURRENT_STREAMS: streams the peer may have open at once.
    public var maxConcurrentStreams: UInt32 = 1000
    /// SETTINGS_INITIAL_WINDOW_SIZE: receive window of each stream, in bytes.
    public var initialWindowSize: UInt32 = 65_535
    /// SETTINGS_MAX_FRAME_SIZE: largest frame payload this side takes, in bytes.
    public var maxFrameSize: UInt32 = 16_384
    /// SETTINGS_MAX_HEADER_LIST_SIZE: largest header list this side takes, in bytes.
    public var maxHeaderListSize: UInt32 = 8000
    /// The receive window of the whole connection, in bytes, kept up with WINDOW_UPDATE.
    public var connectionWindowSize: UInt32 = 1 << 20

    /// The values APNs has been seen to announce, with a wider connection window.
    public init() {}
}
