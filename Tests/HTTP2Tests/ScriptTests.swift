import PushModel
import Testing

@testable import HTTP2

/// Seeded random scripts of everything both ends can do, with an account kept beside them.
@Suite struct ScriptTests {
    @Test(arguments: Pairing.all)
    func everyPushEndsOnceInEveryScript(_ pair: Pairing) {
        for seed in 0..<300 as Range<UInt64> {
            let script = Script(pair, seed: seed)
            script.run()
            if !script.faults.isEmpty {
                Issue.record("seed \(seed): \(script.faults)")
                return
            }
        }
    }
}

/// One random script; equal seeds run alike.
private final class Script {
    let client: any ClientSession
    let server: any ServerSession
    private var random: SplitMix64
    private var up: [UInt8] = []
    private var down: [UInt8] = []
    private var nextTag: UInt32 = 0
    private var inFlight: Set<UInt32> = []
    private var bodyCounts: [UInt32: Int] = [:]
    private var waiting: [(handle: RequestHandle, tag: UInt32)] = []
    /// What the server answered: a status, or 0 for a reset.
    private var answers: [UInt32: UInt16] = [:]
    private var received: Set<UInt32> = []
    private var initialWindow: UInt32
    private var pongsDue = 0
    private var hasGoneAway = false
    private(set) var faults: [String] = []

    init(_ pair: Pairing, seed: UInt64) {
        random = SplitMix64(seed: seed)
        let settings = Script.settings(&random)
        server = pair.server.make(settings)
        initialWindow = settings.initialWindowSize
        client = pair.client.make(maxStreams: Int.random(in: 1...60, using: &random))
    }

    func run() {
        for _ in 0..<Int.random(in: 20...400, using: &random) where faults.isEmpty { step() }
        if Int.random(in: 0..<4, using: &random) == 0 {
            client.connectionLost()
            takeEvents()
            check(!client.hasOutput && client.availableStreams == 0, "a lost session works on")
        } else {
            finish()
        }
        check(inFlight.isEmpty, "no event for \(inFlight.sorted())")
        check(client.streamsInFlight == 0, "\(client.streamsInFlight) in flight at the end")
        check(client.nextEvent() == nil, "an event too many")
    }

