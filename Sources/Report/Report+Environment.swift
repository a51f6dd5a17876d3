import Results

extension Report {
    /// Machine, build and workload; what differs between two results is set off.
    var environment: Section? {
        let tables = [
            words("Workload") { Self.rows($0.workload) },
            words("Machine") { Self.rows($0.machine) },
            words("Build and result") { Self.rows(build: $0) },
        ]
        return Section(
            anchor: "environment",
            title: "Environment",
            body: HTML(tables)
        )
    }

    private func words(_ title: String, _ rows: (ResultFile) -> [(String, String?)]) -> HTML {
        var table = ReportTable(
            caption: title,
            corner: "field",
            heads: heads(single: "value")
        )
        let all = sides.map { rows($0.result) }
        var names: [String] = []
        for (name, _) in all.joined() where !names.contains(name) { names.append(name) }
        for name in names {
            let values = all.map { rows in rows.first { $0.0 == name }?.1 }
            guard values.contains(where: { $0 != nil }) else { continue }
            let differs = values.contains { $0 != values[0] }
            table.addMarkup(
                name,
                values.map { value -> HTML? in
                    value.map { differs ? "<mark>\($0)</mark>" : "\($0)" }
                }
            )
        }
        return table.html(isWords: true)
    }

    private static func rows(_ workload: Workload) -> [(String, String?)] {
        var rows: [(String, String?)] = [
            ("hash", workload.hash), ("dialect", workload.dialect), ("message", workload.message),
            ("installs", HumanFormat.count(workload.installs)),
            ("languages", languages(workload.languages)), ("body", body(workload.bodyBytes)),
            ("engine", workload.engine), ("encryption", workload.encryption),
            ("TLS", workload.tls), ("authentication", workload.auth),
            ("connections", HumanFormat.count(workload.connections)),
            ("streams per connection", HumanFormat.count(workload.streams)),
            ("loop", workload.mode), ("rate", workload.rate.map(HumanFormat.rate)),
            ("arrivals", workload.arrivals), ("seed", workload.seed.map { "\($0)" }),
        ]
        for (name, value) in (workload.settings ?? [:]).sorted(by: { $0.key < $1.key }).prefix(60) {
            rows.append(("setting \(name)", value))
        }
        return rows
    }

    private static func languages(_ shares: [String: Double]) -> String? {
        guard !shares.isEmpty else { return nil }
        let total = shares.values.reduce(0, +)
        let sorted = shares.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let texts = sorted.prefix(12).map { name, weight in
            total > 0 ? "\(name) \(HumanFormat.percent(weight / total))" : name
        }
        let rest = sorted.count - texts.count
        return texts.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private static func body(_ bytes: Workload.BodyBytes?) -> String? {
        guard let bytes else { return nil }
        let range = "\(HumanFormat.count(bytes.min)) to \(HumanFormat.count(bytes.max)) B"
        let limit = bytes.limit.map { ", limit \(HumanFormat.count($0)) B" } ?? ""
        return "\(range), mean \(HumanFormat.significant(bytes.mean)) B\(limit)"
    }

    private static func rows(_ machine: Machine) -> [(String, String?)] {
        [
            ("key", machine.key), ("CPU", machine.cpu),
            ("CPUs on line", HumanFormat.count(machine.cores)),
            ("memory", HumanFormat.bytes(Double(machine.memoryBytes))), ("system", machine.os),
            ("kernel", machine.kernel), ("frequency governor", machine.governor),
            (
                "CPU limit of the control group",
                machine.cgroupCPUs.map { "\(HumanFormat.significant($0)) CPUs" }
            ),
            ("stolen CPU time", machine.steal.map(HumanFormat.percent)),
        ]
    }

    private static func rows(build result: ResultFile) -> [(String, String?)] {
        let build = result.build
        return [
            ("pushbench", build.version), ("commit", build.commit),
            ("uncommitted changes", build.dirty.map { $0 ? "yes" : "no" }),
            ("Swift", build.swift), ("flags", build.flags.joined(separator: " ")),
            ("result", result.id), ("began", time(result.startedAt)),
            ("ended", time(result.finishedAt)), ("complete", result.complete ? "yes" : "no"),
        ]
    }
}
