/// Pushes that go out again, the oldest first, so that none is passed over for ever.
///
/// Touched by its loop alone.
struct ResendQueue {
    private var pushes: [InFlightPush] = []
    private var head = 0

    /// The pushes that wait.
    var count: Int { pushes.count - head }
    var isEmpty: Bool { count == 0 }
    /// The push that is next.
    var first: InFlightPush? { isEmpty ? nil : pushes[head] }

    mutating func append(_ push: InFlightPush) { pushes.append(push) }

    /// Takes the first push out; there must be one.
    mutating func removeFirst() {
        head += 1
        if head == pushes.count {
            pushes.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024, head * 2 >= pushes.count {
            pushes.removeFirst(head)
            head = 0
        }
    }
}
