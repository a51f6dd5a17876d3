import NetIO

/// A push that was sent and not answered, or waits to be sent again.
struct InFlightPush {
    /// What is known of a push that went out before.
    struct Marks: OptionSet {
        let rawValue: UInt8

        /// It was sent and its answer lost: it may have been processed.
        static let mayHaveArrived = Marks(rawValue: 1)
        /// It was answered with ExpiredProviderToken before.
        static let sawExpiredToken = Marks(rawValue: 2)
        /// It goes out again because of its last answer.
        static let wasAnswered = Marks(rawValue: 4)
        /// It was certainly not processed before.
        static let wasUnprocessed = Marks(rawValue: 8)
    }

    var sequence: Int
    /// When it was first due: its response time counts from there however often it is sent.
    var intended: MonotonicInstant
    var sent: MonotonicInstant
    /// How often it was certainly not processed.
    var refusals: UInt8 = 0
    /// How often it went out again though it may have been processed, or because of its answer.
    var retries: UInt8 = 0
    var marks: Marks = []
    /// The provider token's version that it was last sent with, its low bits.
    var tokenVersion: UInt8 = 0
    /// The number of its last answer's reason in the loop's ``ReasonTally``; 0 where it has had none.
    var lastReason: UInt16 = 0

    /// Whether it was sent before.
    var isRepeated: Bool { retries > 0 || marks.contains(.wasUnprocessed) }
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
