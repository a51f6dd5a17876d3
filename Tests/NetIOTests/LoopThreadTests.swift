import Glibc
import NetIO
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoopThreadTests {
    @Test func runsItsBodyOnceOnAnotherThread() throws {
        let seen = Mutex<[pthread_t]>([])
        try withThread(name: "one") { seen.withLock { $0.append(pthread_self()) } }
        let threads = seen.withLock { $0 }
        #expect(threads.count == 1)
        #expect(pthread_equal(threads[0], pthread_self()) == 0)
    }

    @Test(arguments: [("loop-1", "loop-1"), ("a name of more than 15 bytes", "a name of more ")])
    func bearsItsName(name: String, expected: String) throws {
        let seen = Mutex("")
        try withThread(name: name) {
            guard let file = fopen("/proc/thread-self/comm", "r") else { return }
            defer { fclose(file) }
            var text = [UInt8](repeating: 0, count: 64)
            let count = fread(&text, 1, text.count, file)
            let found = String(decoding: text.prefix(count).prefix { $0 != 10 }, as: UTF8.self)
            seen.withLock { $0 = found }
        }
        #expect(seen.withLock { $0 } == expected)
    }

    @Test func runsOnTheCPUThatItIsGiven() throws {
        let cpu = try #require(LoopThread.allowedCPUs().last)
        let seen = Mutex<[Int]>([])
        try withThread(name: "pinned", cpu: cpu) {
            seen.withLock { $0 = LoopThread.allowedCPUs() }
        }
        #expect(seen.withLock { $0 } == [cpu])
    }

    @Test func pinsTheCallingThread() throws {
        let cpu = try #require(LoopThread.allowedCPUs().first)
        let seen = Mutex<[Int]>([])
        try withThread(name: "pins itself") {
            try? LoopThread.pinCurrentThread(toCPU: cpu)
            seen.withLock { $0 = LoopThread.allowedCPUs() }
        }
        #expect(seen.withLock { $0 } == [cpu])
    }

    @Test(arguments: [-1, 1023, 1_000_000])
    func refusesACPUThatIsNotThere(cpu: Int) {
        #expect(throws: NetIOError.self) { try LoopThread.pinCurrentThread(toCPU: cpu) }
    }

    @Test func countsTheCPUTimeOfTheCallingThread() throws {
        let seen = Mutex<(UInt64, UInt64)>((0, 0))
        try withThread(name: "busy") {
            let start = LoopThread.threadCPUTimeNanoseconds()
            while LoopThread.threadCPUTimeNanoseconds() < start + 1_000_000 {}
            seen.withLock { $0 = (start, LoopThread.threadCPUTimeNanoseconds()) }
        }
        let (start, end) = seen.withLock { $0 }
        #expect(end >= start + 1_000_000)
    }

    @Test func joiningTwiceIsHarmless() throws {
        let thread = try LoopThread(name: "twice") {}
        thread.join()
        thread.join()
    }

    @Test func measuresThisProcess() {
        let before = ProcessUsage.current()
        let start = LoopThread.threadCPUTimeNanoseconds()
        while LoopThread.threadCPUTimeNanoseconds() < start + 1_000_000 {}
        let after = ProcessUsage.current()
        #expect(after.cpuNanoseconds >= before.cpuNanoseconds + 1_000_000)
        #expect(after.peakRSSBytes > 1 << 20)
    }

    private func withThread(
        name: String,
        cpu: Int? = nil,
        _ body: @escaping @Sendable () -> Void
    ) throws {
        let thread = try LoopThread(name: name, cpu: cpu, body)
        thread.join()
    }
}
