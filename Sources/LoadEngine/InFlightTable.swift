import NetIO

/// A push that was sent and not answered.
struct InFlightPush {
    var sequence: Int
    var intended: MonotonicInstant
    var sent: MonotonicInstant
    /// How often the target refused it unprocessed.
    var refusals: UInt8 = 0
}

/// The pushes in flight of one connection, by the tag that its session hands back.
///
/// Fixed capacity and a free list: nothing is allocated per push. Touched by its loop alone.
final class InFlightTable {
    private let entries: UnsafeMutablePointer<InFlightPush>
    private let free: UnsafeMutablePointer<UInt32>
    private var freeCount: Int
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        entries = .allocate(capacity: capacity)
        free = .allocate(capacity: capacity)
        freeCount = capacity
        for index in 0..<capacity { free[index] = UInt32(capacity - 1 - index) }
    }

    deinit {
        entries.deallocate()
        free.deallocate()
    }

    /// The pushes in flight.
    var count: Int { capacity - freeCount }

    /// Takes a push in; nil where the table is full.
    func insert(_ push: InFlightPush) -> UInt32? {
        guard freeCount > 0 else { return nil }
        freeCount -= 1
        let tag = free[freeCount]
        entries[Int(tag)] = push
        return tag
    }

    /// Notes when the pushes of `tags` were handed to the socket.
    func markSent(_ tags: UnsafePointer<UInt32>, count: Int, at instant: MonotonicInstant) {
        var position = 0
        while position < count {
            entries[Int(tags[position])].sent = instant
            position += 1
        }
    }

    /// Takes a push out, its tag being free again.
    func remove(_ tag: UInt32) -> InFlightPush {
        free[freeCount] = tag
        freeCount += 1
        return entries[Int(tag)]
    }
}
