import Foundation
import Testing

/// Threads on which tests may wait as long as they like.
///
/// Swift runs a test function on a thread of Dispatch's, of which there are as many as processors,
/// and a function that waits for a run keeps it. What the engine renders needs a thread of the same
/// pool: where all of them wait or spin for a run, none is left that brings it on.
private final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads(count: 2)

    private let jobs = JobList()

    private final class JobList: @unchecked Sendable {
        // Safe to share: all is behind the condition.
        private let condition = NSCondition()
        private var waiting: [UnownedJob] = []

        func append(_ job: UnownedJob) {
            condition.withLock {
                waiting.append(job)
                condition.signal()
            }
        }

        func next() -> UnownedJob {
            condition.withLock {
                while waiting.isEmpty { condition.wait() }
                return waiting.removeFirst()
            }
        }
    }

    private init(count: Int) {
        for _ in 0..<count {
            // For as long as the process lives.
            Thread.detachNewThread { [self] in
                while true { jobs.next().runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }
}

/// Runs the test functions of a suite on threads that are nobody else's.
struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThreads.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// For tests that wait for what Dispatch does.
    static var ownThreads: Self { Self() }
}
