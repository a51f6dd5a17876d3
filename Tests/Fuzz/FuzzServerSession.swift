// A whole server against any peer, with answers at any time.

@testable import HTTP2

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServerSession(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let first = input.byte()
    var settings = SessionSettings()
    settings.maxConcurrentStreams = 5
    settings.initialWindowSize = first & 2 == 0 ? 65_535 : 20
    let server = WireServerSession(settings: settings)
    if first & 1 == 1 {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        (preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]).withSpan { server.receive($0) }
    }
    var waiting: [RequestHandle] = []
    while !input.isEmpty {
        switch input.byte() & 7 {
        case 0:
            while let request = server.nextRequest() { waiting.append(request) }
        case 1:
            guard let request = waiting.popLast() else { continue }
            var total = 0
            server.withRequest(request) { view in
                for field in RequestField.allCases {
                    view.value(of: field).withUnsafeBytes { for byte in $0 { total &+= Int(byte) } }
                }
                view.body.withUnsafeBytes { for byte in $0 { total &+= Int(byte) } }
            }
            var response = ServerResponse(status: [200, 400, 410][total % 3])
            let choice = input.byte()
            if choice & 1 == 1 { response.apnsID = .init(repeating: 0x61) }
            if choice & 2 == 2 { response.apnsUniqueID = .init(repeating: 0x62) }
            if choice & 4 == 4 { response.body = [UInt8](repeating: 1, count: Int(choice)) }
            if choice & 8 == 8 { response.fields = [.init(name: "retry-after", value: "1")] }
            server.respond(to: request, with: response)
            // A second answer does nothing.
            server.respond(to: request, with: response)
        case 2:
            guard let request = waiting.popLast() else { continue }
            server.reset(request, errorCode: .refusedStream)
        case 3:
            var output = OutputRawSpan(buffer: fuzzOutput, initializedCount: 0)
            server.drain(into: &output)
        case 4:
            switch input.byte() & 3 {
            case 0: server.goAway(errorCode: .noError, lastStreamID: nil, debugData: [1])
            case 1:
                server.goAway(
                    errorCode: .noError,
                    lastStreamID: UInt32(input.byte()),
                    debugData: []
                )
            default:
                settings.headerTableSize = UInt32(input.byte()) * 16
                settings.initialWindowSize = UInt32(input.byte()) * 8
                settings.maxConcurrentStreams = UInt32(input.byte() & 7)
                settings.maxHeaderListSize = UInt32(input.byte()) * 64
                server.update(settings: settings)
            }
        default: input.peerBytes().withSpan { server.receive($0) }
        }
        precondition(server.streamsInFlight >= 0, "less than no stream")
        precondition(server.outputByteCount < 1 << 25, "the output grew without bound")
    }
    return 0
}
