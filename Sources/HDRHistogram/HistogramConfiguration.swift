/// The range and precision of a histogram, and the slot layout that follows from them.
///
/// The layout is HdrHistogram's: values fall into buckets that double in width, each cut into
/// equal slots, so that two values in one slot differ by less than `significantDigits` decimal
/// digits can tell. Values are integers in a unit of the caller's choice.
public struct HistogramConfiguration: Hashable, Sendable {
    /// The smallest difference that has to be told apart near zero; at least 1.
    public let lowestDiscernible: Int64
    /// The largest value that has to be kept with full precision.
    public let highestTrackable: Int64
    /// How many decimal digits of a value are kept, 0 to 5.
    public let significantDigits: Int
    /// How many counts a histogram of this configuration holds, 8 bytes each.
    public let slotCount: Int

    /// log2 of the unit, `lowestDiscernible` rounded down to a power of two.
    @usableFromInline let unitMagnitude: Int64
    /// log2 of the slots that each bucket but the first adds.
    @usableFromInline let halfMagnitude: Int64
    /// Which bits of a value select a slot of the first bucket.
    @usableFromInline let firstBucketMask: Int64
    /// The largest value that any slot stands for; above ``highestTrackable``.
    @usableFromInline let highestRecordable: Int64

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - lowestDiscernible: The smallest difference to tell apart, at least 1.
    ///   - highestTrackable: The largest value, at least twice `lowestDiscernible`.
    ///   - significantDigits: The decimal digits to keep, 0 to 5.
    /// - Throws: ``HistogramError`` where a bound is broken or the range is wider than 62 bits.
    public init(
        lowestDiscernible: Int64,
        highestTrackable: Int64,
        significantDigits: Int
    ) throws(HistogramError) {
        guard lowestDiscernible >= 1 else {
            throw .lowestDiscernibleTooLow(lowestDiscernible)
        }
        guard highestTrackable / 2 >= lowestDiscernible else {
            throw .highestTrackableTooLow(highestTrackable, lowestDiscernible: lowestDiscernible)
        }
        guard (0...5).contains(significantDigits) else {
            throw .significantDigitsOutOfRange(significantDigits)
        }
        let magnitudes = Self.magnitudes(lowestDiscernible, significantDigits)
        guard magnitudes.unit + magnitudes.half + 1 <= 62 else {
            throw .rangeTooWide(
                lowestDiscernible: lowestDiscernible,
                significantDigits: significantDigits
            )
        }
        self.init(
            checkedLowest: lowestDiscernible,
            checkedHighest: highestTrackable,
            checkedDigits: significantDigits
        )
    }

    /// Times of pushes in nanoseconds, one histogram per loop: 3 digits from 256 ns to one hour.
    ///
    /// A push over loopback takes tens of microseconds, so a 1,024 ns unit would lose up to 5% of
    /// it; 256 ns stays near 1%, and from 0.5 ms on the three digits hold. One hour covers an
    /// open loop whose target stalls. That is 25,600 slots, 200 KiB, of which a run touches a few
    /// cache lines. Halving the unit again, or doubling the range, costs 8 KiB each.
    public static let latency = HistogramConfiguration(
        checkedLowest: 256,
        checkedHighest: 3_600_000_000_000,
        checkedDigits: 3
    )

    /// Times of pushes within one second of a run, in nanoseconds: 2 digits, 26 KiB.
    ///
    /// Small enough to be read and cleared every second without pushing the loop's working set
    /// out of its cache.
    public static let interval = HistogramConfiguration(
        checkedLowest: 1_024,
        checkedHighest: 3_600_000_000_000,
        checkedDigits: 2
    )

    private init(checkedLowest: Int64, checkedHighest: Int64, checkedDigits: Int) {
        lowestDiscernible = checkedLowest
        highestTrackable = checkedHighest
        significantDigits = checkedDigits
        let magnitudes = Self.magnitudes(checkedLowest, checkedDigits)
        unitMagnitude = magnitudes.unit
        halfMagnitude = magnitudes.half
        firstBucketMask = ((1 << (magnitudes.half + 1)) - 1) << magnitudes.unit

        // Each further bucket doubles what can be kept; the last one may reach 2^63 - 1.
        var buckets = 1
        var firstUntrackable: Int64 = 1 << (magnitudes.unit + magnitudes.half + 1)
        while firstUntrackable <= checkedHighest {
            buckets += 1
            if firstUntrackable > Int64.max / 2 {
                break
            }
            firstUntrackable <<= 1
        }
        slotCount = (buckets + 1) << Int(magnitudes.half)
        let lastBucketMagnitude = magnitudes.unit + Int64(buckets) - 1
        let slotsOfBucket: Int64 = 1 << (magnitudes.half + 1)
        highestRecordable =
            ((slotsOfBucket - 1) << lastBucketMagnitude) + ((1 << lastBucketMagnitude) - 1)
    }

    /// The unit's log2 and the log2 of half the slots of a bucket.
    private static func magnitudes(_ lowest: Int64, _ digits: Int) -> (unit: Int64, half: Int64) {
        var distinct = 2
        for _ in 0..<digits {
            distinct *= 10
        }
        let unit = 63 - lowest.leadingZeroBitCount
        let slots = Int.bitWidth - (distinct - 1).leadingZeroBitCount
        return (Int64(unit), Int64(slots - 1))
    }

    /// The slot that counts `value`, which lies between 0 and `highestRecordable`.
    @inlinable
    @inline(__always)  // One step of every recording: a call would cost more than the work.
    func slot(of value: Int64) -> Int {
        let lead = Int64(truncatingIfNeeded: (value | firstBucketMask).leadingZeroBitCount)
        let bucket = 63 &- unitMagnitude &- halfMagnitude &- lead
        let withinBucket = value &>> (bucket &+ unitMagnitude)
        return Int(truncatingIfNeeded: (bucket &<< halfMagnitude) &+ withinBucket)
    }

    /// The smallest value that `slot` counts.
    func lowestValue(ofSlot slot: Int) -> Int64 {
        let half: Int64 = 1 << halfMagnitude
        let bucket = (Int64(slot) >> halfMagnitude) - 1
        guard bucket >= 0 else {
            return Int64(slot) << unitMagnitude
        }
        return ((Int64(slot) & (half - 1)) + half) << (bucket + unitMagnitude)
    }

    /// How many values share `slot`.
    func width(ofSlot slot: Int) -> Int64 {
        let bucket = max((Int64(slot) >> halfMagnitude) - 1, 0)
        return 1 << (bucket + unitMagnitude)
    }
}
