import Results

// The sections with a plot; each has its numbers in a table too.
extension Report {
    /// A place that the page's code draws into.
    private func plot(_ name: HTML, _ label: HTML) -> HTML {
        "<figure class=\"plot\" data-plot=\"\(name)\" aria-label=\"\(label)\"></figure>\n"
    }

    var latency: Section? {
        let rows = sides.flatMap { side in
            (side.run.map { LatencyRow.rows(of: $0.latency) } ?? []).map { (side, $0) }
        }
        guard !rows.isEmpty else { return nil }
        var table = ReportTable(
            caption: "Latency by percentile",
            corner: "percentile",
            heads: rows.map { (isPair ? $0.letter + " " : "") + $1.name }
        )
        table.isUnderItsHeading = true
        let columns: [(String, (LatencySummary) -> Int64)] = [
            ("min", \.min), ("mean", \.mean), ("p50", \.p50), ("p90", \.p90), ("p99", \.p99),
            ("p99.9", \.p999), ("p99.99", \.p9999), ("max", \.max),
        ]
        for (name, value) in columns {
            table.add(name, rows.map { HumanFormat.duration(value($0.1.times)) })
        }
        table.add("pushes", rows.map { HumanFormat.count($0.1.times.count) })
        if rows.contains(where: { ($0.1.times.outOfRange ?? 0) > 0 }) {
            table.add(
                "out of range",
                note: "counted at the histogram's end",
                rows.map { HumanFormat.count($0.1.times.outOfRange ?? 0) }
            )
        }
        return Section(
            anchor: "latency",
            title: "Latency by percentile",
            body: """
                <p class="hint"><b>response</b> is acknowledged − intended, <b>service</b> acknowledged − \
                handed to the socket, <b>lateness</b> handed over − intended. Lost pushes are in none.</p>
                \(plot("latency", "Time by percentile"))\(table.html())
                """
        )
    }

    var overTime: Section? {
        let measured = sides.compactMap { side in
            side.run.map { (side, SeriesReduction.points($0.series)) }
        }.filter { !$0.1.isEmpty }
        guard !measured.isEmpty else { return nil }
        let tables = measured.map { side, points in
            let times = TimeColumn.columns(of: points)
            var table = ReportTable(
                caption: isPair ? "Over time, \(side.letter)" : "Over time",
                corner: "until",
                heads: ["answered", "sent", "accepted", "rejected"] + times.map(\.name)
                    + ["in flight"]
            )
            for point in points {
                table.add(
                    HumanFormat.duration(point.end),
                    [
                        HumanFormat.rate(point.answeredPerSecond), HumanFormat.count(point.sent),
                        HumanFormat.count(point.accepted), HumanFormat.count(point.rejected),
                    ] + times.map { $0.value(point).map(HumanFormat.duration) }
                        + [HumanFormat.count(point.inFlight)]
                )
            }
            return table.folded(isPair ? "\(side.letter) second by second" : "Second by second")
        }
        let isShort = measured.allSatisfy { $0.1.count < 2 }
        let short: HTML =
            isShort
            ? "<p class=\"hint\">The run took less than two seconds: there is no course to draw.</p>\n"
            : """
            <h3>Answered pushes per second</h3>
            \(plot("rate", "Answered pushes per second over time"))<h3>Latency</h3>
            \(plot("time", "Latency over time"))
            """
        return Section(
            anchor: "time",
            title: "Over time",
            body: "\(short)\(tables)"
        )
    }

    var makespan: Section? {
        guard sides.contains(where: { $0.run?.makespan != nil }) else { return nil }
        var table = ReportTable(
            caption: "Time until a share of the audience was acknowledged",
            corner: "share",
            heads: heads(single: "after")
        )
        let shares: [(String, (Makespan) -> Int64?)] = [
            ("50%", \.p50), ("90%", \.p90), ("99%", \.p99), ("99.9%", \.p999),
            ("the last install", \.p100),
        ]
        for (name, time) in shares {
            table.add(
                name,
                sides.map { side in
                    side.run?.makespan.map { times in
                        time(times).map { HumanFormat.duration($0) } ?? "never"
                    }
                }
            )
        }
        return Section(
            anchor: "makespan",
            title: "Makespan",
            body: """
                <p class="hint">From the first push until shares of the audience were acknowledged.</p>
                \(plot("makespan", "Share of the audience acknowledged over time"))\(table.html())
                """
        )
    }
}
