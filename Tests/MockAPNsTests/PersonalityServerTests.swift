import Foundation
import HTTP2
import NetIO
import PushModel
import Testing

@testable import MockAPNs

/// Personalities over real sockets, on both engines.
@Suite(.timeLimit(.minutes(5))) struct PersonalityServerTests {
    private func start(
        _ engine: HTTP2Engine,
        _ text: String,
        transport: MockConfiguration.Transport = .plain,
        authentication: AuthenticationPolicy = .off,
        _ change: (inout MockConfiguration) -> Void = { _ in }
    ) throws -> MockServer {
        var reader = PersonalityReader()
        if try !reader.read(builtIn: text) { try reader.read(Array(text.utf8)) }
        var configuration = MockConfiguration()
        configuration.transport = transport
        configuration.engine = engine
        configuration.rules.authentication = authentication
        configuration.rules.reasons = reader.reasons
        configuration.personality = reader.personality
        change(&configuration)
        return try MockServer(configuration)
    }

    /// Waits until something holds that another thread brings about; the suite has a time limit.
    private func wait(until condition: () -> Bool) {
        while !condition() { sched_yield() }
    }

    /// Tokens that differ.
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test(arguments: HTTP2Engine.allCases)
    func applesLimitFollowsTheAnswers(_ engine: HTTP2Engine) throws {
        let server = try start(engine, "apple") {
            $0.rules.script.setFate(
                .init(reason: ReasonCode(.unregistered), timestampMilliseconds: 1_700_000_000_000),
                ofToken: "dead"
            )
        }
        let client = try PushClient(server)
        #expect(client.session.peerMaxConcurrentStreams == 1)
        #expect(try client.push() == "200")
        // What an answer changes is read with it, or before the next one.
        #expect(try client.push() == "200")
        #expect(client.session.peerMaxConcurrentStreams == 1000)
        #expect(
            try client.push(token: "dead")
                == #"410 {"reason":"Unregistered","timestamp":1700000000000}"#
        )
        #expect(try client.push() == "200")
        #expect(client.session.peerMaxConcurrentStreams == 1000)
        #expect(try client.push(token: "abc") == #"400 {"reason":"BadDeviceToken"}"#)
        #expect(try client.push(token: "abc") == #"400 {"reason":"BadDeviceToken"}"#)
        #expect(client.session.peerMaxConcurrentStreams == 1)
        #expect(try client.push() == "200")
        #expect(try client.push() == "200")
        #expect(client.session.peerMaxConcurrentStreams == 1000)
        #expect(server.statistics.counts()[.settingsChanges] == 3)
    }

    @Test func aClientCertificateStartsAtApplesFullLimit() throws {
        let identity = try TLSIdentity.selfSigned(names: ["com.example.app"])
        let server = try Scratch.withFile(identity.certificatePEM) { path in
            try start(.wire, "apple", transport: .tls(nil), authentication: .any) {
                $0.clientCAFile = path
            }
        }
        #expect(try PushClient(server, identity: identity).session.peerMaxConcurrentStreams == 1000)
        #expect(try PushClient(server).session.peerMaxConcurrentStreams == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func manyErrorsEndWithTwoGoAwaysAndTheReason(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            #"{"disconnect": {"errors": 3}, "goAway": {"twice": true, "grace": "1ms"}}"#
        )
        let client = try PushClient(server, engine: .wire)
        for _ in 0..<2 {
            #expect(try client.push(token: "abc") == #"400 {"reason":"BadDeviceToken"}"#)
        }
        // A GOAWAY may overtake the answer.
        var told = [try client.push(token: "abc")]
        while told.count < 3 { told.append(try client.nextAnswer()) }
        #expect(told.count { $0 == #"400 {"reason":"BadDeviceToken"}"# } == 1)
        #expect(told.count { $0 == #"GOAWAY {"reason":"BadDeviceToken"}"# } == 2)
        try client.waitForEnd()
        let counts = server.statistics.counts()
        #expect(counts[.disconnections] == 1)
        #expect(counts[.goAways] == 1)
        #expect(counts.requests == 3)
    }

    @Test(arguments: HTTP2Engine.allCases, [false, true])
    func everythingUpToTheLastStreamOfAGoAwayIsAnswered(
        _ engine: HTTP2Engine,
        _ isTwice: Bool
    ) throws {
        let server = try start(
            engine,
            """
            {"goAway": {"everyPushes": 100, "twice": \(isTwice), "grace": "2ms"},
             "delay": "3ms"}
            """
        )
        var accepted: Set<UInt32> = []
        var next: UInt32 = 0
        var waiting: [UInt32] = []
        var connections = 0
        while accepted.count < 1000 {
            connections += 1
            let client = try PushClient(server, engine: engine, maxStreams: 40)
            while true {
                while let tag = waiting.last ?? (next < 1000 ? next : nil) {
                    guard client.submit(token: Self.token(Int(tag)), tag: tag) else { break }
                    if waiting.isEmpty { next += 1 } else { waiting.removeLast() }
                }
                // Events wait also where no stream is open any more.
                let waits = client.session.streamsInFlight > 0
                guard
                    let event = try client.session.nextEvent() ?? (waits ? client.nextEvent() : nil)
                else { break }
                switch event.kind {
                case .responded: #expect(accepted.insert(event.tag).inserted)
                case .unprocessed: waiting.append(event.tag)
                case .goAway, .pong: break
                case .reset, .connectionLost: Issue.record("\(event)")
                }
            }
        }
        server.stop()
        let counts = server.statistics.counts()
        // Each exactly once: what was not processed was said to be so.
        #expect(counts.requests == 1000)
        #expect(counts.accepted == 1000)
        #expect(counts[.answersDropped] == 0)
        #expect(connections >= 2)
        #expect(counts[.goAways] >= 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func refusedStreamsAreNotProcessedAndFailedOnesAre(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            #"{"faults": {"refusedStream": "20%", "internalError": "10%"}}"#
        )
        let client = try PushClient(server)
        var kinds: [ClientEvent.Kind: UInt64] = [:]
        var sent: UInt32 = 0
        while kinds.values.reduce(0, +) < 1000 {
            while sent < 1000, client.submit(token: Self.token(Int(sent)), tag: sent) { sent += 1 }
            let event = try client.nextEvent()
            kinds[event.kind, default: 0] += 1
            if event.kind == .reset { #expect(event.errorCode == .internalError) }
        }
        let counts = server.statistics.counts()
        #expect(kinds[.unprocessed] == counts[.streamsRefused])
        #expect(kinds[.reset] == counts[.streamsFailed])
        #expect(counts.requests == 1000 - counts[.streamsRefused])
        #expect(kinds[.responded] == counts.requests - counts[.streamsFailed])
        #expect((150...250).contains(counts[.streamsRefused]))
        #expect((60...140).contains(counts[.streamsFailed]))
    }

    @Test(arguments: HTTP2Engine.allCases, [false, true])
    func aSilentDeathLeavesTheConnectionOpenAndUnheard(
        _ engine: HTTP2Engine,
        _ isTLS: Bool
    ) throws {
        let server = try start(
            engine,
            #"{"faults": {"silentDeath": "100%"}}"#,
            transport: isTLS ? .tls(nil) : .plain
        ) {
            // Within which our client begins on a busy machine too.
            $0.requestTimeoutNanoseconds = 500_000_000
        }
        let client = try PushClient(server)
        // The acknowledgement of the client's SETTINGS comes before.
        client.session.ping(payload: 1)
        while try client.nextEvent().kind != .pong {}
        #expect(client.submit())
        try client.send()
        wait { server.statistics.counts()[.silentDeaths] == 1 }
        // What was said before that.
        while try client.hasInput(within: 100_000_000) { try client.receiveOnce() }
        client.session.ping(payload: 2)
        try client.send()
        // Neither an end nor an answer comes, also none to a PING.
        #expect(try !client.hasInput(within: 1_200_000_000))
        #expect(server.statistics.counts().connectionsClosed == 0)
        client.connection.close()
        wait { server.statistics.counts().connectionsClosed == 1 }
        #expect(server.statistics.counts().requests == 0)
    }

    @Test(arguments: HTTP2Engine.allCases, [false, true])
    func aResetIsAReset(_ engine: HTTP2Engine, _ isTLS: Bool) throws {
        let server = try start(
            engine,
            #"{"faults": {"reset": "100%"}}"#,
            transport: isTLS ? .tls(nil) : .plain
        )
        let client = try PushClient(server)
        #expect(throws: NetIOError.self) { try client.push() }
        wait { server.statistics.counts().connectionsClosed == 1 }
        let counts = server.statistics.counts()
        #expect(counts[.connectionResets] == 1)
        #expect(counts.requests == 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func aThrottledPushIsTakenAtItsSecondRetry(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            """
            {"throttling": {"ServiceUnavailable":
                {"share": "100%", "times": 2, "retryAfter": "1500ms"}}}
            """
        )
        let client = try PushClient(server)
        for _ in 0..<2 {
            #expect(client.submit())
            let event = try client.nextEvent()
            #expect(event.status == 503)
            #expect(event.retryAfterSeconds == 2)
        }
        #expect(try client.push() == "200")
        #expect(server.statistics.counts().refusals(named: "ServiceUnavailable") == 2)
        #expect(server.statistics.counts().accepted == 1)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func delayedAnswersComeInTheirOrderAndNotBeforeTheirTime(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"delay": {"uniform": ["1ms", "20ms"]}}"#)
        let client = try PushClient(server)
        let start = MonotonicInstant.now()
        for tag in 0..<500 as Range<UInt32> { #expect(client.submit(tag: tag)) }
        var order: [UInt32] = []
        while order.count < 500 {
            let event = try client.nextEvent()
            #expect(event.status == 200)
            order.append(event.tag)
            #expect(MonotonicInstant.now().nanoseconds(since: start) >= 1_000_000)
        }
        #expect(Set(order).count == 500)
        #expect(order != order.sorted())
    }

    @Test(arguments: HTTP2Engine.allCases)
    func answersThatWaitForAConnectionThatEndsAreDropped(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"delay": "1h"}"#)
        for _ in 0..<5 {
            let client = try PushClient(server)
            for tag in 0..<100 as Range<UInt32> { #expect(client.submit(tag: tag)) }
            let before = server.statistics.counts().requests
            try client.send()
            wait { server.statistics.counts().requests == before + 100 }
            client.connection.close()
        }
        wait { server.statistics.counts().connectionsClosed == 5 }
        let counts = server.statistics.counts()
        #expect(counts[.answersDropped] == 500)
        #expect(counts.accepted == 500)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func answersThatAreDueSoonStillComeWhenTheMockStops(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"delay": "20ms"}"#)
        let client = try PushClient(server, engine: .wire)
        for tag in 0..<50 as Range<UInt32> { #expect(client.submit(tag: tag)) }
        try client.send()
        wait { server.statistics.counts().requests == 50 }
        server.stop()
        var answers: [String: Int] = [:]
        while answers.values.reduce(0, +) < 51 { answers[try client.nextAnswer(), default: 0] += 1 }
        #expect(answers["200"] == 50)
        #expect(server.statistics.counts()[.answersDropped] == 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func settingsChangeInMidRun(_ engine: HTTP2Engine) throws {
        let server = try start(
            engine,
            """
            {"settings": {"maxConcurrentStreams": 5, "headerTableBytes": 4096, "changes": [
                {"afterPushes": 10, "maxConcurrentStreams": 50, "headerTableBytes": 0},
                {"afterPushes": 20, "maxConcurrentStreams": 2, "headerTableBytes": 200,
                 "initialWindowBytes": 64},
                {"at": "0s", "maxFrameBytes": 20000}]}}
            """
        )
        for clientEngine in HTTP2Engine.allCases {
            let client = try PushClient(server, engine: clientEngine)
            #expect(client.session.peerMaxConcurrentStreams == 5)
            let body = #"{"a":"\#(String(repeating: "x", count: 2000))"}"#
            for _ in 0..<12 { #expect(try client.push(body: body) == "200") }
            #expect(client.session.peerMaxConcurrentStreams == 50)
            for _ in 0..<20 { #expect(try client.push(body: body) == "200") }
            #expect(client.session.peerMaxConcurrentStreams == 2)
        }
        #expect(server.statistics.counts().accepted == 64)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func whoResetsAConnectionThatWasToldToGoFailsNoHandshake(_ engine: HTTP2Engine) throws {
        let server = try start(engine, #"{"goAway": {"everyPushes": 1}}"#)
        let client = try PushClient(server)
        #expect(client.submit())
        try client.waitForEnd()
        client.connection.closeWithReset()
        wait { server.statistics.counts().connectionsClosed == 1 }
        #expect(server.statistics.counts().handshakesFailed == 0)
        #expect(server.statistics.counts()[.answersDropped] == 0)
    }

    @Test(arguments: HTTP2Engine.allCases)
    func whoHoldsMostOfUnfinishedBodiesHasToGo(_ engine: HTTP2Engine) throws {
        let server = try start(engine, "accept-all") {
            $0.unfinishedByteLimit = 100_000
            $0.settings.initialWindowSize = 1 << 20
        }
        // HEADERS, then DATA that never ends: 10,000 bytes, 10,000 and 90,000.
        var sockets: [RawSocket] = []
        for frames in [1, 1, 9] {
            let socket = try RawSocket(port: server.port)
            socket.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
                    + [0, 0, 6, 1, 4, 0, 0, 0, 1, 0x83, 0x87, 0x84, 0x41, 1, 0x78]
            )
            for _ in 0..<frames {
                socket.send(
                    [0, 0x27, 0x10, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 10_000)
                )
            }
            // More streams of the same size, so that none passes what is kept of one body.
            sockets.append(socket)
            if frames == 1 {
                let received = UInt64(sockets.count) * 10_000
                wait { server.statistics.counts()[.bytesReceived] > received }
            }
        }
        // A second stream of the third one brings all three over the limit.
        sockets[2].send([0, 0, 6, 1, 4, 0, 0, 0, 3, 0x83, 0x87, 0x84, 0x41, 1, 0x78])
        for _ in 0..<3 {
            sockets[2].send(
                [0, 0x27, 0x10, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 10_000)
            )
        }
        let told = sockets[2].readToEnd()
        // GOAWAY with ENHANCE_YOUR_CALM.
        #expect(told.suffix(4) == [0, 0, 0, 0xB])
        #expect(try PushClient(server).push() == "200")
        let counts = server.statistics.counts()
        #expect(counts[.connectionsHoarding] == 1)
        #expect(counts.connectionsOpened == 4)
    }

    @Test(arguments: HTTP2Engine.allCases, [false, true])
    func aGoodbyeIsReadThoughTheClientGoesOnSending(
        _ engine: HTTP2Engine,
        _ isTLS: Bool
    ) throws {
        let server = try start(
            engine,
            #"{"goAway": {"everyPushes": 1, "reason": "Shutdown"}}"#,
            transport: isTLS ? .tls(nil) : .plain
        )
        for _ in 0..<20 {
            let client = try PushClient(server, engine: .wire)
            // Far more than is read in one turn; the bodies behind the GOAWAY are never read.
            let body = #"{"a":"\#(String(repeating: "x", count: 4000))"}"#
            for tag in 0..<1000 as Range<UInt32> { client.submit(body: body, tag: tag) }
            var wasTold = false
            while !wasTold { wasTold = try client.nextEvent().kind == .goAway }
            try client.waitForEnd()
        }
    }
}
