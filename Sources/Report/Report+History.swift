import FoundationEssentials
import Regression
import Results

extension Report {
    /// More rows than anybody reads would make the page heavy; `results export` has them all.
    private static let mostRows = 100

    /// How metrics went, with the places where they changed.
    var history: Section? {
        guard !trends.isEmpty else { return nil }
        let parts = trends.map { trend in
            let name = trend.metric.name
            let changes = trend.changePoints.map { change in
                let style: HTML = trend.isImprovement(change) ? "good" : "bad"
                return "<li><span class=\"change \(style)\">\(trend.sentence(change))</span></li>\n"
                    as HTML
            }
            let list: HTML =
                changes.isEmpty
                ? "<p class=\"hint\">No change point.</p>\n"
                : "<ul class=\"changes\">\n\(changes)</ul>\n"
            let direction = trend.metric.isLowerBetter ? "lower is better" : "higher is better"
            return """
                <h3>\(name): \(trend.metric.meaning), \(direction)</h3>
                <figure class="plot" data-plot="history" data-metric="\(name)" \
                aria-label="\(name) of the results, oldest first"></figure>
                \(list)\(table(trend))
                """ as HTML
        }
        let whose: HTML = isPair ? "A's workload and machine" : "this workload and machine"
        return Section(
            anchor: "history",
            title: "History",
            body: """
                <p class="hint">The median of each stored result of \(whose), oldest first. A change \
                point is where a cumulative sum of ranks bends more than in 99 of 100 shuffled \
                histories.</p>
                \(parts)
                """
        )
    }

    private func table(_ trend: Trend) -> HTML {
        let count = trend.points.count
        var table = ReportTable(
            caption: "History of \(trend.metric.name)",
            corner: "started",
            heads: ["median", "runs", "commit", "result"]
        )
        for point in trend.points.suffix(Self.mostRows) {
            table.add(
                Self.time(point.startedAt),
                note: point.id == sides[0].result.id ? "this result" : nil,
                [
                    trend.metric.unit.text(point.value), HumanFormat.count(point.runs),
                    point.commit.map { String($0.prefix(12)) }, point.id,
                ]
            )
        }
        let results = count == 1 ? "1 result" : "\(HumanFormat.count(count)) results"
        return table.folded(
            count > Self.mostRows
                ? "The newest \(Self.mostRows) of \(results)" : "The \(results)"
        )
    }
}
