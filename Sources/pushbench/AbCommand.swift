import Foundation
import PushModel
import Regression
import Results
import Synchronization

/// `pushbench ab`: two builds in turn, with a paired verdict.
enum AbCommand {
    static func run(_ arguments: Arguments) throws -> ExitCode {
        let binaries = try [("a", arguments["a"]), ("b", arguments["b"])].map { name, path in
            try binary(path, flag: name)
        }
        let words = arguments.positionals
        try checkRunFlags(words)
        let patience: RunPatience =
            if let timeout = try arguments.duration("run-timeout") {
                .given(Double(timeout) / 1e9)
            } else {
                .expected(Double(RunLimit.nanoseconds(words)) / 1e9)
            }
        let format = try ComparisonFormat.chosen(arguments)
        let design = PairedDesign(
            metrics: try MetricFlags.metrics(arguments) ?? PairedDesign.standardMetrics,
            thresholds: try MetricFlags.thresholds(
                arguments,
                standard: PairedDesign.standardThresholds
            ),
            pairs: try arguments.integer("pairs", in: 1...10_000) ?? PairedDesign.standardPairs
        )
        guard let last = design.looks.last, last >= design.leastPairs else {
            throw UsageError(
                "--pairs \(design.looks.last ?? 0) can never be significant: give at least "
                    + "\(design.leastPairs)."
            )
        }
        // Both builds would take what the environment says of this one for their own.
        unsetenv("PUSHBENCH_COMMIT")
        unsetenv("PUSHBENCH_DIRTY")

        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stop = Stop()
        let signals = Signals([SIGINT, SIGTERM], onFirst: stop.stop) {
            _exit(ExitCode.interrupted.rawValue)
        }
        defer { withExtendedLifetime(signals) {} }
        var bench = AbBench(
            binaries: binaries,
            design: design,
            seed: UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 1),
            runner: BuildRunner(
                words: words,
                folder: folder.path,
                patience: patience
            ) { stop.isStopped }
        )
        let isLive = Terminal.isInteractive && !arguments.has("quiet")
        defer { if isLive { Terminal.showLive("") } }
        try bench.warmUp()
        while !bench.isOver {
            if isLive { Terminal.showLive(bench.progress(columns: Terminal.columns - 1)) }
            try bench.runPair()
        }
        if isLive { Terminal.showLive("") }
        guard let report = bench.report(isInterrupted: stop.isStopped) else {
            if stop.isStopped { return .interrupted }
            throw CommandFault(.inconclusive, bench.whyNothing)
        }
        try ResultPlace.write(format.text(report, arguments), arguments)
        return stop.isStopped ? .interrupted : report.exitCode
    }

    private static func binary(_ path: String?, flag: String) throws -> String {
        guard let path else {
            throw UsageError("ab needs two builds: give --a BINARY and --b BINARY.")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            access(path, X_OK) == 0
        else {
            throw CommandFault(
                .invalidInput,
                "--\(flag) \(path) is no program that can be run: give the path of a pushbench."
            )
        }
        // A name alone would be looked up in PATH, where another build may be.
        return path.contains("/") ? path : "./" + path
    }

    /// Flags that the trial itself gives, or that would make the runs unlike.
    private static let ownFlags = [
        "json", "out", "save", "quiet", "help", "journal", "rejected-out",
    ]

    private static func checkRunFlags(_ words: [String]) throws(UsageError) {
        for word in words {
            let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
            guard word.hasPrefix("--"), ownFlags.contains(String(name)) else { continue }
            throw UsageError("--\(name) is not for the runs of ab: leave it out behind --.")
        }
    }

    /// Whether a signal came.
    private final class Stop: Sendable {
        private let flag = Atomic<Bool>(false)

        var isStopped: Bool { flag.load(ordering: .acquiring) }

        @Sendable func stop() {
            flag.store(true, ordering: .releasing)
            Terminal.complain("Stopping: the verdict so far follows. Once more leaves at once.")
        }
    }
}
