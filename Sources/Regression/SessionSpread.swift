import Glibc

/// How far results of one build lie apart, beyond what their runs do.
///
/// The runs of a result share the minutes in which they were made, and a machine is slower in some
/// minutes than in others: two results of the same build may differ although the runs within each
/// hardly do. What the results of a side differ by tells how much. One result alone tells nothing of
/// it; then a result is taken to be off by as much as a run is off from the next.
struct SessionSpread {
    /// The standard error that this adds to the logarithm of the ratio of two sides.
    let standardError: Double

    /// What the assumption weighs: a variance of results twice that of runs, as far as it was seen on
    /// shared machines, held against what this many results tell.
    private static let assumed = (variance: 2.0, weight: 2.0)

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
        // Where each result has one run, the runs have all that results differ by.
        guard freedom > 0 else {
            standardError = 0
            return
        }
        let variance = results.reduce(0) { $0 + Self.squares($1) } / freedom
        let shares = results.reduce(0) { $0 + 1 / Double($1.count) } / Double(results.count)
        // The variance of a median of so many, for values with one mode about twice as many would do.
        let ofMedians = variance * .pi / 2 * shares
        let between = sides.reduce(0) { $0 + Self.squares($1.map(Sorting.median)) }
        let degrees = Double(results.count - sides.count)
        let seen = max(0, between - degrees * ofMedians)
        let session =
            (seen + Self.assumed.weight * Self.assumed.variance * variance)
            / (degrees + Self.assumed.weight)
        let parts = sides.reduce(0) { $0 + 1 / Double($1.count) }
        let error = (session * parts).squareRoot()
        // A value of 0 has no logarithm: then there is nothing that could be added to one.
        standardError = error.isFinite ? error : 0
    }

    /// The squares of the distances from the mean, added up.
    private static func squares(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
}
