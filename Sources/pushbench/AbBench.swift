import Foundation
import PushModel
import Regression
import Results

/// The runs of `ab`: pairs in drawn order, and what became of them.
struct AbBench {
    private let binaries: [String]
    private let runner: BuildRunner
    private var random: SplitMix64
    private var trial: PairedTrial
    /// The first result of each build.
    private var examples: [ResultFile?] = [nil, nil]
    private var voidPairs = 0
    private var failures = [0, 0]
    private var lastFailures: [String?] = [nil, nil]
    private var wasStopped = false

    /// A build that fails so often is sick.
    private static let mostFailures = 3
    /// So many void pairs more than good ones, and the series will never end.
    private static let mostVoidPairs = 10

    init(binaries: [String], design: PairedDesign, seed: UInt64, runner: BuildRunner) {
        self.binaries = binaries
        self.runner = runner
        random = SplitMix64(seed: seed)
        trial = PairedTrial(design)
    }

    private static let names = ["a", "b"]

    /// Whether nothing more is to be run.
    var isOver: Bool { trial.isOver || wasStopped || isVoid }

    private var pairs: Int { trial.series.reduce(0) { $0 + $1.count } }

    private var isVoid: Bool { voidPairs >= pairs + Self.mostVoidPairs }

    /// Runs each build once for nothing: files are in memory then, and a build or a flag that does
    /// not work is told at once.
    mutating func warmUp() throws(CommandFault) {
        for side in 0...1 where !wasStopped {
            switch runner.run(binaries[side]) {
            case .result, .void: break
            case .stopped: wasStopped = true
            case .failed(let code, let sentence):
                let passed = code.flatMap(ExitCode.init)
                throw CommandFault(
                    passed == .usage || passed == .invalidInput ? passed ?? .runFailed : .runFailed,
                    "--\(Self.names[side]) \(binaries[side]) failed, \(sentence)"
                )
            }
        }
    }

    /// Runs both builds once, in drawn order.
    mutating func runPair() throws {
        let newFirst = random.next() & 1 == 1
        var results: [ResultFile?] = [nil, nil]
        for side in newFirst ? [1, 0] : [0, 1] {
            switch runner.run(binaries[side]) {
            case .result(let result): results[side] = result
            case .void:
                voidPairs += 1
                return
            case .stopped:
                wasStopped = true
                return
            case .failed(_, let sentence):
                failures[side] += 1
                lastFailures[side] = sentence
                guard failures[side] < Self.mostFailures else {
                    throw CommandFault(
                        .runFailed,
                        "--\(Self.names[side]) \(binaries[side]) failed \(failures[side]) times "
                            + "in \(pairs + failures[side]) pairs, last with \(sentence)"
                    )
                }
                return
            }
        }
        guard let base = results[0], let new = results[1] else { return }
        for side in 0...1 { examples[side] = examples[side] ?? results[side] }
        try trial.add(base: base.runs, new: new.runs)
    }

    /// The live line.
    func progress(columns: Int) -> String {
        let series = trial.series[trial.series.count - 1]
        let kind = trial.isConfirming ? "repeating the alarm" : "pairs"
        let next = series.design.looks.first { $0 > series.count } ?? series.count
        let medians = series.comparisons().filter(\.decides).map { item in
            "\(item.metric.name) \(item.changeText)"
        }
        let text =
            ([
                "\(kind) \(series.count) of at most \(series.design.looks.last ?? 0)",
                "next look after \(next)",
            ] + medians).joined(separator: " · ")
        return String(text.prefix(max(columns, 0)))
    }

    /// Why there is no report.
    var whyNothing: String {
        "No pair of runs counts: \(voidPairs) were void; give the runs a rate that pushbench keeps."
    }

    /// What the pairs say; nil where there is none.
    func report(isInterrupted: Bool) -> ComparisonReport? {
        guard pairs > 0, let base = examples[0], let new = examples[1] else { return nil }
        let first = trial.series[0].count
        let confirmed = trial.confirmed.map(\.name)
        return ComparisonReport(
            command: AbCommand.spec.name,
            workload: new.workload,
            machineKey: new.machine.key,
            base: side(0, base, pairs: first),
            new: side(1, new, pairs: first),
            unit: "pair",
            metrics: trial.comparisons,
            answer: trial.answer,
            alpha: trial.design.alpha,
            intervalLevel: trial.design.alphaPerLook
                / Double(max(1, trial.comparisons.count(where: \.decides))),
            notes: notes(base, new, confirmed, isInterrupted),
            trial: ComparisonReport.Trial(
                pairs: trial.series.map(\.count),
                voidPairs: voidPairs,
                failedRuns: failures,
                confirmed: confirmed,
                interrupted: isInterrupted
            )
        )
    }

    private func side(_ index: Int, _ example: ResultFile, pairs: Int) -> ComparisonReport.Side {
        ComparisonReport.Side(
            name: binaries[index],
            builds: [example.build.described],
            results: [],
            runs: pairs
        )
    }

    private func notes(
        _ base: ResultFile,
        _ new: ResultFile,
        _ confirmed: [String],
        _ isInterrupted: Bool
    ) -> [String] {
        var notes: [String] = []
        if isInterrupted { notes.append("interrupted: this is the verdict of a part") }
        if trial.isConfirming {
            let count = trial.series[1].count
            notes.append(
                confirmed.isEmpty
                    ? "the alarm was not repeated by a second series of \(count) pairs"
                    : "the alarm was repeated by a second series of \(count) pairs"
            )
        }
        if voidPairs > 0 {
            notes.append(
                "\(voidPairs) \(voidPairs == 1 ? "pair was" : "pairs were") void, not counted"
                    + (isVoid ? ": too many to go on" : "")
            )
        }
        for side in 0...1 where failures[side] > 0 {
            notes.append(
                "\(failures[side]) \(failures[side] == 1 ? "run" : "runs") of "
                    + "--\(Self.names[side]) failed, not counted; the last with \(lastFailures[side] ?? "")"
            )
        }
        for difference in base.workload.differences(from: new.workload) {
            notes.append("the builds make unlike workloads of these flags, \(difference)")
        }
        if base.build.flags != new.build.flags {
            notes.append("the builds were made unlike: one with, one without optimization")
        }
        return notes
    }
}
