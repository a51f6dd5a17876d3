import Synchronization

/// How often throttled tokens were refused: a table of fixed size, used by all loops.
///
/// Holds a token from its first refusal until it is accepted. When it is full the tokens that were
/// not tried again give way: such a one is refused from the start again.
final class ThrottleTable: @unchecked Sendable {
    // Safe to share: every access to the cells is atomic, the pointer never changes.

    private static let ways = 4
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>
    private let setMask: Int

    /// Makes a table.
    ///
    /// - Parameter sets: A power of two; four tokens each, of eight bytes.
    init(sets: Int = 1 << 17) {
        setMask = sets - 1
        cells = .allocate(capacity: sets * Self.ways)
        for index in 0..<(sets * Self.ways) { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: (setMask + 1) * Self.ways)
        cells.deallocate()
    }

    /// Notes that a throttled token came.
    ///
    /// - Parameters:
    ///   - hash: The token's.
    ///   - times: How often it is refused.
    /// - Returns: Whether it is refused now.
    func refuses(_ hash: UInt64, times: UInt8) -> Bool {
        let first = (Int(truncatingIfNeeded: hash) & setMask) * Self.ways
        // The upper 56 bits are the token's, the lower 8 count; 0 is a free cell.
        let tag = hash & ~0xFF | 1 << 63
        var free: Int?
        for index in first..<(first + Self.ways) {
            let cell = cells[index].load(ordering: .relaxed)
            if cell == 0 { free = free ?? index }
            guard cell & ~0xFF == tag else { continue }
            let isOver = cell & 0xFF >= UInt64(times)
            // Another loop may have the same token at this moment; then its count stands.
            _ = cells[index].compareExchange(
                expected: cell,
                desired: isOver ? 0 : cell + 1,
                ordering: .relaxed
            )
            return !isOver
        }
        guard times > 0 else { return false }
        let victim = first + Int(truncatingIfNeeded: hash >> 60) % Self.ways
        cells[free ?? victim].store(tag | 1, ordering: .relaxed)
        return true
    }
}
