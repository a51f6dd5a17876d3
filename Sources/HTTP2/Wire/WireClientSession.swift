/// The client's end of a connection on this package's own frames and HPACK.
///
/// Made for many requests that differ in path and body alone: the first teaches the peer's HPACK
/// table, each later one is a ready-made block and the body, written straight into the output. A
/// push allocates nothing once the buffers have grown to their size. Touched by one thread at a time.
///
/// No stream is opened before the peer's first SETTINGS: RFC 9113 would allow any number, but APNs
/// starts with a limit of one.
public final class WireClientSession: ClientSession {
    /// At a fixed address: access costs neither reference counts nor exclusivity checks.
    private let core: UnsafeMutablePointer<WireClientCore>

    /// Makes a session that has the client's preface to drain.
    ///
    /// - Parameters:
    ///   - profile: The fields that all requests share.
    ///   - settings: What this side announces.
    ///   - maxStreams: Most streams in flight, at least 1, whatever the peer would take.
    public convenience init(profile: RequestProfile, settings: SessionSettings, maxStreams: Int) {
        self.init(
            profile: profile,
            settings: settings,
            maxStreams: maxStreams,
            firstStreamID: 1
        )
    }

    init(
        profile: RequestProfile,
        settings: SessionSettings,
        maxStreams: Int,
        firstStreamID: UInt32
    ) {
        core = .allocate(capacity: 1)
        core.initialize(
            to: WireClientCore(
                profile: profile,
                settings: settings,
                maxStreams: maxStreams,
                firstStreamID: firstStreamID
            )
        )
    }

    deinit {
        core.deinitialize(count: 1)
        core.deallocate()
    }

    /// How many requests can be submitted now.
    public var availableStreams: Int { core.pointee.availableStreams }
    /// Streams that were submitted and have not ended.
    public var streamsInFlight: Int { core.pointee.inFlight }
    /// The peer's SETTINGS_MAX_CONCURRENT_STREAMS; 0 until its first SETTINGS.
    public var peerMaxConcurrentStreams: UInt32 {
        hasPeerSettings ? core.pointee.connection.peerMaxConcurrentStreams : 0
    }
    /// Whether the peer's first SETTINGS came.
    public var hasPeerSettings: Bool { core.pointee.connection.hasPeerSettings }
    /// Whether the session still works.
    public var state: SessionState { core.pointee.connection.state }
    /// Whether ``drain(into:)`` would produce bytes.
    public var hasOutput: Bool { !core.pointee.connection.output.isEmpty }
    /// Bytes that wait for ``drain(into:)``.
    public var outputByteCount: Int { core.pointee.connection.output.count }

    /// Takes bytes that came from the peer; any split is fine.
    public func receive(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { core.pointee.receive($0) }
    }

    /// Submits one push; token and body are copied before the call returns.
    ///
    /// - Parameters:
    ///   - token: The device token's digits.
    ///   - body: The whole body.
    ///   - tag: Handed back in the stream's one event.
    /// - Returns: False, with nothing done, where no stream can be opened, or each request has to
    ///   have an id.
    public func submit(token: RawSpan, body: RawSpan, tag: UInt32) -> Bool {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        return token.withUnsafeBytes { token in
            body.withUnsafeBytes { body in
                core.pointee.submit(token: token, id: none, body: body, tag: tag)
            }
        }
    }

    /// Submits one push with an `apns-id` of its own.
    ///
    /// - Parameters:
    ///   - token: The device token's digits.
    ///   - apnsID: The id, ``RequestProfile/idByteCount`` bytes.
    ///   - body: The whole body.
    ///   - tag: Handed back in the stream's one event.
    /// - Returns: False, with nothing done, where no stream can be opened, or the id has another size
    ///   or is not wanted.
    public func submit(token: RawSpan, apnsID: RawSpan, body: RawSpan, tag: UInt32) -> Bool {
        token.withUnsafeBytes { token in
            apnsID.withUnsafeBytes { id in
                body.withUnsafeBytes { body in
                    core.pointee.submit(token: token, id: id, body: body, tag: tag)
                }
            }
        }
    }

    /// Moves as many output bytes as fit into `output`.
    public func drain(into output: inout OutputRawSpan) {
        core.pointee.connection.output.drain(into: &output)
    }

    /// The next thing that happened, in order; nil when all is told.
    public func nextEvent() -> ClientEvent? { core.pointee.events.next() }

    /// Calls `body` with the response body of `event`, at most 4,096 bytes of it.
    ///
    /// The bytes stay until a ``receive(_:)`` that finds all events told.
    public func withResponseBody<R>(of event: ClientEvent, _ body: (RawSpan) -> R) -> R {
        body(RawSpan(_unsafeBytes: core.pointee.events.body(event.bodyRange)))
    }

    /// Replaces the authorization value from the next request on.
    public func setAuthorization(_ value: String?) { core.pointee.template.setAuthorization(value) }

    /// Queues a PING with `payload`.
    public func ping(payload: UInt64) { core.pointee.ping(payload) }

    /// Queues GOAWAY and takes no more requests; the streams in flight go on.
    public func shutdown() { core.pointee.shutdown() }

    /// Ends every stream in flight, for a connection that is gone, and drops the output.
    public func connectionLost() { core.pointee.connectionLost() }
}
