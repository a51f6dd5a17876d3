public import Foundation
public import Results

/// The history of a metric for one workload on one kind of machine.
public struct Trend: Sendable {
    /// A stored result.
    public struct Point: Equatable, Sendable {
        /// The result's id.
        public let id: String
        /// When its first run began.
        public let startedAt: Date
        /// The commit that was measured, if known.
        public let commit: String?
        /// The median over its runs.
        public let value: Double
        /// How many runs it has.
        public let runs: Int
    }

    /// What was measured.
    public let metric: Metric
    /// The results that have the metric in every run, oldest first.
    public let points: [Point]
    /// Where the level changed; indices are those of ``points``.
    public let changePoints: [ChangePoint]

    /// What is shown where nobody names a metric: rate, p99 and CPU per push.
    public static var standardMetrics: [Metric] { ["rate", "p99", "cpu"].compactMap(Metric.named) }

    /// Makes the history of results.
    ///
    /// - Parameters:
    ///   - metric: What was measured.
    ///   - results: Results of one workload on one kind of machine, in any order; those that
    ///     ``ResultFile/isComparable`` excludes are left out.
    ///   - search: How change points are found.
    public init(
        _ metric: Metric,
        of results: [ResultFile],
        search: ChangePointSearch = ChangePointSearch()
    ) {
        self.metric = metric
        points = results.filter(\.isComparable).compactMap { result in
            let values = result.runs.compactMap(metric.value)
            guard values.count == result.runs.count, values.allSatisfy(\.isFinite) else {
                return nil
            }
            return Point(
                id: result.id,
                startedAt: result.startedAt,
                commit: result.build.commit,
                value: Sorting.median(values),
                runs: values.count
            )
        }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
        changePoints = search.changePoints(in: points.map(\.value))
    }

    /// Whether a change is one for the better.
    ///
    /// - Parameter point: One of ``changePoints``.
    /// - Returns: By the metric's polarity.
    public func isImprovement(_ point: ChangePoint) -> Bool {
        metric.isLowerBetter ? point.after < point.before : point.after > point.before
    }

    /// What a change was, since when, and from which level to which.
    ///
    /// - Parameter change: One of ``changePoints``.
    /// - Returns: For example `worse +5.2% since 20260131T120000Z-04f2a9 (commit 0123abc): 1.00 ms to
    ///   1.05 ms`. The id and the commit are as the file has them.
    public func sentence(_ change: ChangePoint) -> String {
        let point = points[change.index]
        return
            "\(isImprovement(change) ? "better" : "worse") \(ChangeText.change(change.ratio)) since "
            + point.id + (point.commit.map { " (commit \($0.prefix(12)))" } ?? "")
            + ": \(metric.unit.text(change.before)) to \(metric.unit.text(change.after))"
    }
}

extension ResultFile {
    /// Why the result takes part in no comparison; nil where it does.
    public var exclusion: String? {
        if !complete { return "it was interrupted" }
        if runs.isEmpty { return "it has no runs" }
        if runs.contains(where: { $0.continuation != nil }) {
            return "it continues another run, and its numbers are of the rest alone"
        }
        if !runs.allSatisfy(\.account.addsUp) { return "its account does not add up" }
        for metric in Metric.table {
            let values = runs.compactMap(metric.value)
            guard values.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
                return "it has an impossible value of \(metric.name)"
            }
        }
        if !verdict.valid {
            return "it is void" + (verdict.evidence.first.map { ": \($0)" } ?? "")
        }
        return nil
    }

    /// Whether the result takes part in comparisons: complete, valid, every push accounted for.
    public var isComparable: Bool { exclusion == nil }
}
