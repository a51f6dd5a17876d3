import Foundation
import Regression
import Results

/// `pushbench compare`: a verdict over stored results.
enum CompareCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        var options = Comparison.Options()
        if let metrics = try MetricFlags.metrics(arguments) { options.deciding = metrics }
        options.thresholds = try MetricFlags.thresholds(arguments, standard: options.thresholds)
        if let text = arguments["alpha"] {
            guard let alpha = Double(text), (0.000_1...0.5).contains(alpha) else {
                throw UsageError("--alpha \(text) does not fit: give a number, 0.0001 to 0.5.")
            }
            options.alpha = alpha
        }
        options.seed = UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 1)
        let format = try ComparisonFormat.chosen(arguments)
        let baseline = try arguments["baseline"].map { try Baseline($0) }
        let words = arguments.positionals
        guard words.count == (baseline == nil ? 2 : 1) else {
            throw UsageError(
                baseline == nil
                    ? "compare needs two sides: pushbench compare BASE NEW, or --baseline and NEW."
                    : "--baseline is the base: give NEW alone."
            )
        }
        let store = try ResultPlace.chosenStore(arguments)
        let parts = MetricFlags.parts(for: options.deciding)
        let new = try ResultSide(words[words.count - 1], store: store, parts: parts)
        let base: ResultSide
        switch baseline {
        case nil: base = try ResultSide(words[0], store: store, parts: parts)
        case .file(let path): base = try ResultSide(path, store: store, parts: parts)
        case .last(let count):
            base = try ResultSide(last: count, before: new, store: store, parts: parts)
        }
        var notes = try check(base, new, arguments)
        let comparison = try Comparison(base: base.runs, new: new.runs, options: options)
        let decided = Set(comparison.metrics.map(\.metric.name))
        notes += options.deciding.filter { !decided.contains($0.name) }.map { metric in
            "\(metric.name) does not decide, since not every run has it"
        }
        let report = ComparisonReport(
            command: spec.name,
            workload: new.results[0].workload,
            machineKey: new.results[0].machine.key,
            base: base.described,
            new: new.described,
            unit: "run",
            metrics: comparison.metrics,
            answer: comparison.answer,
            alpha: options.alpha,
            intervalLevel: comparison.intervalLevel,
            notes: notes.map(Terminal.printable)
        )
        try ResultPlace.write(format.text(report, arguments), arguments)
        return report.exitCode
    }

    /// What `--baseline` names.
    private enum Baseline {
        case last(Int)
        case file(String)

        init(_ text: String) throws(UsageError) {
            if text == "latest" {
                self = .last(1)
            } else if text.hasPrefix("median-of") {
                let rest = text.dropFirst("median-of".count).drop { " -=:".contains($0) }
                guard let count = Int(rest), (1...10_000).contains(count) else {
                    throw UsageError("--baseline \(text) does not fit: give 'median-of 5', say.")
                }
                self = .last(count)
            } else {
                self = .file(text)
            }
        }
    }

    /// Refuses what cannot be compared; what may only colour it is a note.
    private static func check(
        _ base: ResultSide,
        _ new: ResultSide,
        _ arguments: Arguments
    ) throws -> [String] {
        let all = base.results + new.results
        let first = all[0]
        for other in all.dropFirst() {
            let workload = first.workload.differences(from: other.workload)
            guard workload.isEmpty else {
                throw refusal("workloads", first, other, workload)
            }
            let machine = first.machine.differences(from: other.machine)
            guard machine.isEmpty || arguments.has("allow-different-machine") else {
                throw refusal("machines", first, other, machine)
            }
        }
        var notes: [String] = []
        func note(_ what: String, _ differences: [FieldDifference]) {
            for difference in differences where !notes.contains("\(what) \(difference)") {
                notes.append("\(what) \(difference)")
            }
        }
        for other in all.dropFirst() {
            note("unlike machines,", first.machine.differences(from: other.machine))
            note("another environment,", first.machine.environmentDifferences(from: other.machine))
            if first.build.flags != other.build.flags {
                note(
                    "unlike builds,",
                    [
                        FieldDifference(
                            "flags",
                            base: first.build.flags.joined(separator: " "),
                            new: other.build.flags.joined(separator: " ")
                        )
                    ]
                )
            }
        }
        let ids = Set(base.results.map(\.id))
        notes += new.results.filter { ids.contains($0.id) }.map { result in
            "\(result.id) is on both sides: its runs are held against themselves"
        }
        if base.results.count == 1 || new.results.count == 1 {
            notes.append(
                "all runs of a side from one file share its minutes, so that the intervals are wide; "
                    + "several files a side, made in turn, or `pushbench ab` tell more"
            )
        }
        return notes
    }

    private static func refusal(
        _ what: String,
        _ first: ResultFile,
        _ other: ResultFile,
        _ differences: [FieldDifference]
    ) -> CommandFault {
        var lines = [
            "pushbench: The results \(first.id) and \(other.id) are of unlike \(what) and cannot be "
                + "compared:"
        ]
        lines += differences.map { "pushbench:   \($0)" }
        return CommandFault(.invalidInput, lines: lines)
    }
}
