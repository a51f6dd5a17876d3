import HTTP2
import NetIO
import PushModel
import Testing

@testable import MockAPNs

/// What many connections that are idle, new or slow make of a turn: each turn does a bounded piece, so
/// that the others wait for no more than that.
@Suite(.timeLimit(.minutes(5))) struct IdleConnectionTests {
    private static let count = 200

    /// A loop with one client at work and many others, all established.
    private func settle(
        _ hand: HandTurnedLoop,
        count: Int = Self.count
    ) throws -> (busy: HandTurnedClient, idle: [HandTurnedClient]) {
        let busy = try hand.connect()
        while !busy.isEstablished {
            try busy.advance()
            hand.turn()
        }
        let idle = try (0..<count).map { _ in try hand.connect() }
        while idle.contains(where: { !$0.isEstablished }) {
            for client in idle { try client.advance() }
            hand.turn()
        }
        hand.turn(untilServing: count + 1)
        return (busy, idle)
    }

    @Test(arguments: [false, true])
    func connectionsThatComeAtOnceAreTakenOnAFewATurn(_ isTLS: Bool) throws {
        let hand = try HandTurnedLoop(isTLS: isTLS)
        let busy = try settle(hand, count: 0).busy
        hand.forgetWork()
        let before = hand.statistics.counts().requests
        let others = try (0..<Self.count).map { _ in try hand.connect() }
        var turns: UInt32 = 0
        while others.contains(where: { !$0.isEstablished }) {
            for client in others { try client.advance() }
            // Who is at work already is served in each of these turns.
            try busy.ask(turns * 2 + 1)
            turns += 1
            hand.turn(untilRequests: before + UInt64(turns))
        }
        hand.turn(untilServing: Self.count + 1)
        #expect(hand.most.arrivals <= MockLoopLimits.arrivalsPerTurn)
        let steps =
            MockLoopLimits.handshakeStepsPerTurn
            + hand.most.served / MockLoopLimits.servedPerHandshakeStep
        #expect(hand.most.handshakeSteps <= steps)
        #expect(hand.total.arrivals == Self.count)
        if isTLS { #expect(hand.total.handshakeSteps >= 2 * Self.count) }
        #expect(hand.statistics.counts().connectionsOpen == UInt64(Self.count) + 1)
    }

    @Test func handshakesThatWaitForTheirTurnAreNotTooSlow() throws {
        // Whoever is waited for has taken too long at the next look.
        let hand = try HandTurnedLoop(isTLS: true) { $0.handshakeTimeoutNanoseconds = 1 }
        let clients = try (0..<Self.count).map { _ in try hand.connect() }
        for client in clients { try client.advance() }
        var isQueued = false
        while hand.total.arrivals < Self.count || !hand.loop.handshakes.isEmpty {
            hand.turn()
            isQueued = isQueued || !hand.loop.handshakes.isEmpty
        }
        #expect(isQueued)
        // Each had its first step before anybody took it for slow.
        #expect(hand.total.handshakeSteps >= Self.count)
        withExtendedLifetime(clients) {}
    }

    @Test func timeInTheQueueOfHandshakesIsNotThePeers() throws {
        let hand = try HandTurnedLoop(isTLS: true)
        let clients = try (0..<Self.count).map { _ in try hand.connect() }
        for client in clients { try client.advance() }
        while hand.total.arrivals < Self.count { hand.turn() }
        let queued = hand.loop.connections.all.filter { $0.queuedAt != nil }
        let before = queued.map(\.lastActivity)
        #expect(!queued.isEmpty)
        while !hand.loop.handshakes.isEmpty { hand.turn() }
        for (connection, time) in zip(queued, before) {
            #expect(connection.queuedAt == nil)
            #expect(connection.lastActivity > time)
        }
        withExtendedLifetime(clients) {}
    }

    @Test(arguments: [false, true])
    func idleConnectionsCostATurnNothingButASliceOfTheSweep(_ isTLS: Bool) throws {
        let hand = try HandTurnedLoop(isTLS: isTLS)
        let (busy, idle) = try settle(hand)
        hand.forgetWork()
        var requests: UInt32 = 0
        // Twice round all of them; sweeps begin a second apart.
        while hand.total.checked < 2 * idle.count {
            try busy.ask(requests * 2 + 1)
            requests += 1
            hand.turn(untilRequests: UInt64(requests))
            // Nobody else has anything to say: the next turn is the sweep's.
            hand.turnWhenDue()
        }
        #expect(hand.total.served == Int(requests))
        #expect(hand.most.checked <= MockLoopLimits.slotsPerSweep)
        #expect(hand.total.arrivals == 0)
        #expect(hand.total.handshakeSteps == 0)
        #expect(hand.statistics.counts().requests == UInt64(requests))
        #expect(hand.statistics.counts().connectionsClosed == 0)
    }

    @Test(arguments: [false, true])
    func aByteOfAFrameCostsNoMoreThanItsOwnRead(_ isTLS: Bool) throws {
        let hand = try HandTurnedLoop(isTLS: isTLS)
        let (busy, slow) = try settle(hand)
        hand.forgetWork()
        // A PING, byte by byte, from one connection a turn.
        let frame: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        var requests: UInt32 = 0
        for byte in frame {
            for client in slow {
                try client.send([byte])
                try busy.ask(requests * 2 + 1)
                requests += 1
                hand.turn(untilRequests: UInt64(requests))
            }
        }
        #expect(hand.most.served <= 2)
        #expect(hand.total.served >= Int(requests))
        #expect(hand.total.served <= Int(requests) + slow.count * frame.count)
    }

    @Test(arguments: [false, true])
    func settingsThatTimeChangesAreAnnouncedAFewATurn(_ isTLS: Bool) throws {
        let hand = try HandTurnedLoop(isTLS: isTLS) {
            var change = SettingsChange()
            change.maxConcurrentStreams = 5
            $0.personality.settings.steps = [.init(moment: .at(1), change: change)]
        }
        let (busy, idle) = try settle(hand)
        hand.forgetWork()
        try busy.ask(1)
        while hand.total.announcements < idle.count + 1 { hand.turn() }
        for _ in 0..<20 { hand.turn() }
        #expect(hand.total.announcements == idle.count + 1)
        #expect(hand.most.announcements <= MockLoopLimits.slotsPerAnnouncement)
        #expect(hand.statistics.counts()[.settingsChanges] == UInt64(idle.count) + 1)
    }

    @Test func whatWaitsForItsTurnComesInItsOrder() {
        var queue = TurnQueue<Int>()
        var taken: [Int] = []
        for number in 0..<100 {
            queue.add(number)
            if number % 3 != 0, let first = queue.take() { taken.append(first) }
        }
        while let first = queue.take() { taken.append(first) }
        #expect(taken == Array(0..<100))
        #expect(queue.isEmpty)
    }
}
