import NetIO

/// Pushes that go out again, the one that is due first in front: a binary heap.
///
/// Touched by its loop alone. Its storage is there from the start and grows, by doubling, only where
/// more pushes wait than ever before; no push is taken from the slabs while ``isFull``.
final class RetryQueue {
    private struct Entry {
        var due: MonotonicInstant
        var push: InFlightPush

        /// Of those due together the oldest is first, so that none is passed over for ever.
        func isBefore(_ other: Entry) -> Bool {
            due == other.due ? push.sequence < other.push.sequence : due < other.due
        }
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var capacity: Int
    /// The pushes that wait.
    private(set) var count = 0

    /// Pushes beyond which nothing new is sent: memory stays bounded whatever the target answers.
    static let limit = 1 << 16

    init(capacity: Int = 1024) {
        self.capacity = max(1, capacity)
        entries = .allocate(capacity: self.capacity)
    }

    deinit { entries.deallocate() }

    var isEmpty: Bool { count == 0 }
    /// Whether so many wait that nothing new should be sent.
    var isFull: Bool { count >= Self.limit }
    /// When the first push is due; nil where none waits.
    var nextDue: MonotonicInstant? { count == 0 ? nil : entries[0].due }

    /// Whether a push is due.
    func hasDue(at now: MonotonicInstant) -> Bool { count > 0 && entries[0].due <= now }

    /// The push that is due first; nil where none is due.
    func first(dueAt now: MonotonicInstant) -> InFlightPush? {
        hasDue(at: now) ? entries[0].push : nil
    }

    /// Takes a push in that goes out again from `due` on.
    func insert(_ push: InFlightPush, due: MonotonicInstant) {
        if count == capacity { grow() }
        let entry = Entry(due: due, push: push)
        var place = count
        count += 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.isBefore(entries[parent]) else { break }
            entries[place] = entries[parent]
            place = parent
        }
        entries[place] = entry
    }

    /// Takes the first push out; there must be one.
    @discardableResult
    func removeFirst() -> InFlightPush {
        let first = entries[0].push
        count -= 1
        guard count > 0 else { return first }
        let last = entries[count]
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < count else { break }
            if child + 1 < count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(last) else { break }
            entries[place] = entries[child]
            place = child
        }
        entries[place] = last
        return first
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }
}
