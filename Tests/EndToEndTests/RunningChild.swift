import Foundation
import NetIO

/// A child process that a thread of its own waits for.
final class RunningChild: @unchecked Sendable {
    // Safe to share: the end is behind the lock; the child is touched by the waiting thread alone.

    let pid: Int32
    private let lock = NSLock()
    private var end: ChildProcess.Exit?
    private let exited = DispatchSemaphore(value: 0)

    /// Carries a child from the thread that spawned it to the one that waits for it.
    private struct Handover: @unchecked Sendable {
        // Safe: each thread is done with it before the next one has it.
        let child: ChildProcess
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The executable.
    ///   - arguments: Its arguments.
    ///   - surroundings: What it finds; the descriptors stay the caller's.
    /// - Throws: A `NetIOError` where it cannot be started.
    init(
        path: String,
        _ arguments: [String],
        surroundings: ChildProcess.Surroundings
    ) throws {
        let handover = try Spawner.shared.run {
            Handover(
                child: try ChildProcess.spawn(
                    executable: path,
                    arguments: arguments,
                    captureOutput: false,
                    surroundings: surroundings
                )
            )
        }
        pid = handover.child.pid
        Thread.detachNewThread { [self] in
            let end = try? handover.child.wait()
            lock.withLock { self.end = end }
            exited.signal()
        }
    }

    var isRunning: Bool { lock.withLock { end == nil } }

    /// Sends a signal; nothing once it has ended.
    func signal(_ number: Int32) {
        lock.withLock { if end == nil { _ = kill(pid, number) } }
    }

    /// Waits for its end.
    ///
    /// - Returns: False where that takes more than so many seconds.
    func waitForEnd(within seconds: Double) -> Bool {
        guard exited.wait(timeout: .now() + seconds) == .success else { return false }
        // For whoever asks next.
        exited.signal()
        return true
    }

    /// The exit code; nil where a signal ended it, or it runs.
    var exitCode: Int32? { lock.withLock { end?.code } }
}

/// The thread that spawns: a child gets SIGTERM when the thread ends that spawned it, and those that
/// tests run on come and go.
private final class Spawner: Sendable {
    static let shared = Spawner()

    private let jobs = JobList()

    private final class JobList: @unchecked Sendable {
        // Safe to share: all is behind the condition.
        private let condition = NSCondition()
        private var waiting: [@Sendable () -> Void] = []

        func append(_ job: @escaping @Sendable () -> Void) {
            condition.withLock {
                waiting.append(job)
                condition.signal()
            }
        }

        func next() -> @Sendable () -> Void {
            condition.withLock {
                while waiting.isEmpty { condition.wait() }
                return waiting.removeFirst()
            }
        }
    }

    /// Carries a result back to the caller.
    private final class Slot<Value>: @unchecked Sendable {
        // Safe to share: written before the semaphore is signalled, read after it.
        var result: Result<Value, any Error>?
    }

    private init() {
        // A pipe whose reader is gone is told by the call, not by a signal that ends the tests.
        Foundation.signal(SIGPIPE, SIG_IGN)
        let jobs = jobs
        Thread.detachNewThread { while true { jobs.next()() } }
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let slot = Slot<Value>()
        let done = DispatchSemaphore(value: 0)
        jobs.append {
            slot.result = Result { try body() }
            done.signal()
        }
        done.wait()
        guard let result = slot.result else { throw NSError(domain: NSPOSIXErrorDomain, code: 3) }
        return try result.get()
    }
}
