@testable import HTTP2

/// A server of bare frames under a client session: it does exactly what a test tells it.
final class RawServer {
    let client: any ClientSession
    private var reader = FrameReader(hasPreface: true)
    /// All frames that the client has sent.
    private(set) var frames: [RawFrame] = []
    /// Whether the client's SETTINGS are acknowledged: not before the server's own are sent.
    private let acknowledges: Bool

    /// Bytes of DATA by stream.
    private var dataCounts: [UInt32: Int] = [:]
    /// The ids of streams whose request came to its end.
    private(set) var endedStreams: [UInt32] = []
    /// The ids of streams whose request began.
    private(set) var openedStreams: [UInt32] = []

    /// `:status: 200` from the static table.
    static let ok: [UInt8] = [0x88]

    init(_ client: any ClientSession, settings: [(UInt16, UInt32)]? = []) {
        self.client = client
        acknowledges = settings != nil
        if let settings { send(.settings(settings)) }
        exchange()
    }

    /// The client receives `frames`.
    func send(_ frames: RawFrame...) { client.receive(frames.flatMap(\.bytes)) }

    /// Takes what the client has to say.
    ///
    /// - Returns: The new frames.
    @discardableResult
    func exchange() -> [RawFrame] {
        var new: [RawFrame] = []
        while true {
            let bytes = client.drainAll()
            if bytes.isEmpty { return new }
            let taken = reader.frames(in: bytes)
            new += taken
            taken.forEach(note)
            if acknowledges, taken.contains(where: { $0.isSettings && $0.flags == 0 }) {
                send(.settingsAck)
            }
        }
    }

    /// Bytes of DATA that came for `streamID`.
    func dataCount(_ streamID: UInt32) -> Int { dataCounts[streamID] ?? 0 }

    /// Bytes of DATA that came for all streams.
    func dataCount() -> Int { dataCounts.values.reduce(0, +) }

    private func note(_ frame: RawFrame) {
        frames.append(frame)
        if frame.isData { dataCounts[frame.streamID, default: 0] += frame.payload.count }
        if frame.isHeaders { openedStreams.append(frame.streamID) }
        if frame.endsStream { endedStreams.append(frame.streamID) }
    }
}
