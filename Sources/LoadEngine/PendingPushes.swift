/// The pushes that an earlier run of the same journal left over, in order.
///
/// A *place* counts them without gaps; a *number* is the one that the whole run gave the push.
struct PendingPushes: Sendable {
    /// The pushes that are left.
    private(set) var count = 0
    /// Each range's first number, and the place of that.
    private var starts: [(number: Int, place: Int)] = []

    /// Takes the next range of numbers in; they rise.
    mutating func append(_ numbers: Range<Int>) {
        guard !numbers.isEmpty else { return }
        starts.append((numbers.lowerBound, count))
        count += numbers.count
    }

    /// The number of the push at a place, by bisection: there are as many ranges as pushes were under
    /// way when the earlier run died.
    func number(at place: Int) -> Int {
        let start = starts[rangeIndex(of: place)]
        return start.number + place - start.place
    }

    /// Calls `body` with the numbers of adjacent places, as ranges.
    func forEachRange(in places: Range<Int>, _ body: (Range<Int>) -> Void) {
        var place = places.lowerBound
        guard place < places.upperBound else { return }
        var index = rangeIndex(of: place)
        while place < places.upperBound {
            let start = starts[index]
            let next = index + 1 < starts.count ? starts[index + 1].place : count
            let end = min(next, places.upperBound)
            let first = start.number + place - start.place
            body(first..<first + end - place)
            place = end
            index += 1
        }
    }

    private func rangeIndex(of place: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle].place <= place { low = middle } else { high = middle }
        }
        return low
    }
}
