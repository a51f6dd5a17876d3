import Synchronization

/// Which installs got a push: one bit each, set by any thread.
final class ArrivalMap: @unchecked Sendable {
    // Safe to share: every access to the words is atomic, the pointer never changes.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let wordCount: Int

    init(count: Int) {
        wordCount = (count + 63) / 64
        words = .allocate(capacity: max(1, wordCount))
        for word in 0..<wordCount { (words + word).initialize(to: Atomic(0)) }
    }

    deinit {
        words.deinitialize(count: wordCount)
        words.deallocate()
    }

    /// Notes that an install got a push.
    ///
    /// - Returns: Whether it is its first one.
    func note(_ install: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(install & 63)
        return words[install >> 6].bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0
    }

    /// Whether an install got a push.
    func contains(_ install: Int) -> Bool {
        words[install >> 6].load(ordering: .relaxed) & 1 << UInt64(install & 63) != 0
    }

    /// Forgets all.
    func clear() {
        for word in 0..<wordCount { words[word].store(0, ordering: .relaxed) }
    }
}
