import HTTP2

/// Some of the values of a SETTINGS frame; nil leaves one as it is.
public struct SettingsChange: Equatable, Sendable {
    /// SETTINGS_MAX_CONCURRENT_STREAMS.
    public var maxConcurrentStreams: UInt32?
    /// SETTINGS_INITIAL_WINDOW_SIZE, in bytes.
    public var initialWindowSize: UInt32?
    /// SETTINGS_HEADER_TABLE_SIZE, in bytes.
    public var headerTableSize: UInt32?
    /// SETTINGS_MAX_FRAME_SIZE, in bytes.
    public var maxFrameSize: UInt32?
    /// SETTINGS_MAX_HEADER_LIST_SIZE, in bytes.
    public var maxHeaderListSize: UInt32?

    /// Makes a change of nothing.
    public init() {}

    func apply(to settings: inout SessionSettings) {
        if let maxConcurrentStreams { settings.maxConcurrentStreams = maxConcurrentStreams }
        if let initialWindowSize { settings.initialWindowSize = initialWindowSize }
        if let headerTableSize { settings.headerTableSize = headerTableSize }
        if let maxFrameSize { settings.maxFrameSize = maxFrameSize }
        if let maxHeaderListSize { settings.maxHeaderListSize = maxHeaderListSize }
    }
}

/// What connections announce, and when they announce something else.
public struct SettingsScript: Equatable, Sendable {
    /// A change in the course of a connection.
    public struct Step: Equatable, Sendable {
        /// When it happens.
        public enum Moment: Equatable, Sendable {
            /// After so many pushes of the connection.
            case afterPushes(UInt64)
            /// So many nanoseconds after the mock's first push, on all connections.
            case at(UInt64)
        }

        /// When.
        public var moment: Moment
        /// What.
        public var change: SettingsChange

        /// Makes a step.
        public init(moment: Moment, change: SettingsChange) {
            self.moment = moment
            self.change = change
        }
    }

    /// What differs from the mock's own values from the start.
    public var start = SettingsChange()
    /// The changes after that; those at the same moment in this order.
    public var steps: [Step] = []

    /// Makes a script that changes nothing.
    public init() {}
}
