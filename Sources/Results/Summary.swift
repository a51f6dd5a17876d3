/// A result as text for a terminal: at most 30 lines of at most 100 columns.
///
/// Leads with what is asked first (how fast, until when, how late), then says where every push
/// ended. Text from outside is stripped of control characters.
public enum Summary {
    /// The most lines a summary has.
    static let mostLines = 30
    /// The most columns a line has.
    static let columns = 100

    /// Formats a result.
    ///
    /// Of several repetitions the one with the median throughput is shown.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - isTerminal: Whether to set off headline and faults with colours.
    /// - Returns: The lines, each with a newline.
    public static func text(of result: ResultFile, isTerminal: Bool = false) -> String {
        var lines = [SummaryLine(title(of: result))]
        if !result.complete {
            lines.append(SummaryLine("  PARTIAL     interrupted: the numbers are of a part", .bad))
        }
        lines.append(.blank)
        if let shown = result.medianRun {
            lines += headline(shown)
            if result.runs.count > 1 {
                lines.append(repetitions(result.runs))
            }
            lines.append(.blank)
            lines += accountLines(shown.account)
            lines += shown.continuation.map { [continuationLine($0)] } ?? []
            lines += repeatLines(shown)
            lines.append(.blank)
            let table = latencyTable(shown.latency)
            if !table.isEmpty { lines += table + [.blank] }
            lines += costLines(shown.cost)
            lines += shown.preparation.map { [phaseLine($0)] } ?? []
            lines += connectionLines(shown)
        } else {
            lines.append(SummaryLine("  nothing was measured", .bad))
        }
        lines += verdictLines(result.verdict)
        while lines.count > mostLines, let blank = lines.lastIndex(of: .blank) {
            lines.remove(at: blank)
        }
        return lines.prefix(mostLines).map { $0.text(isTerminal: isTerminal) + "\n" }.joined()
    }

    /// What ran, in one line.
    package static func title(of result: ResultFile) -> String {
        let workload = result.workload
        let plural = workload.connections == 1 ? "" : "s"
        var parts: [String] = [
            "\(workload.dialect) to \(HumanFormat.count(workload.installs)) installs",
            "\(workload.engine) engine",
            workload.tls == "none" ? "no TLS" : workload.tls,
            workload.encryption.map { "\($0) encryption" },
            "\(workload.connections) connection\(plural) of \(workload.streams) streams",
        ].compactMap(\.self)
        if workload.mode == "open" {
            parts.append("open loop" + (workload.arrivals.map { ", \($0)" } ?? ""))
        } else {
            parts.append("\(workload.mode) loop")
        }
        return parts.joined(separator: " · ")
    }

    private static func headline(_ run: RunRecord) -> [SummaryLine] {
        var throughput = [
            HumanFormat.rate(run.throughput.pushesPerSecond),
            HumanFormat.bytes(run.throughput.bytesPerSecond) + "/s of body",
        ]
        if let offered = run.throughput.offeredRate {
            throughput.append("asked for \(HumanFormat.rate(offered))")
            if let achieved = run.throughput.achievedRate {
                throughput.append("sent \(HumanFormat.rate(achieved))")
            }
        }
        var makespan: [String] = []
        if let times = run.makespan {
            makespan.append(
                times.p100.map { HumanFormat.duration($0) + " to the last install" }
                    ?? "not every install was answered"
            )
            let shares = [
                ("50%", times.p50), ("90%", times.p90), ("99%", times.p99), ("99.9%", times.p999),
            ]
            makespan += shares.compactMap { share, time in
                time.map { "\(share) \(HumanFormat.duration($0))" }
            }
        }
        var response: [String] = []
        if let times = run.latency.response {
            response = [
                "p50 \(HumanFormat.duration(times.p50))", "p99 \(HumanFormat.duration(times.p99))",
                "p99.9 \(HumanFormat.duration(times.p999))",
            ]
        }
        return [("throughput", throughput), ("makespan", makespan), ("response", response)].map {
            // The makespan has its own words, so this is of the times alone.
            let before = run.continuation.map { $0.accepted &+ $0.rejected } ?? 0
            let nothing =
                run.account.acknowledged &- before > 0
                ? "no times: the warm-up took the whole run" : "no push was answered"
            let text = $0.1.isEmpty ? nothing : $0.1.joined(separator: " · ")
            return SummaryLine(labelled($0.0, text), .strong)
        }
    }

