import Synchronization

/// The pairs of key and IV that came, as 64-bit fingerprints; may be asked by any thread.
///
/// Takes 11 to 22 bytes a push. That two secrets share a fingerprint by chance is one in a million
/// for six million pushes.
final class SecretLog: Sendable {
    private let fingerprints = Mutex<Set<UInt64>>([])

    /// Notes a secret; the lock is held for a moment of what opening the secret took.
    ///
    /// - Returns: Whether it is new.
    func note(_ fingerprint: UInt64) -> Bool {
        fingerprints.withLock { $0.insert(fingerprint).inserted }
    }
}
