/// Counts of integer values over a wide range with a fixed relative precision.
///
/// Compatible with HdrHistogram in layout, percentiles and encoding. Owned by one thread while it
/// records, its loop's; merged with ``add(_:)`` after that thread was joined. Recording is integer
/// arithmetic in memory that the initializer took: nothing is allocated and nothing is locked.
public final class Histogram {
    /// The range, precision and layout.
    public let configuration: HistogramConfiguration

    /// One count per slot.
    ///
    /// Raw memory rather than an array or stored variables, so that a record in another module
    /// needs neither a uniqueness check nor a dynamic exclusivity check.
    @usableFromInline let counts: UnsafeMutablePointer<Int64>
    /// The sum of all counts, then how many values were out of range.
    @usableFromInline let tallies: UnsafeMutablePointer<Int64>

    /// Makes an empty histogram.
    ///
    /// - Parameter configuration: The range and precision; decides the memory taken.
    public init(_ configuration: HistogramConfiguration) {
        self.configuration = configuration
        counts = .allocate(capacity: configuration.slotCount)
        counts.initialize(repeating: 0, count: configuration.slotCount)
        tallies = .allocate(capacity: 2)
        tallies.initialize(repeating: 0, count: 2)
    }

    deinit {
        counts.deallocate()
        tallies.deallocate()
    }

    /// How many values were recorded, those out of range included.
    public var count: Int64 {
        tallies[0]
    }

    /// How many of the recorded values were negative or above the last slot.
    ///
    /// They are in ``count``: a negative one as 0, the others in the last slot. The encoding does
    /// not carry this number; report it beside.
    public var outOfRangeCount: Int64 {
        tallies[1]
    }

    /// Records one value.
    ///
    /// A value out of range goes to the nearest slot and is told in ``outOfRangeCount``.
    ///
    /// - Parameter value: The value, in the histogram's unit.
    @inlinable
    public func record(_ value: Int64) {
        let kept = Swift.min(Swift.max(value, 0), configuration.highestRecordable)
        counts[configuration.slot(of: kept)] &+= 1
        tallies[0] &+= 1
        tallies[1] &+= kept == value ? 0 : 1
    }

    /// Records a value several times; counts stop at 2^63 - 1.
    ///
    /// - Parameters:
    ///   - value: The value, in the histogram's unit.
    ///   - count: How often; nothing happens for 0 and less.
    public func record(_ value: Int64, count: Int64) {
        guard count > 0 else {
            return
        }
        let kept = Swift.min(Swift.max(value, 0), configuration.highestRecordable)
        counts[configuration.slot(of: kept)].addSaturating(count)
        tallies[0].addSaturating(count)
        if kept != value {
            tallies[1].addSaturating(count)
        }
    }

    /// Adds all that `other` counted.
    ///
    /// Exact between histograms of one configuration. Otherwise each of the other's slots is
    /// recorded at its highest value, so that no percentile falls by the merge, and what is out
    /// of this one's range is clamped and told as in ``record(_:)``. ``count`` is always the sum
    /// of both, up to 2^63 - 1.
    ///
    /// - Parameter other: The histogram to add; not changed, except where it is this one.
    public func add(_ other: Histogram) {
        let outOfRange = other.outOfRangeCount
        if other.configuration == configuration {
            for slot in 0..<configuration.slotCount {
                counts[slot].addSaturating(other.counts[slot])
            }
            tallies[0].addSaturating(other.count)
        } else {
            other.forEachSlot { record($0.highest, count: $0.count) }
        }
        tallies[1].addSaturating(outOfRange)
    }

    /// Forgets all values and keeps the memory.
    public func reset() {
        counts.update(repeating: 0, count: configuration.slotCount)
        tallies.update(repeating: 0, count: 2)
    }

    /// An independent histogram with the same counts.
    ///
    /// - Returns: The copy.
    public func copy() -> Histogram {
        let copy = Histogram(configuration)
        copy.counts.update(from: counts, count: configuration.slotCount)
        copy.tallies.update(from: tallies, count: 2)
        return copy
    }
}

extension Histogram: Equatable {
    /// Whether both have the same configuration and the same counts.
    ///
    /// ``outOfRangeCount`` is left aside, since the encoding does not carry it.
    public static func == (left: Histogram, right: Histogram) -> Bool {
        left.configuration == right.configuration
            && (0..<left.configuration.slotCount).allSatisfy { left.counts[$0] == right.counts[$0] }
    }
}

extension Int64 {
    /// Adds `amount`, not negative, and stays at the maximum rather than overflow.
    fileprivate mutating func addSaturating(_ amount: Int64) {
        let (sum, overflow) = addingReportingOverflow(amount)
        self = overflow ? .max : sum
    }
}
