import Glibc
import NetIO
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct PollerTests {
    @Test func returnsNothingWhenTheTimeIsUp() throws {
        let poller = try Poller()
        let start = MonotonicInstant.now()
        #expect(try poller.wait(timeoutNanoseconds: 0) == 0)
        #expect(try poller.wait(timeoutNanoseconds: 1_500_000) == 0)
        #expect(MonotonicInstant.now().nanoseconds(since: start) >= 1_500_000)
    }

    @Test func tellsTheIDOfWhatHappened() throws {
        let poller = try Poller()
        let first = try WakeUp()
        let second = try WakeUp()
        try poller.add(descriptor: first.descriptor, id: 7, interest: .read)
        first.wake()
        #expect(try poller.wait(timeoutNanoseconds: .max) == 1)
        first.drain()
        try poller.add(descriptor: second.descriptor, id: .max, interest: .read)
        second.wake()
        #expect(try poller.wait(timeoutNanoseconds: nil) == 1)
        let event = poller.event(at: 0)
        #expect(event.id == .max)
        #expect(event.isReadable)
        #expect(!event.isWritable)
        #expect(!event.isHangUp)
        first.wake()
        #expect(try poller.wait(timeoutNanoseconds: 0) == 2)
        #expect(Set([poller.event(at: 0).id, poller.event(at: 1).id]) == [7, .max])
    }

    @Test func tellsAgainUntilItIsDealtWith() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.add(descriptor: wakeUp.descriptor, id: 1, interest: .read)
        wakeUp.wake()
        #expect(try poller.wait(timeoutNanoseconds: 0) == 1)
        #expect(try poller.wait(timeoutNanoseconds: 0) == 1)
        wakeUp.drain()
        #expect(try poller.wait(timeoutNanoseconds: 0) == 0)
    }

    @Test func waitsForWhatItIsAskedFor() throws {
        let pair = try Loopback.establish()
        let poller = try Poller()
        try poller.add(descriptor: pair.client.descriptor, id: 1, interest: [])
        #expect(try poller.wait(timeoutNanoseconds: 0) == 0)
        try poller.modify(descriptor: pair.client.descriptor, id: 2, interest: .write)
        #expect(try poller.wait(timeoutNanoseconds: nil) == 1)
        #expect(poller.event(at: 0).id == 2)
        #expect(poller.event(at: 0).isWritable)
        #expect(!poller.event(at: 0).isReadable)
        try poller.remove(descriptor: pair.client.descriptor)
        #expect(try poller.wait(timeoutNanoseconds: 0) == 0)
    }

    @Test func tellsThatThePeerHungUp() throws {
        let pair = try Loopback.establish()
        let poller = try Poller()
        try poller.add(descriptor: pair.client.descriptor, id: 1, interest: .read)
        pair.server.close()
        #expect(try poller.wait(timeoutNanoseconds: Loopback.patience) == 1)
        #expect(poller.event(at: 0).isHangUp)
        #expect(poller.event(at: 0).isReadable)
    }

    @Test func aClosedDescriptorIsAnError() throws {
        let poller = try Poller()
        let error = #expect(throws: NetIOError.self) {
            try poller.add(descriptor: -1, id: 0, interest: .read)
        }
        guard case .system("epoll_ctl", EBADF, _) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test func reportsNoMoreThanItsCapacityAtOnce() throws {
        let poller = try Poller()
        let wakeUps = try (0..<Poller.eventCapacity + 10).map { _ in try WakeUp() }
        for (index, wakeUp) in wakeUps.enumerated() {
            try poller.add(descriptor: wakeUp.descriptor, id: UInt64(index), interest: .read)
            wakeUp.wake()
        }
        var seen: Set<UInt64> = []
        while seen.count < wakeUps.count {
            let count = try poller.wait(timeoutNanoseconds: 0)
            try #require((1...Poller.eventCapacity).contains(count))
            for index in 0..<count {
                let id = poller.event(at: index).id
                seen.insert(id)
                wakeUps[Int(id)].drain()
            }
        }
        #expect(try poller.wait(timeoutNanoseconds: 0) == 0)
    }

    @Test func aSignalEndsTheWaitWithoutEvents() throws {
        signal(SIGUSR1) { _ in }
        let ended = Outcome()
        let waiter = Outcome()
        let thread = try LoopThread(name: "waiter") {
            // The test's own thread may have it blocked, and a new thread inherits that.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGUSR1)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            waiter.value.store(Int(pthread_self()), ordering: .releasing)
            let count = try? Poller().wait(timeoutNanoseconds: nil)
            ended.value.store(count ?? -2, ordering: .releasing)
        }
        // One signal may come before the wait has begun.
        while ended.value.load(ordering: .acquiring) == Outcome.open {
            let target = waiter.value.load(ordering: .acquiring)
            if target != Outcome.open { pthread_kill(pthread_t(target), SIGUSR1) }
            sched_yield()
        }
        thread.join()
        #expect(ended.value.load(ordering: .acquiring) == 0)
    }

    private final class Outcome: Sendable {
        static let open = -1
        let value = Atomic(open)
    }

    @Test func asksForAnEventThatIsThereOrTraps() async {
        await #expect(processExitsWith: .failure) {
            let poller = try Poller()
            _ = poller.event(at: 0)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct WakeUpTests {
    @Test func manyWakeUpsAreOneEvent() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.add(descriptor: wakeUp.descriptor, id: 1, interest: .read)
        for _ in 0..<1000 { wakeUp.wake() }
        #expect(try poller.wait(timeoutNanoseconds: nil) == 1)
        wakeUp.drain()
        #expect(try poller.wait(timeoutNanoseconds: 0) == 0)
        wakeUp.wake()
        #expect(try poller.wait(timeoutNanoseconds: nil) == 1)
    }

    @Test func drainingWithoutAWakeUpDoesNothing() throws {
        let wakeUp = try WakeUp()
        wakeUp.drain()
        wakeUp.drain()
        wakeUp.wake()
        let poller = try Poller()
        try poller.add(descriptor: wakeUp.descriptor, id: 1, interest: .read)
        #expect(try poller.wait(timeoutNanoseconds: nil) == 1)
    }

    /// Were one lost, the loop would wait for ever.
    @Test func noAnnouncementIsLost() throws {
        let wakeUp = try WakeUp()
        let counter = Counter()
        let goal = 20_000
        let poller = try Poller()
        try poller.add(descriptor: wakeUp.descriptor, id: 1, interest: .read)
        let producers = try (0..<2).map { index in
            try LoopThread(name: "producer-\(index)") {
                for _ in 0..<goal {
                    counter.value.wrappingAdd(1, ordering: .relaxed)
                    wakeUp.wake()
                }
            }
        }
        while counter.value.load(ordering: .relaxed) < 2 * goal {
            _ = try poller.wait(timeoutNanoseconds: nil)
            wakeUp.drain()
        }
        for producer in producers { producer.join() }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }
}
