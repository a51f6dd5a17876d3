// A whole client against any peer: each push ends exactly once, and never more streams are open
// than submitted.

@testable import HTTP2

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClientSession(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let first = input.byte()
    let client = WireClientSession(
        profile: RequestProfile(
            scheme: "https",
            authority: "localhost",
            fields: [.init(name: "apns-topic", value: "a")],
            authorization: "bearer token",
            indexing: first & 2 == 0 ? .strict : .indexedAuth
        ),
        settings: SessionSettings(),
        maxStreams: 20,
        firstStreamID: first & 4 == 0 ? 1 : 0x7FFF_FFF1
    )
    if first & 1 == 1 { [0, 0, 0, 4, 0, 0, 0, 0, 0].withSpan { client.receive($0) } }
    var ended: [Int] = []
    func takeEvents() {
        while let event = client.nextEvent() {
            _ = client.withResponseBody(of: event) { $0.byteCount }
            if event.kind == .goAway || event.kind == .pong { continue }
            ended[Int(event.tag)] += 1
            precondition(ended[Int(event.tag)] == 1, "a tag ended twice")
        }
    }
    while !input.isEmpty {
        switch input.byte() & 7 {
        case 0, 1:
            let body = [UInt8](repeating: 0x20, count: 1 + Int(input.byte()) * 16)
            let isTaken = [0x61, 0x62].withSpan { token in
                body.withSpan { client.submit(token: token, body: $0, tag: UInt32(ended.count)) }
            }
            if isTaken { ended.append(0) }
        case 2:
            var output = OutputRawSpan(
                buffer: UnsafeMutableRawBufferPointer(
                    rebasing: fuzzOutput[..<(1 + Int(input.byte()) * 8)]
                ),
                initializedCount: 0
            )
            client.drain(into: &output)
        case 3: takeEvents()
        case 4:
            switch input.byte() & 3 {
            case 0: client.setAuthorization("bearer other")
            case 1: client.setAuthorization(nil)
            case 2: client.ping(payload: 1)
            default: client.shutdown()
            }
        default: input.peerBytes().withSpan { client.receive($0) }
        }
        precondition(client.streamsInFlight <= 20, "more streams than allowed")
        precondition(client.availableStreams >= 0, "less than no stream")
    }
    client.connectionLost()
    takeEvents()
    precondition(client.streamsInFlight == 0, "a stream is left")
    precondition(ended.allSatisfy { $0 == 1 }, "a push did not end once")
    return 0
}
