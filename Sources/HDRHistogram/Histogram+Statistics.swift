extension Histogram {
    /// A run of values that are counted together.
    public struct Slot: Equatable, Sendable {
        /// The smallest value of the slot.
        public var lowest: Int64
        /// The largest value of the slot; percentiles answer with it.
        public var highest: Int64
        /// How many values were recorded in it; never 0.
        public var count: Int64

        /// The middle of the slot as HdrHistogram takes it for means.
        var middle: Int64 {
            lowest + (highest - lowest + 1) / 2
        }
    }

    /// Calls `body` with each slot that counted something, from the lowest up.
    ///
    /// - Parameter body: Called once per slot.
    /// - Throws: What `body` throws.
    /// - Complexity: O(slots), as for everything else here that is not ``count``.
    public func forEachSlot<E: Error>(_ body: (Slot) throws(E) -> Void) throws(E) {
        for slot in 0..<configuration.slotCount where counts[slot] != 0 {
            try body(self.slot(at: slot))
        }
    }

    /// The lowest recorded value to the precision of its slot; 0 for an empty histogram.
    public var min: Int64 {
        for slot in 0..<configuration.slotCount where counts[slot] != 0 {
            return configuration.lowestValue(ofSlot: slot)
        }
        return 0
    }

    /// The highest recorded value to the precision of its slot; 0 for an empty histogram.
    ///
    /// The highest value of the slot, so that no percentile is above it.
    public var max: Int64 {
        for slot in (0..<configuration.slotCount).reversed() where counts[slot] != 0 {
            return self.slot(at: slot).highest
        }
        return 0
    }

    /// The mean, each value taken as the middle of its slot; 0 for an empty histogram.
    public var mean: Double {
        var sum = 0.0
        forEachSlot { sum += Double($0.middle) * Double($0.count) }
        return count == 0 ? 0 : sum / Double(count)
    }

    /// The value that `percentile` per cent of the recorded values do not exceed.
    ///
    /// The nearest rank, as HdrHistogram takes it: the slot that holds the value of rank
    /// ceil(percentile / 100 × count), answered by its highest value, or for percentile 0 by its
    /// lowest. At most the value times 10^-digits, or the unit, above the exact order statistic.
    ///
    /// - Parameter percentile: 0 to 100; what lies outside counts as the nearer end.
    /// - Returns: The value; 0 for an empty histogram.
    public func value(atPercentile percentile: Double) -> Int64 {
        // One step down, so that the rounding error of 99.9 × 1,000 does not ask for a rank more.
        let asked = percentile > 0 ? Swift.min(percentile, 100).nextDown : 0
        let exactRank = asked * Double(count) / 100
        var rank = count
        if exactRank < Double(count) {
            rank = Int64(exactRank)
            rank += Double(rank) < exactRank ? 1 : 0
        }
        rank = Swift.max(rank, 1)
        var seen: Int64 = 0
        for slot in 0..<configuration.slotCount where counts[slot] != 0 {
            seen &+= counts[slot]
            // A sum that wrapped is above every rank.
            if seen >= rank || seen < 0 {
                let found = self.slot(at: slot)
                return asked > 0 ? found.highest : found.lowest
            }
        }
        return max
    }

    private func slot(at index: Int) -> Slot {
        let lowest = configuration.lowestValue(ofSlot: index)
        return Slot(
            lowest: lowest,
            highest: lowest + (configuration.width(ofSlot: index) - 1),
            count: counts[index]
        )
    }
}
