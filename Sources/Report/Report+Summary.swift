import Foundation
import Results

extension Report {
    /// What is asked first: how fast, until when, how late, at what cost.
    var summary: Section? {
        guard sides.contains(where: { $0.run != nil }) else {
            return Section(
                anchor: "summary",
                title: "Summary",
                body: "<p class=\"note bad\">Nothing was measured.</p>\n"
            )
        }
        let cards = [
            card("Throughput", metric: "rate", detail: offered),
            card("Makespan", of: makespan, detail: makespanDetail),
            card("Response p99", metric: "p99", detail: percentiles),
            card("Accepted", of: accepted, detail: acceptedDetail),
            card("CPU per push", metric: "cpu") { _ in nil },
            card("Peak memory", metric: "rss") { _ in nil },
        ]
        let table: HTML = isPair ? "\(differenceTable.html())\(Self.noiseNote)" : ""
        return Section(
            anchor: "summary",
            title: "Summary",
            body: "<div class=\"cards\">\(cards.compactMap(\.self))</div>\n\(table)"
        )
    }

    private static let noiseNote: HTML = """
        <p class="hint">Change is B against A. Two results tell nothing of chance: \
        <code>pushbench compare</code> and <code>pushbench ab</code> tell whether a change is more than \
        noise.</p>

        """

    private func card(
        _ name: HTML,
        metric: String,
        detail: (RunRecord) -> String?
    ) -> HTML? {
        guard let metric = Metric.named(metric) else { return nil }
        return card(name, of: { metric.value($0).map(metric.unit.text) }, detail: detail)
    }

    private func card(
        _ name: HTML,
        of value: (RunRecord) -> String?,
        detail: (RunRecord) -> String?
    ) -> HTML? {
        let values = sides.map { side in side.run.flatMap(value) }
        guard values.contains(where: { $0 != nil }) else { return nil }
        let lines = zip(sides, values).map { side, value in
            let small = side.run.flatMap(detail).map { "<small>\($0)</small>" as HTML } ?? ""
            return """
                <p class="figure">\(letter(of: side))<b>\(value ?? "not measured")</b>\(small)</p>
                """ as HTML
        }
        return "<div class=\"card\"><h3>\(name)</h3>\(lines)</div>\n"
    }

    /// The mark of a side, where there are two.
    func letter(of side: ReportSide) -> HTML {
        guard isPair else { return "" }
        return "<span class=\"letter side-\(side.letter)\">\(side.letter)</span> "
    }

    /// The heads of columns that have a value of each result.
    func heads(single: String) -> [String] { isPair ? sides.map(\.letter) : [single] }

    private func offered(_ run: RunRecord) -> String? {
        run.throughput.offeredRate.map { "asked for \(HumanFormat.rate($0))" }
            ?? HumanFormat.bytes(run.throughput.bytesPerSecond) + "/s of body"
    }

    private func makespan(_ run: RunRecord) -> String? {
        run.makespan.map { $0.p100.map { HumanFormat.duration($0) } ?? "never" }
    }

    private func makespanDetail(_ run: RunRecord) -> String? {
        guard let makespan = run.makespan else { return nil }
        guard makespan.p100 != nil else { return "not every install was answered" }
        return makespan.p99.map { "99% after \(HumanFormat.duration($0))" }
    }

    private func percentiles(_ run: RunRecord) -> String? {
        run.latency.response.map {
            "p50 \(HumanFormat.duration($0.p50)) · p99.9 \(HumanFormat.duration($0.p999))"
        }
    }

    private func accepted(_ run: RunRecord) -> String? {
        run.account.errorShare.map { HumanFormat.percent(1 - $0) }
    }

    private func acceptedDetail(_ run: RunRecord) -> String? {
        "\(HumanFormat.count(run.account.accepted)) of \(HumanFormat.count(run.account.audience))"
    }

    /// Every metric of both results, with the change.
    private var differenceTable: ReportTable {
        var table = ReportTable(
            caption: "Both results",
            corner: "metric",
            heads: ["A", "B", "change"]
        )
        for metric in Metric.table {
            let values = sides.map { $0.run.flatMap(metric.value) }
            guard values.contains(where: { $0 != nil }) else { continue }
            let better = metric.isLowerBetter ? "lower is better" : "higher is better"
            table.add(
                metric.name,
                note: "\(metric.meaning), \(better)",
                values.map { $0.map(metric.unit.text) } + [Self.change(values[0], values[1])]
            )
        }
        return table
    }

    /// How far `new` is from `old`, as a percentage with its sign; nil where that means nothing.
    static func change(_ old: Double?, _ new: Double?) -> String? {
        guard let old, let new, old > 0, new.isFinite, old.isFinite else { return nil }
        let ratio = new / old
        guard ratio < 10 else { return "× \(HumanFormat.significant(ratio))" }
        let percent = (ratio - 1) * 100
        guard abs(percent) >= 0.05 else { return "±0%" }
        let size = (abs(percent) * 10).rounded() / 10
        return (percent < 0 ? "−" : "+") + "\(size)%"
    }

    /// An instant in UTC, to the second.
    static func time(_ date: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
        return date.formatted(style).replacingOccurrences(of: "Z", with: " UTC")
    }
}

extension Build {
    /// The build in a few words.
    var text: String {
        let commit = commit.map { " (\($0.prefix(12))\(dirty == true ? ", changed" : ""))" } ?? ""
        return "pushbench \(version)\(commit)"
    }
}
