/// The server's end of a connection on this package's own frames and HPACK.
///
/// Checks every rule of RFC 9113 and RFC 7541 that a peer can break, and bounds all that a peer can
/// make it keep: streams, header bytes, body bytes, answers that wait. A request that differs from
/// the last one in its path alone is not decoded again, and allocates nothing. Touched by one
/// thread at a time.
///
/// Of a body the first 65,536 bytes are kept.
public final class WireServerSession: ServerSession {
    /// At a fixed address: access costs neither reference counts nor exclusivity checks.
    private let core: UnsafeMutablePointer<WireServerCore>

    /// Makes a session that has its SETTINGS to drain.
    ///
    /// - Parameter settings: What this side announces.
    public init(settings: SessionSettings) {
        core = .allocate(capacity: 1)
        core.initialize(to: WireServerCore(settings: settings))
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// Whether the session still works.
    public var state: SessionState { core.pointee.connection.state }
    /// Streams that are open: their request has begun and their answer is not out.
    public var streamsInFlight: Int { core.pointee.openCount }
    /// Whether ``drain(into:)`` would produce bytes.
    public var hasOutput: Bool { !core.pointee.connection.output.isEmpty }
    /// Whether the peer began something that it has not finished.
    public var isMidway: Bool { core.pointee.isMidway }
    /// Bytes that are kept of requests that are not whole and of answers that wait for a window.
    public var unfinishedByteCount: Int { core.pointee.unfinishedBytes }
    /// Streams that were refused because they were more than the settings in force allow.
    public var refusedStreamCount: Int { core.pointee.refusedCount }
    /// Bytes that wait for ``drain(into:)``: a caller that cannot write stops reading at some limit.
    public var outputByteCount: Int { core.pointee.connection.output.count }

    /// Gives back memory that streams have left which are over.
    public func trim() -> Bool { core.pointee.trim() }

    /// Takes bytes that came from the peer; any split is fine.
    public func receive(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { core.pointee.receive($0) }
    }

    /// The handle of the next whole request, in order of completion.
    public func nextRequest() -> RequestHandle? { core.pointee.nextRequest() }

    /// Calls `body` with the request; the view's spans are valid during the call alone.
    ///
    /// A handle that was answered gives an empty request.
    public func withRequest<R>(
        _ handle: RequestHandle,
        _ body: (borrowing RequestView) -> R
    ) -> R {
        guard let slot = core.pointee.takenSlot(handle),
            let fields = core.pointee.bytes[slot].fields
        else {
            let none = [RequestView.FieldRange](
                repeating: RequestView.FieldRange(),
                count: RequestField.allCases.count
            )
            return none.withUnsafeBufferPointer { ranges in
                guard let start = ranges.baseAddress else {
                    preconditionFailure("a request has fields")
                }
                return body(
                    RequestView(
                        fields: start,
                        fieldBytes: UnsafeRawPointer(start),
                        bodyBytes: UnsafeRawBufferPointer(start: nil, count: 0),
                        duplicatedField: nil
                    )
                )
            }
        }
        return body(
            RequestView(
                fields: UnsafePointer(core.pointee.rangesOf(slot)),
                fieldBytes: UnsafeRawPointer(fields),
                bodyBytes: core.pointee.bytes[slot].body.bytes,
                bodyByteCount: core.pointee.streams[slot].received,
                duplicatedField: core.pointee.streams[slot].duplicatedField
            )
        )
    }

    /// Gives back what a request's body takes, where the answer comes later.
    public func dropBody(of handle: RequestHandle) { core.pointee.dropBody(of: handle) }

    /// Answers a request and gives its storage back.
    public func respond(to handle: RequestHandle, with response: borrowing ServerResponse) {
        core.pointee.respond(to: handle, with: response)
    }

    /// Resets a request's stream and gives its storage back.
    public func reset(_ handle: RequestHandle, errorCode: HTTP2ErrorCode) {
        core.pointee.reset(handle, errorCode: errorCode)
    }

    /// Moves as many output bytes as fit into `output`.
    public func drain(into output: inout OutputRawSpan) {
        core.pointee.connection.output.drain(into: &output)
    }

    /// Announces new settings; they hold from the peer's acknowledgement on.
    public func update(settings: SessionSettings) { core.pointee.update(settings) }

    /// Queues GOAWAY with the last stream id processed so far, or `lastStreamID` where given.
    public func goAway(errorCode: HTTP2ErrorCode, lastStreamID: UInt32?, debugData: [UInt8]) {
        core.pointee.goAway(
            errorCode: errorCode,
            lastStreamID: lastStreamID,
            debugData: debugData
        )
    }

    /// Queues a PING.
    public func ping(payload: UInt64) { core.pointee.connection.writePing(payload) }
}
