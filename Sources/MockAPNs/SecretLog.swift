import Synchronization

/// The pairs of key and IV that came, as 64-bit fingerprints; may be asked by any thread.
///
/// Takes 11 to 22 bytes a push, up to 270 MiB in all: from then on the oldest give way, so that a
/// secret that comes again is noticed as long as no more than the last 12 million lie between. That
/// two secrets share a fingerprint by chance is one in a million for six million pushes.
final class SecretLog: Sendable {
    /// Fingerprints in parts, each behind its own lock: loops seldom wait for each other, and a part
    /// that grows holds them up for a moment only.
    private static let partCount = 256

    /// The secrets of a part: those since its last change of generation, and those before.
    private final class Part: Sendable {
        struct State {
            var recent: Set<UInt64> = []
            var older: Set<UInt64> = []
        }

        let state = Mutex(State())
    }

    private let parts = (0..<partCount).map { _ in Part() }
    /// How many fingerprints a part takes before its older ones are forgotten.
    private let generation: Int

    /// Makes an empty log.
    ///
    /// - Parameter generation: What a part takes before its older half is forgotten: as many as a set
    ///   of 65,536 places holds.
    init(generation: Int = 49_152) { self.generation = generation }

    /// Notes a secret; the lock is held for a moment of what opening the secret took.
    ///
    /// - Returns: Whether it is new.
    func note(_ fingerprint: UInt64) -> Bool {
        let part = parts[Int(truncatingIfNeeded: fingerprint) & (Self.partCount - 1)]
        return part.state.withLock { state in
            // One that comes again is as young as a new one.
            let isKnown = state.older.contains(fingerprint)
            guard state.recent.insert(fingerprint).inserted else { return false }
            if state.recent.count >= generation {
                state.older = state.recent
                state.recent = []
            }
            return !isKnown
        }
    }
}
