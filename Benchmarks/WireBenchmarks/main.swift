// CPU time of the wire engine alone: no TLS, no sockets, no requests checked.
//
//     swift run -c release WireBenchmarks [ROUNDS]
//
// client: submit, drain and the answer's event, per push, against answers that were recorded.
// server: receive, look at the request, respond, drain, per request, against recorded requests.
import Glibc
import HTTP2

let streams = 500
let bodySize = 320

func cpuNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Unique tokens and one body, as spans for the sessions.
struct Pushes {
    let tokens: UnsafeMutableRawBufferPointer
    let body: UnsafeMutableRawBufferPointer

    init() {
        tokens = .allocate(byteCount: 64 * streams, alignment: 64)
        body = .allocate(byteCount: bodySize, alignment: 64)
        let digits = Array("0123456789abcdef".utf8)
        for index in tokens.indices { tokens[index] = digits[Int.random(in: 0..<16)] }
        for index in body.indices { body[index] = 0x20 }
    }

    func token(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: tokens[(64 * index)..<(64 * index + 64)])
    }
}

@inline(never)
func submitAll(_ client: WireClientSession, _ pushes: Pushes) {
    for index in 0..<streams {
        let isTaken = client.submit(
            token: RawSpan(_unsafeBytes: pushes.token(index)),
            body: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(pushes.body)),
            tag: UInt32(index)
        )
        precondition(isTaken || client.availableStreams == 0, "a push was refused")
    }
}

@inline(never)
func takeEvents(_ client: WireClientSession) -> Int {
    var count = 0
    while let event = client.nextEvent() {
        precondition(event.status == 200, "an answer other than 200")
        count += 1
    }
    return count
}

@inline(never)
func answerAll(_ server: WireServerSession, _ response: borrowing ServerResponse) -> Int {
    var count = 0
    while let request = server.nextRequest() {
        let size = server.withRequest(request) {
            $0.body.byteCount + $0.value(of: .path).byteCount
        }
        precondition(size == bodySize + 74, "another request than was sent")
        server.respond(to: request, with: response)
        count += 1
    }
    return count
}

func run() {
    let profile = RequestProfile(
        scheme: "https",
        authority: "localhost:2197",
        fields: [
            .init(name: "apns-topic", value: "com.example.app"),
            .init(name: "apns-push-type", value: "alert"),
            .init(name: "apns-priority", value: "10"),
        ],
        authorization: "bearer " + String(repeating: "j", count: 250)
    )

    let pushes = Pushes()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    let answerBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 4000
    let response = ServerResponse(
        status: 200,
        apnsID: ServerResponse.UUIDText(repeating: 0x61)
    )
    let client = WireClientSession(
        profile: profile,
        settings: SessionSettings(),
        maxStreams: streams
    )
    let server = WireServerSession(settings: SessionSettings())
    // No stream is opened before the server's SETTINGS.
    var greeting = OutputRawSpan(buffer: answerBuffer, initializedCount: 0)
    server.drain(into: &greeting)
    client.receive(greeting.bytes)

    // Submit, drain, receive (client), then receive, respond, drain (server), in nanoseconds.
    var spent = [UInt64](repeating: 0, count: 6)
    var pushesDone = 0
    for round in 0..<(rounds + 100) {
        if round == 100 {
            spent = [UInt64](repeating: 0, count: 6)
            pushesDone = 0
        }
        var marks = [cpuNanoseconds()]
        submitAll(client, pushes)
        marks.append(cpuNanoseconds())
        var output = OutputRawSpan(buffer: buffer, initializedCount: 0)
        client.drain(into: &output)
        marks.append(cpuNanoseconds())
        server.receive(output.bytes)
        marks.append(cpuNanoseconds())
        let answered = answerAll(server, response)
        marks.append(cpuNanoseconds())
        var answers = OutputRawSpan(buffer: answerBuffer, initializedCount: 0)
        server.drain(into: &answers)
        marks.append(cpuNanoseconds())
        client.receive(answers.bytes)
        let ended = takeEvents(client)
        marks.append(cpuNanoseconds())
        precondition(answered == ended, "an answer went missing")
        pushesDone += ended
        for (index, part) in [0, 1, 3, 4, 5, 2].enumerated() {
            let step = [0, 1, 2, 3, 4, 5][index]
            spent[part] += marks[step + 1] - marks[step]
        }
    }

    func perPush(_ index: Int) -> Double { Double(spent[index]) / Double(pushesDone) }
    func show(_ name: String, _ nanoseconds: Double) {
        let tenths = Int((nanoseconds * 10).rounded())
        print("\(name): \(tenths / 10).\(tenths % 10) ns")
    }
    show("client submit", perPush(0))
    show("client drain", perPush(1))
    show("client receive and events", perPush(2))
    show("client per push", perPush(0) + perPush(1) + perPush(2))
    show("server receive", perPush(3))
    show("server look and respond", perPush(4))
    show("server drain", perPush(5))
    show("server per request", perPush(3) + perPush(4) + perPush(5))
}

run()