    private func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: submit()
        case 25..<50: moveUp(Int.random(in: 1...2000, using: &random))
        case 50..<75: moveDown(Int.random(in: 1...2000, using: &random))
        case 75..<91: answer()
        case 91..<94: updateSettings()
        case 94..<96: ping()
        case 96..<98:
            client.setAuthorization(Bool.random(using: &random) ? nil : "bearer \(nextTag)")
        case 98: if Int.random(in: 0..<8, using: &random) == 0 { goAway() }
        default: if Int.random(in: 0..<8, using: &random) == 0 { shutdown() }
        }
        takeEvents()
        check(client.streamsInFlight == inFlight.count, "in flight: \(client.streamsInFlight)")
        let limit = Int(client.peerMaxConcurrentStreams)
        check(
            client.availableStreams <= max(limit - inFlight.count, 0),
            "\(client.availableStreams) available of \(limit), \(inFlight.count) in flight"
        )
    }

    private func submit() {
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            let available = client.availableStreams
            let count =
                Int.random(in: 0..<4, using: &random) == 0
                ? Int.random(in: 1...9000, using: &random) : Int.random(in: 1...500, using: &random)
            let isTaken = client.submit(tag: nextTag, bodyCount: count)
            check(isTaken == (available > 0), "submit was \(isTaken) with \(available) available")
            if !isTaken { return }
            inFlight.insert(nextTag)
            bodyCounts[nextTag] = count
            nextTag += 1
        }
    }

    private func moveUp(_ count: Int) {
        up += client.drain(capacity: Int.random(in: 0...5000, using: &random))
        let moved = min(count, up.count)
        server.receive(Array(up.prefix(moved)))
        up.removeFirst(moved)
        while let handle = server.nextRequest() {
            let request = server.request(handle)
            guard let tag = request.tag, received.insert(tag).inserted else {
                faults.append("a request without tag, or twice")
                continue
            }
            check(request.body == body(for: tag, count: bodyCounts[tag] ?? 0), "body of \(tag)")
            waiting.append((handle, tag))
        }
    }

    private func moveDown(_ count: Int) {
        down += server.drain(capacity: Int.random(in: 0...5000, using: &random))
        let moved = min(count, down.count)
        client.receive(Array(down.prefix(moved)))
        down.removeFirst(moved)
    }

    private func answer() {
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            guard let index = waiting.indices.randomElement(using: &random) else { return }
            let (handle, tag) = waiting.remove(at: index)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                server.reset(handle, errorCode: .internalError)
                answers[tag] = 0
            case 1...2:
                let count = Int.random(in: 1...6000, using: &random)
                server.respond(
                    to: handle,
                    with: ServerResponse(status: 400, body: body(for: tag, count: count))
                )
                answers[tag] = 400
            default:
                server.respond(to: handle, with: .accepted(tag))
                answers[tag] = 200
            }
        }
    }

    private func updateSettings() {
        var settings = Script.settings(&random)
        // nghttp2's server takes bytes that were on their way when it lowered the window for an
        // overrun; RawServer shows what clients do then.
        initialWindow = max(initialWindow, settings.initialWindowSize)
        settings.initialWindowSize = initialWindow
        server.update(settings: settings)
    }

    private func ping() {
        client.ping(payload: random.next())
        server.ping(payload: random.next())
        pongsDue += 1
    }

    private func goAway() {
        server.goAway(errorCode: .noError, lastStreamID: nil, debugData: Array("{}".utf8))
        hasGoneAway = true
    }

    private func shutdown() {
        client.shutdown()
        hasGoneAway = true
        check(client.availableStreams == 0, "streams after shutdown")
    }

    private func takeEvents() {
        while let event = client.nextEvent() {
            switch event.kind {
            case .goAway: continue
            case .pong:
                pongsDue -= 1
                continue
            default: break
            }
            check(inFlight.remove(event.tag) != nil, "\(event.kind) twice for \(event.tag)")
            switch event.kind {
            case .responded:
                check(answers[event.tag] == event.status, "status \(event.status) of \(event.tag)")
                let kept = client.responseBody(of: event)
                check(
                    event.status == 200
                        ? kept.isEmpty
                        : !kept.isEmpty && kept == body(for: event.tag, count: kept.count),
                    "answer's body of \(event.tag)"
                )
            case .reset: check(answers[event.tag] == 0, "reset of \(event.tag): \(event.errorCode)")
            case .unprocessed:
                check(!received.contains(event.tag), "\(event.tag) was processed after all")
            default: break
            }
        }
    }

    /// Lets everything come to its end.
    private func finish() {
        server.update(
            settings: .with {
                $0.maxConcurrentStreams = 100
                $0.initialWindowSize = max(initialWindow, 65_535)
            }
        )
        for _ in 0..<20_000 where faults.isEmpty {
            moveUp(.max)
            moveDown(.max)
            answer()
            takeEvents()
            if inFlight.isEmpty && up.isEmpty && down.isEmpty && !client.hasOutput
                && !server.hasOutput
            {
                break
            }
        }
        // Behind a GOAWAY and without streams the connection is at its end.
        check(hasGoneAway || pongsDue == 0, "\(pongsDue) pings without answer")
        let isOpen = hasGoneAway ? SessionState.draining : .open
        check(client.state == isOpen, "client \(client.state)")
        check(server.state == isOpen, "server \(server.state)")
        check(server.streamsInFlight == 0, "server has \(server.streamsInFlight) open")
    }

    private func check(_ condition: Bool, _ fault: @autoclosure () -> String) {
        if !condition { faults.append(fault()) }
    }

    private static func settings(_ random: inout SplitMix64) -> SessionSettings {
        var settings = SessionSettings()
        settings.headerTableSize = [0, 100, 4096, 8192].randomElement(using: &random) ?? 4096
        settings.maxConcurrentStreams = [1, 2, 10, 50, 500].randomElement(using: &random) ?? 10
        settings.initialWindowSize =
            [0, 30, 300, 1024, 65_535, 1 << 20].randomElement(using: &random) ?? 65_535
        settings.connectionWindowSize = [65_535, 1 << 20].randomElement(using: &random) ?? 65_535
        return settings
    }
}
