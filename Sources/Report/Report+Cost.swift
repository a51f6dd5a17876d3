import Results

extension Report {
    /// What a push cost, stage by stage, beside the best that the machine can do.
    var cost: Section? {
        let costs = sides.compactMap { side in side.run.map { (side, $0.cost) } }
        guard costs.contains(where: { $0.1 != Cost() }) else { return nil }
        let most =
            costs.flatMap { _, cost in
                [cost.cpuNanosecondsPerPush ?? 0]
                    + cost.stages.values.map {
                        max($0.cpuNanosecondsPerPush, $0.limitNanosecondsPerPush ?? 0)
                    }
            }.max() ?? 0
        let hasLimits = costs.contains { _, cost in
            cost.stages.values.contains { $0.limitNanosecondsPerPush != nil }
        }
        let tables = costs.map { side, cost in
            table(side, cost, most: most, hasLimits: hasLimits).html()
        }
        let hint: HTML =
            hasLimits
            ? "The mark on a bar is the least that was measured for such work alone on this machine."
            : "Stages overlap with waiting and need not add up to the whole."
        return Section(
            anchor: "cost",
            title: "Cost per push",
            body: """
                <p class="hint">CPU time of the client's process, rendering included; the mock's is not in \
                it. \(hint)</p>
                \(tables)
                """
        )
    }

    private func table(
        _ side: ReportSide,
        _ cost: Cost,
        most: Double,
        hasLimits: Bool
    ) -> ReportTable {
        var table = ReportTable(
            caption: isPair ? "Cost per push, \(side.letter)" : "Cost per push",
            corner: "stage",
            heads: ["CPU"] + (hasLimits ? ["limit", "of the limit"] : []) + [""]
        )
        table.isUnderItsHeading = !isPair
        func add(_ name: String, _ value: Double, limit: Double?) {
            let cells: [HTML?] =
                ["\(HumanFormat.duration(value))"]
                + (hasLimits
                    ? [
                        limit.map { "\(HumanFormat.duration($0))" },
                        limit.flatMap { $0 > 0 ? "× \(HumanFormat.significant(value / $0))" : nil },
                    ] : [])
                + [bar(side, value, limit: limit, most: most)]
            table.addMarkup(name, cells)
        }
        if let whole = cost.cpuNanosecondsPerPush { add("whole process", whole, limit: nil) }
        let stages = cost.stages.sorted {
            ($1.value.cpuNanosecondsPerPush, $0.key) < ($0.value.cpuNanosecondsPerPush, $1.key)
        }
        for (name, stage) in stages.prefix(50) {
            add(name, stage.cpuNanosecondsPerPush, limit: stage.limitNanosecondsPerPush)
        }
        let empty = [HTML?](repeating: "", count: table.heads.count - 1)
        if let bytes = cost.peakRSSBytes {
            table.addMarkup("peak memory", ["\(HumanFormat.bytes(Double(bytes)))"] + empty)
        }
        if let allocations = cost.allocationsPerPush {
            table.addMarkup("allocations", ["\(HumanFormat.significant(allocations))"] + empty)
        }
        return table
    }

    private func bar(
        _ side: ReportSide,
        _ value: Double,
        limit: Double?,
        most: Double
    ) -> HTML {
        guard most > 0 else { return "" }
        let mark = limit.map { limit in
            """
            <rect class="limit" x="\(coordinate: limit / most * 196)" y="0" width="3" height="16"/>
            """ as HTML
        }
        return """
            <svg class="stage" viewBox="0 0 200 16" preserveAspectRatio="none" aria-hidden="true">\
            <rect class="cost of-\(side.letter)" x="0" y="3" width="\(coordinate: max(value / most, 0) * 200)" height="10"/>\
            \(mark ?? "")</svg>
            """
    }

    /// What limited the run, and the objectives.
    var verdict: Section? {
        var table = ReportTable(
            caption: "Verdict",
            corner: "finding",
            heads: heads(single: "says")
        )
        table.isUnderItsHeading = true
        table.addMarkup(
            "verdict",
            sides.map { side -> HTML? in
                "<span class=\"badge \(side.verdict.style)\">\(side.verdict.text)</span>"
            }
        )
        let verdicts = sides.map(\.result.verdict)
        if verdicts.contains(where: { $0.bottleneck != nil }) {
            table.add("limited by", verdicts.map(\.bottleneck))
        }
        if verdicts.contains(where: { !$0.evidence.isEmpty }) {
            table.addMarkup(
                "evidence",
                verdicts.map { verdict -> HTML? in
                    HTML(verdict.evidence.prefix(10).map { "<p>\($0)</p>" as HTML })
                }
            )
        }
        let expressions = sides.flatMap { $0.result.verdict.slo.map(\.expression) }
        var shown: Set<String> = []
        for expression in expressions where shown.count < 50 && shown.insert(expression).inserted {
            table.addMarkup(
                expression,
                note: "objective",
                sides.map { side in
                    side.result.verdict.slo.first { $0.expression == expression }.map(outcome)
                }
            )
        }
        return Section(anchor: "verdict", title: "Verdict", body: table.html(isWords: true))
    }

    private func outcome(_ outcome: SLOOutcome) -> HTML {
        let unit = Metric.named(outcome.metric)?.unit ?? .count
        let actual = outcome.actual.map(unit.text) ?? "not measured"
        let style: HTML = outcome.met ? "good" : "bad"
        let word = outcome.met ? "met" : "missed"
        return "<span class=\"badge \(style)\">\(word)</span> \(actual)"
    }

    /// The repetitions of a result, of which the rest of the page shows the median one.
    var repetitions: Section? {
        let several = sides.filter { $0.result.runs.count > 1 }
        guard !several.isEmpty else { return nil }
        let names = ["rate", "makespan", "p50", "p99", "p99.9", "errors", "cpu"]
        let metrics = names.compactMap(Metric.named)
        let tables = several.map { side in
            var table = ReportTable(
                caption: isPair ? "Repetitions, \(side.letter)" : "Repetitions",
                corner: "repetition",
                heads: metrics.map(\.name)
            )
            table.isUnderItsHeading = !isPair
            for (index, run) in side.result.runs.prefix(1_000).enumerated() {
                table.add(
                    "\(index + 1)",
                    note: run == side.run ? "shown" : nil,
                    metrics.map { metric in metric.value(run).map(metric.unit.text) }
                )
            }
            return table.html()
        }
        return Section(
            anchor: "repetitions",
            title: "Repetitions",
            body: """
                <p class="hint">The page shows the repetition with the median throughput.</p>
                \(tables)
                """
        )
    }
}
