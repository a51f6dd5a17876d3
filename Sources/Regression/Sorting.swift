/// What the rank tests and the intervals need of a list of numbers.
enum Sorting {
    /// The median; NaN of nothing.
    static func median(_ values: [Double]) -> Double { medianOfSorted(values.sorted()) }

    /// The median of numbers in ascending order; NaN of nothing.
    static func medianOfSorted(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let middle = values.count / 2
        return values.count % 2 == 1
            ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }

    /// Ranks from 1, equal values sharing the mean of their places.
    struct Ranks {
        /// One rank a value, in the values' order.
        var ranks: [Double]
        /// How many values share a place, for each place that more than one shares.
        var ties: [Int]
    }

    /// Ranks the values.
    static func ranks(_ values: [Double]) -> Ranks {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var result = Ranks(ranks: [Double](repeating: 0, count: values.count), ties: [])
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
            for place in start..<end { result.ranks[order[place]] = Double(start + end + 1) / 2 }
            if end - start > 1 { result.ties.append(end - start) }
            start = end
        }
        return result
    }
}
