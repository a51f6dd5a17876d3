import HTTP2

/// A loop's connections by id, in a slot array; touched by the loop's thread alone.
///
/// An id holds the slot and how often the slot was given out, so that an event that was reported
/// before its connection closed does not reach the slot's next holder.
struct ConnectionTable<Session: ServerSession> {
    private var slots: [MockConnection<Session>?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    private(set) var count = 0

    /// Makes a connection with a new id and keeps it.
    mutating func insert(
        _ make: (_ id: UInt64) -> MockConnection<Session>
    ) -> MockConnection<Session> {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = slots.count
            slots.append(nil)
            generations.append(0)
        }
        let connection = make(UInt64(generations[slot]) << 32 | UInt64(slot))
        slots[slot] = connection
        count += 1
        return connection
    }

    /// The connection called `id`; nil where it is gone.
    func connection(_ id: UInt64) -> MockConnection<Session>? {
        let slot = Int(id & 0xFFFF_FFFF)
        guard slot < slots.count, let connection = slots[slot], connection.id == id else {
            return nil
        }
        return connection
    }

    /// Slots that were ever used.
    var slotCount: Int { slots.count }

    /// The connection in a slot; nil where it is free.
    func connection(inSlot slot: Int) -> MockConnection<Session>? { slots[slot] }

    /// Forgets `connection`.
    mutating func remove(_ connection: MockConnection<Session>) {
        let slot = Int(connection.id & 0xFFFF_FFFF)
        guard slots[slot] === connection else { return }
        slots[slot] = nil
        // Half the range is enough, and leaves the ids of the loop's own descriptors alone.
        generations[slot] = (generations[slot] + 1) & 0x7FFF_FFFF
        freeSlots.append(slot)
        count -= 1
    }

    /// The connections as they are now, so that the table may change while they are gone through.
    var all: [MockConnection<Session>] { slots.compactMap(\.self) }
}
