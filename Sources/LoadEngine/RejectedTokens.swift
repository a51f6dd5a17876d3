/// The installs whose tokens a loop was told are bad, each once: places and numbers, no text.
///
/// Touched by its loop alone. A bit an install, made when the first comes, and 24 bytes each.
struct RejectedTokens {
    /// A bad token.
    struct Entry {
        /// The install's place in the table.
        var install: Int
        /// When its device was known to be gone, in milliseconds since 1970; negative where not told.
        var timestamp: Int64
        /// The number of the reason in the loop's ``ReasonTally``.
        var reason: UInt16
    }

    private(set) var entries: [Entry] = []
    private var seen: [UInt64] = []
    private let installs: Int

    init(installs: Int) { self.installs = installs }

    /// Takes a bad token in, unless it is there.
    mutating func note(install: Int, reason: UInt16, timestamp: Int64?) {
        if seen.isEmpty { seen = [UInt64](repeating: 0, count: installs / 64 + 1) }
        let bit: UInt64 = 1 << UInt64(install & 63)
        guard seen[install >> 6] & bit == 0 else { return }
        seen[install >> 6] |= bit
        entries.append(Entry(install: install, timestamp: timestamp ?? -1, reason: reason))
    }
}