    private static func repetitions(_ runs: [RunRecord]) -> SummaryLine {
        let rates = runs.map(\.throughput.pushesPerSecond)
        let span = [rates.min(), rates.max()].compactMap { $0.map(HumanFormat.rate) }
        return SummaryLine(
            labelled(
                "repetitions",
                "\(runs.count), \(span.joined(separator: " to ")); the median one is shown"
            )
        )
    }

    private static func accountLines(_ account: Account) -> [SummaryLine] {
        let accepted =
            account.audience > 0
            ? " (\(HumanFormat.percent(Double(account.accepted) / Double(account.audience))))" : ""
        let parts = [
            "\(HumanFormat.count(account.accepted)) accepted\(accepted)",
            "\(HumanFormat.count(account.rejectedTotal)) rejected",
            "\(HumanFormat.count(account.unknown)) unknown",
            "\(HumanFormat.count(account.neverSent)) never sent",
        ]
        var lines = [SummaryLine(labelled("account", parts.joined(separator: " · ")))]
        let reasons = account.rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        lines += reasons.prefix(reasons.count > 4 ? 3 : 4).map { reason, count in
            SummaryLine(labelled("", "\(right(HumanFormat.count(count), 9))  \(reason)"))
        }
        if reasons.count > 4 {
            let rest = reasons.dropFirst(3)
            let count = HumanFormat.count(rest.reduce(0) { $0 &+ $1.value })
            lines.append(
                SummaryLine(labelled("", "\(right(count, 9))  for \(rest.count) other reasons"))
            )
        }
        if let duplicates = account.duplicates, duplicates != 0 {
            let count = HumanFormat.count(duplicates)
            lines.append(SummaryLine(labelled("", "\(count) arrived more than once"), .bad))
        } else if !account.addsUp {
            let audience = HumanFormat.count(account.audience)
            lines.append(SummaryLine(labelled("", "does not add up to \(audience)"), .bad))
        }
        return lines
    }

    private static func continuationLine(_ before: Continuation) -> SummaryLine {
        let remark = remark(before)
        return SummaryLine(
            labelled(remark.name, remark.text),
            before.perhapsTwice != 0 ? .bad : .plain
        )
    }

    private static func latencyTable(_ latency: Latency) -> [SummaryLine] {
        let rows = [
            ("response", latency.response), ("service", latency.service),
            ("lateness", latency.lateness),
        ].compactMap { name, times in times.map { (name: name, times: $0) } }
        guard !rows.isEmpty else {
            return []
        }
        let heads = ["mean", "p50", "p90", "p99", "p99.9", "p99.99", "max"]
        var lines = [SummaryLine(labelled("", heads.map { right($0, 11) }.joined()))]
        for (name, times) in rows {
            let cells = [
                times.mean, times.p50, times.p90, times.p99, times.p999, times.p9999, times.max,
            ]
            let text = cells.map { right(HumanFormat.duration($0), 11) }.joined()
            lines.append(SummaryLine(labelled(name, text)))
        }
        let outside = rows.reduce(0) { $0 &+ ($1.times.outOfRange ?? 0) }
        if outside != 0 {
            let count = HumanFormat.count(outside)
            lines.append(
                SummaryLine(labelled("", "\(count) times were out of range, kept at its end"), .bad)
            )
        }
        return lines
    }

