/// How many streams a peer may have open, as it may know by now.
///
/// nghttp2 ends a connection on which one more is opened; this side refuses the stream alone, so
/// that nghttp2 is told of no limit (``NGHTTP2Output/streamLimits``).
struct NGHTTP2StreamLimit {
    /// Streams taken before the peer has acknowledged how many it may open.
    private static let unacknowledged = 1024
    private static let largest = 1 << 16

    /// The most that is allowed now: a higher limit holds from its announcement on, a lower one from
    /// its acknowledgement on.
    private(set) var value = Self.unacknowledged
    private var pending: [Int] = []

    /// SETTINGS that the peer has not acknowledged.
    var pendingCount: Int { pending.count }

    /// Notes that SETTINGS with this limit are sent.
    mutating func announce(_ streams: UInt32) {
        let streams = min(Int(streams), Self.largest)
        value = max(value, streams)
        pending.append(streams)
    }

    /// Notes that the peer has acknowledged the oldest of the SETTINGS.
    mutating func acknowledged() {
        guard !pending.isEmpty else { return }
        let streams = pending.removeFirst()
        value = max(streams, pending.max() ?? 0)
    }
}
