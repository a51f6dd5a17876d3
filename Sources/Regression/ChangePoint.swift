import PushModel

/// A place in a history at which its level changed.
public struct ChangePoint: Equatable, Sendable {
    /// The first value of the new level.
    public let index: Int
    /// The median of the values since the change point before, or the beginning.
    public let before: Double
    /// The median of the values up to the next change point, or the end.
    public let after: Double
    /// How often chance alone, the values shuffled, changes the level as clearly.
    public let pValue: Double

    /// ``after`` by ``before``.
    public var ratio: Double { before == after ? 1 : after / before }
}

/// Finds the places at which the level of a history changed.
///
/// A cumulative sum of ranks: the history is cut where the mean rank before and after differ most
/// for the number of values on each side, and the cut is kept where no more than a share ``alpha``
/// of shuffled histories has one as clear. Each part is then looked at by itself, as long as cuts
/// are kept. A history whose values come in no order gets a change point with a probability of at
/// most ``alpha``, whatever their distribution; ranks keep a single wild value from making one. Of
/// the cuts that are kept, those of less than ``threshold`` are closed again.
public struct ChangePointSearch: Sendable {
    /// The chance of a change point in a history without one.
    public var alpha = 0.01
    /// The least change of the median that is told, as a share.
    public var threshold = 0.02
    /// The fewest values on each side of a change.
    public var leastSegment = 4
    /// How many shuffled histories a cut is held against.
    public var shuffles = 499
    /// What they are shuffled with.
    public var seed: UInt64 = 1

    /// Makes a search with the standard values.
    public init() {}

    /// Looks through a history.
    ///
    /// - Parameter values: The values, oldest first.
    /// - Returns: The change points, oldest first.
    public func changePoints(in values: [Double]) -> [ChangePoint] {
        var cuts: [(index: Int, pValue: Double)] = []
        var random = SplitMix64(seed: seed)
        var open = [0..<values.count]
        while let range = open.popLast() {
            guard let cut = cut(values[range], &random) else { continue }
            let index = range.lowerBound + cut.index
            cuts.append((index, cut.pValue))
            open += [range.lowerBound..<index, index..<range.upperBound]
        }
        cuts.sort { $0.index < $1.index }
        return closingSmallOnes(cuts, values)
    }

    /// The clearest cut of a part, if chance would seldom make it.
    private func cut(
        _ values: ArraySlice<Double>,
        _ random: inout SplitMix64
    ) -> (index: Int, pValue: Double)? {
        let count = values.count
        guard count >= 2 * leastSegment else { return nil }
        let ranked = Sorting.ranks(Array(values)).ranks
        // One over the spread that chance gives to the sum of the first so many ranks.
        let weights = (0...count).map { place in
            place == 0 || place == count
                ? 0 : 1 / (Double(place) * Double(count - place)).squareRoot()
        }
        let places = leastSegment...count - leastSegment
        let found = Self.clearest(ranked, weights, places)
        guard found.clearness > 0 else { return nil }
        var shuffled = ranked
        var reached = 0
        let most = Int(alpha * Double(shuffles + 1)) - 1
        for _ in 0..<shuffles {
            shuffled.shuffle(using: &random)
            if Self.clearest(shuffled, weights, places).clearness >= found.clearness {
                reached += 1
                guard reached <= most else { return nil }
            }
        }
        return (found.place, Double(reached + 1) / Double(shuffles + 1))
    }

    private static func clearest(
        _ ranks: [Double],
        _ weights: [Double],
        _ places: ClosedRange<Int>
    ) -> (place: Int, clearness: Double) {
        let mean = Double(ranks.count + 1) / 2
        var sum = 0.0
        var best = (place: places.lowerBound, clearness: 0.0)
        for place in 1...places.upperBound {
            sum += ranks[place - 1] - mean
            guard place >= places.lowerBound else { continue }
            let clearness = abs(sum) * weights[place]
            // Shuffled sums of the same ranks may differ in the last digit.
            if clearness > best.clearness * (1 + 1e-12) { best = (place, clearness) }
        }
        return best
    }

    /// Takes away cuts between levels that differ too little, the smallest change first.
    private func closingSmallOnes(
        _ cuts: [(index: Int, pValue: Double)],
        _ values: [Double]
    ) -> [ChangePoint] {
        var cuts = cuts
        while true {
            let ends = [0] + cuts.map(\.index) + [values.count]
            let medians = zip(ends, ends.dropFirst()).map { Sorting.median(Array(values[$0..<$1])) }
            let points = cuts.indices.map { place in
                ChangePoint(
                    index: cuts[place].index,
                    before: medians[place],
                    after: medians[place + 1],
                    pValue: cuts[place].pValue
                )
            }
            func size(_ point: ChangePoint) -> Double {
                max(point.ratio, 1 / point.ratio) - 1
            }
            guard let least = points.indices.min(by: { size(points[$0]) < size(points[$1]) }),
                size(points[least]) < threshold
            else { return points }
            cuts.remove(at: least)
        }
    }
}
