import Glibc

/// Lines on their way to a record: chunks that the loops have handed over, and free ones.
///
/// Once per turn of a loop, not per push. The number of chunks is bounded: who needs one more waits
/// until the file has taken another.
final class RecordQueue: @unchecked Sendable {
    // Unchecked: all that changes is touched under the mutex alone, the pointers never change.

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let capacity: Int

    private var handedOver: [RecordChunk] = []
    private var free: [RecordChunk] = []
    private var madeCount = 0
    private var isUnbounded = false
    private var isEnding = false
    private var hasEnded = false

    /// Makes a queue of at most `capacity` chunks.
    init(capacity: Int) {
        self.capacity = capacity
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // What changes the time of day does not change how long is waited.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    // MARK: - For the loops

    /// A free chunk with room for so many bytes.
    ///
    /// - Returns: The chunk, and whether it had to be waited for.
    func take(roomFor byteCount: Int) -> (chunk: RecordChunk, hasWaited: Bool) {
        locked {
            var hasWaited = false
            while free.isEmpty, madeCount >= capacity, !isUnbounded {
                hasWaited = true
                pthread_cond_wait(changed, mutex)
            }
            let found = free.popLast()
            if found == nil { madeCount += 1 }
            if byteCount > RecordChunk.standardBytes {
                // Seldom: such a line takes the place of the chunk, which is made anew later.
                return (RecordChunk(byteCount: byteCount), hasWaited)
            }
            return (found ?? RecordChunk(), hasWaited)
        }
    }

    /// Gives a chunk to the writer.
    func handOver(_ chunk: RecordChunk) {
        locked {
            handedOver.append(chunk)
            pthread_cond_broadcast(changed)
        }
    }

    // MARK: - For the writer

    /// Waits for chunks; empty where the end was asked for and all are written.
    func nextBatch() -> [RecordChunk] {
        locked {
            while handedOver.isEmpty, !isEnding { pthread_cond_wait(changed, mutex) }
            let batch = handedOver
            handedOver = []
            return batch
        }
    }

    /// Takes back a chunk whose lines are written.
    func recycle(_ chunk: RecordChunk) {
        locked {
            if chunk.isStandard, madeCount <= capacity {
                chunk.clear()
                free.append(chunk)
            } else {
                madeCount -= 1
            }
            pthread_cond_broadcast(changed)
        }
    }

    /// Says that nothing more will be written.
    func end() {
        locked {
            hasEnded = true
            pthread_cond_broadcast(changed)
        }
    }

    // MARK: - For the end

    /// Lets nobody wait for a chunk any longer.
    func becomeUnbounded() {
        locked {
            isUnbounded = true
            pthread_cond_broadcast(changed)
        }
    }

    /// Asks the writer to end once all is written, and waits for that.
    ///
    /// - Returns: False where that took more than so many nanoseconds.
    func finish(withinNanoseconds limit: UInt64) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = UInt64(deadline.tv_nsec) + limit % 1_000_000_000
        deadline.tv_sec += Int(limit / 1_000_000_000 + nanoseconds / 1_000_000_000)
        deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
        return locked {
            isEnding = true
            pthread_cond_broadcast(changed)
            while !hasEnded {
                if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { break }
            }
            return hasEnded
        }
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
