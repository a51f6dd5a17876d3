import Glibc
import PushModel

/// How far results of one build lie apart, beyond what their runs do.
///
/// The runs of a result share the minutes in which they were made, and a machine is slower in some
/// minutes than in others: two results of the same build may differ although the runs within each
/// hardly do. What the results of a side differ by tells how much. One result alone tells nothing of
/// it; then a result is taken to be off by as much as a run is off from the next.
struct SessionSpread {
    /// The standard error that this adds to the logarithm of the ratio of two sides.
    let standardError: Double
    /// How many differences between results ``standardError`` was learnt from, and what the
    /// assumption weighs where it has a part; nil where it is the assumption alone.
    private let degrees: Int?

    /// What the assumption weighs: a variance of results twice that of runs, as far as it was seen on
    /// shared machines, held against what this many results tell.
    private static let assumed = (variance: 2.0, weight: 2)

    /// A known standard error.
    init(standardError: Double, degrees: Int? = nil) {
        self.standardError = standardError
        self.degrees = degrees
    }

    /// Looks at the values of both sides.
    ///
    /// - Parameters:
    ///   - base: The values of each result of one side, no result empty.
    ///   - new: Those of the other side.
    init(_ base: [[Double]], _ new: [[Double]]) {
        let sides = [base, new].map { side in side.map { result in result.map { log($0) } } }
        let results = sides.flatMap(\.self)
        let runs = results.reduce(0) { $0 + $1.count }
        let freedom = Double(runs - results.count)
        let differences = results.count - sides.count
        // Where each result has one run, the runs have all that results differ by.
        guard freedom > 0 else {
            standardError = 0
            degrees = nil
            return
        }
        let variance = results.reduce(0) { $0 + Self.squares($1) } / freedom
        let ofMedians =
            results.reduce(0) { $0 + variance * Self.medianShare($1.count) } / Double(results.count)
        let between = sides.reduce(0) { $0 + Self.squares($1.map(Sorting.median)) }
        let seen = max(0, between - Double(differences) * ofMedians)
        let assumed = Self.assumed.variance * variance
        let session: Double
        if seen > Double(differences) * assumed, differences > 0 {
            // What was seen beats an assumption that it exceeds.
            session = seen / Double(differences)
            degrees = differences
        } else {
            let weight = Double(Self.assumed.weight)
            session = (seen + weight * assumed) / (Double(differences) + weight)
            degrees = differences > 0 ? differences + Self.assumed.weight : nil
        }
        let parts = sides.reduce(0) { $0 + 1 / Double($1.count) }
        let error = (session * parts).squareRoot()
        // A value of 0 has no logarithm: then there is nothing that could be added to one.
        standardError = error.isFinite ? error : 0
    }

    /// What results may differ by, drawn by chance: from Student's distribution where few results
    /// tell the standard error, else from the normal one.
    func draw(_ random: inout SplitMix64) -> Double {
        guard standardError > 0 else { return 0 }
        let normal = Self.normal(&random)
        guard let degrees else { return standardError * normal }
        let squares = (0..<degrees).reduce(0.0) { sum, _ in
            let one = Self.normal(&random)
            return sum + one * one
        }
        return standardError * normal / (squares / Double(degrees)).squareRoot()
    }

    private static func normal(_ random: inout SplitMix64) -> Double {
        let radius = (-2 * log(Double.random(in: .leastNormalMagnitude...1, using: &random)))
            .squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0...1, using: &random))
    }

    /// The variance of a median of so many runs, as a share of that of a run.
    private static func medianShare(_ count: Int) -> Double {
        // Of one or two it is the mean; of many, for values with one mode, about this.
        (count <= 2 ? 1 : .pi / 2) / Double(count)
    }

    /// The squares of the distances from the mean, added up.
    private static func squares(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
}