    private static func phaseLine(_ preparation: Preparation) -> SummaryLine {
        let remark = remark(preparation)
        return SummaryLine(labelled(remark.name, remark.text))
    }

    private static func costLines(_ cost: Cost) -> [SummaryLine] {
        let parts = [
            cost.cpuNanosecondsPerPush.map { "\(HumanFormat.duration($0)) CPU per push" },
            cost.peakRSSBytes.map { "\(HumanFormat.bytes(Double($0))) peak memory" },
            cost.allocationsPerPush.map {
                "\(HumanFormat.significant($0)) allocations per push"
            },
        ].compactMap(\.self)
        var lines: [SummaryLine] = []
        if !parts.isEmpty {
            lines.append(SummaryLine(labelled("cost", parts.joined(separator: " · "))))
        }
        let stages = cost.stages.sorted {
            ($1.value.cpuNanosecondsPerPush, $0.key) < ($0.value.cpuNanosecondsPerPush, $1.key)
        }
        if !stages.isEmpty {
            let texts = stages.map { name, stage in
                let limit = stage.limitNanosecondsPerPush.map {
                    " (limit \(HumanFormat.duration($0)))"
                }
                return "\(name) \(HumanFormat.duration(stage.cpuNanosecondsPerPush))"
                    + (limit ?? "")
            }
            lines += wrapped("stages", texts)
        }
        return lines
    }

    private static func connectionLines(_ run: RunRecord) -> [SummaryLine] {
        guard !run.connections.isEmpty else {
            return []
        }
        let early = run.connectionsByReason.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) closed early: \($0.key)" }
        let parts = ["\(run.connectionsOpened) opened"] + early
        return [SummaryLine(labelled("connections", parts.joined(separator: " · ")))]
    }

    private static func verdictLines(_ verdict: Verdict) -> [SummaryLine] {
        let void =
            verdict.bottleneck == "generator" ? "VOID: pushbench itself was the bottleneck" : "VOID"
        var parts = [verdict.valid ? "valid" : void]
        if let bottleneck = verdict.bottleneck {
            parts.append("limited by \(bottleneck)")
        }
        parts += verdict.evidence.prefix(1)
        let style: SummaryLine.Style = verdict.valid ? .plain : .bad
        var lines = [SummaryLine(labelled("verdict", parts.joined(separator: " · ")), style)]
        // Missed ones first, else in the order they were asked for.
        let objectives = verdict.slo.filter { !$0.met } + verdict.slo.filter(\.met)
        lines += objectives.prefix(objectives.count > 4 ? 3 : 4).map { outcome in
            let unit = Metric.named(outcome.metric)?.unit ?? .count
            let actual = outcome.actual.map(unit.text) ?? "not measured"
            return SummaryLine(
                labelled(outcome.met ? "met" : "MISSED", "\(outcome.expression)  (\(actual))"),
                outcome.met ? .good : .bad
            )
        }
        if objectives.count > 4 {
            let missed = objectives.dropFirst(3).count { !$0.met }
            let rest = "\(objectives.count - 3) more objectives, \(missed) missed"
            lines.append(SummaryLine(labelled("", rest), missed > 0 ? .bad : .good))
        }
        return lines
    }

    /// Spreads parts over two lines at most; what is beyond ends in the second one's ellipsis.
    private static func wrapped(_ label: String, _ parts: [String]) -> [SummaryLine] {
        var first = parts[...]
        var rest: [String] = []
        while first.count > 1,
            labelled(label, first.joined(separator: " · ")).count > columns
        {
            rest.insert(first.removeLast(), at: 0)
        }
        let lines = [SummaryLine(labelled(label, first.joined(separator: " · ")))]
        return rest.isEmpty
            ? lines : lines + [SummaryLine(labelled("", rest.joined(separator: " · ")))]
    }

    static func labelled(_ label: String, _ text: String) -> String {
        "  \(label)\(String(repeating: " ", count: max(12 - label.count, 1)))\(text)"
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
