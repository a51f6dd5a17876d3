/// Things that are due at a time, the earliest first, those due at once in the order they came: a
/// heap with four children a node, over storage that grows but is never given back.
///
/// Touched by its loop's thread alone. Adding and taking allocate nothing while there is room.
struct TimerHeap: ~Copyable {
    private struct Node {
        var due: UInt64
        /// Tells those due at the same time apart; goes round after four billion.
        var order: UInt32
        var slot: UInt32

        @inline(__always)
        func isBefore(_ other: Node) -> Bool {
            due < other.due || due == other.due && Int32(bitPattern: order &- other.order) < 0
        }
    }

    private var nodes: UnsafeMutablePointer<Node>
    private var items: UnsafeMutablePointer<LoopTimer>
    /// Free slots of `items`, from `count` on.
    private var free: UnsafeMutablePointer<UInt32>
    private var capacity: Int
    private var nextOrder: UInt32 = 0
    /// How many things wait.
    private(set) var count = 0

    init(capacity: Int = 1024) {
        self.capacity = capacity
        nodes = .allocate(capacity: capacity)
        items = .allocate(capacity: capacity)
        free = .allocate(capacity: capacity)
        for slot in 0..<capacity { free[slot] = UInt32(slot) }
    }

    deinit {
        for index in 0..<count { (items + Int(nodes[index].slot)).deinitialize(count: 1) }
        nodes.deallocate()
        items.deallocate()
        free.deallocate()
    }

    /// When the first thing is due; nil where none waits.
    var nextDue: UInt64? { count == 0 ? nil : nodes[0].due }

    /// Adds something.
    ///
    /// - Parameters:
    ///   - item: The thing.
    ///   - due: When, on the clock that ``popDue(at:)`` is asked by.
    mutating func add(_ item: LoopTimer, due: UInt64) {
        if count == capacity { grow() }
        let slot = free[count]
        (items + Int(slot)).initialize(to: item)
        nextOrder &+= 1
        rise(Node(due: due, order: nextOrder, slot: slot), from: count)
        count += 1
    }

    /// Takes the first thing that is due at `now` or before.
    mutating func popDue(at now: UInt64) -> LoopTimer? {
        guard count > 0, nodes[0].due <= now else { return nil }
        let slot = nodes[0].slot
        count -= 1
        free[count] = slot
        if count > 0 { sink(nodes[count], from: 0) }
        return (items + Int(slot)).move()
    }

    /// Takes out everything that `isOver` holds for, and keeps the order of the rest.
    mutating func removeAll(where isOver: (LoopTimer) -> Bool) {
        var kept = 0
        var freed: [UInt32] = []
        for index in 0..<count {
            let node = nodes[index]
            if isOver(items[Int(node.slot)]) {
                (items + Int(node.slot)).deinitialize(count: 1)
                freed.append(node.slot)
            } else {
                nodes[kept] = node
                kept += 1
            }
        }
        for (offset, slot) in freed.enumerated() { free[kept + offset] = slot }
        count = kept
        for index in stride(from: count / 4, through: 0, by: -1) where index < count {
            sink(nodes[index], from: index)
        }
    }

    private func rise(_ node: Node, from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) >> 2
            guard node.isBefore(nodes[parent]) else { break }
            nodes[index] = nodes[parent]
            index = parent
        }
        nodes[index] = node
    }

    private func sink(_ node: Node, from start: Int) {
        var index = start
        while true {
            let first = index << 2 | 1
            guard first < count else { break }
            var least = first
            for child in (first + 1)..<max(first + 1, min(first + 4, count))
            where nodes[child].isBefore(nodes[least]) {
                least = child
            }
            guard nodes[least].isBefore(node) else { break }
            nodes[index] = nodes[least]
            index = least
        }
        nodes[index] = node
    }

    @inline(never)
    private mutating func grow() {
        let larger = capacity * 2
        let newNodes = UnsafeMutablePointer<Node>.allocate(capacity: larger)
        newNodes.moveInitialize(from: nodes, count: count)
        let newItems = UnsafeMutablePointer<LoopTimer>.allocate(capacity: larger)
        // Full, so that every slot holds something.
        newItems.moveInitialize(from: items, count: capacity)
        let newFree = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
        for slot in capacity..<larger { newFree[slot] = UInt32(slot) }
        nodes.deallocate()
        items.deallocate()
        free.deallocate()
        nodes = newNodes
        items = newItems
        free = newFree
        capacity = larger
    }
}
